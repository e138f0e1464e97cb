// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/threads/WholeArrays.h"

#include "frontend/emit/threads/Arrays.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::emit::threads {

using namespace mlir;

namespace {

using Positions = std::vector<Value>;

/// One loop for each extent.
void forEach(Emitter &emitter, llvm::ArrayRef<Tensor> extents, Positions &at, SourceRange range,
             llvm::function_ref<void(const Positions &)> body) {
  if (extents.empty())
    return body(at);
  OpBuilder &builder = emitter.builder;
  Tensor zero = emitter.integer(0, DType::Int64, range);
  Tensor one = emitter.integer(1, DType::Int64, range);
  auto loop =
      scf::ForOp::create(builder, emitter.locate(range), zero.value, extents[0].value, one.value);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitter.risingCounters.insert(loop.getInductionVar());
  emitter.enterRegion(range);
  at.push_back(Tensor{loop.getInductionVar(), zero.type});
  forEach(emitter, extents.drop_front(), at, range, body);
  at.pop_back();
  --emitter.regionDepth;
}

/// The element of an operand that belongs to one of the result: dimensions that it lacks in front
/// are as if repeated, and so are those of one element.
Value elementAt(Emitter &emitter, const Value &operand, const ArrayView &result,
                const Positions &at, SourceRange range) {
  const auto *array = operand.as<ArrayView>();
  if (!array || array->shape.empty())
    return array && !array->structure ? readElement(emitter, *array, Tuple(), range) : operand;
  size_t missing = at.size() - array->shape.size();
  Tuple index;
  for (size_t dim = 0; dim < array->shape.size(); ++dim) {
    const Tensor &extent = array->shape[dim];
    Tensor place = *at[missing + dim].as<Tensor>();
    if (extent.value != result.shape[missing + dim].value) {
      Tensor one = emitter.integer(1, DType::Int64, range);
      Tensor zero = emitter.integer(0, DType::Int64, range);
      mlir::Value isOne =
          emitter.make<arith::CmpIOp>(range, arith::CmpIPredicate::eq, extent.value, one.value);
      place.value = emitter.make<arith::SelectOp>(range, isOne, zero.value, place.value);
    }
    index.elements.push_back(place);
  }
  return readElement(emitter, *array, index, range);
}

void requireFits(const Value &operand, const ArrayView &result, SourceRange range) {
  const auto *array = operand.as<ArrayView>();
  if (array && array->shape.size() > result.shape.size())
    failWithNote(range,
                 {{},
                  "the result has " + std::to_string(result.shape.size()) +
                      " dimensions, and an operand has no more than it"},
                 DiagnosticId::not_a_value, describe(operand));
}

/// Functions of numbers, which are called for each element.
bool isOfNumbers(const Value &callee) {
  if (callee.is<const sema::DeviceFunction *>())
    return true;
  const auto *builtin = callee.as<const sema::Builtin *>();
  return builtin &&
         ((*builtin)->isFunctionOf("math") || (*builtin)->isFunctionOf("numpy") ||
          (*builtin)->isFunctionOf("cmath") || *builtin == sema::findFunction("python", "abs"));
}

/// How many arguments it takes at least.
size_t leastOf(const Value &callee) {
  const auto *builtin = callee.as<const sema::Builtin *>();
  if (!builtin)
    return 1;
  auto isNeeded = [](const sema::BuiltinParameter &each) { return !each.defaultText; };
  return static_cast<size_t>(llvm::count_if((*builtin)->parameters(), isNeeded));
}

Sequence pairedWith(Emitter &emitter, Sequence inner, const Value &start, SourceRange range) {
  auto element = [&emitter, inner = inner.element, start, range](const Tensor &position) {
    Value number = emitter.binary(ast::BinaryOp::Add, position, start, range);
    return Value(Tuple{{number, inner(position)}});
  };
  return {inner.count, element};
}

Sequence zipped(Emitter &emitter, std::vector<Sequence> all, SourceRange range) {
  Tensor count = all.front().count;
  for (const Sequence &other : llvm::drop_begin(all))
    count = emitter.like<arith::MinSIOp>(range, count, other.count);
  return {count, [all = std::move(all)](const Tensor &position) {
            Tuple together;
            for (const Sequence &one : all)
              together.elements.push_back(one.element(position));
            return Value(together);
          }};
}

} // namespace

void assignWhole(Emitter &emitter, const ArrayView &array, const Value &value, SourceRange range) {
  requireFits(value, array, range);
  Positions at;
  forEach(emitter, array.shape, at, range, [&](const Positions &position) {
    writeElement(emitter, array, Tuple{position}, elementAt(emitter, value, array, position, range),
                 range);
  });
}

std::optional<Value> callOnArrays(Emitter &emitter, const Value &callee,
                                  const std::vector<Emitter::CallArgument> &arguments,
                                  SourceRange range) {
  auto isArray = [](const Emitter::CallArgument &argument) {
    return argument.value.is<ArrayView>();
  };
  if (!isOfNumbers(callee) || llvm::none_of(arguments, isArray))
    return std::nullopt;
  const auto *result = arguments.back().value.as<ArrayView>();
  bool hasName = !arguments.back().name.empty();
  if (!result || arguments.size() <= leastOf(callee) || (hasName && arguments.back().name != "out"))
    failWithNote(range,
                 {{},
                  "a kernel makes no arrays: the last argument, or out=, is the array that "
                  "gets the results"},
                 DiagnosticId::missing_argument, "out", std::string(range.text()));
  for (const Emitter::CallArgument &argument : arguments)
    requireFits(argument.value, *result, argument.range);
  Positions at;
  forEach(emitter, result->shape, at, range, [&](const Positions &position) {
    std::vector<Emitter::CallArgument> given(arguments.begin(), arguments.end() - 1);
    for (Emitter::CallArgument &argument : given)
      argument.value = elementAt(emitter, argument.value, *result, position, range);
    writeElement(emitter, *result, Tuple{position}, emitter.call(callee, std::move(given), range),
                 range);
  });
  return Value(*result);
}

/// The numbers of a range that the run decides, by their places in it.
static Sequence numbersOf(Emitter &emitter, const RangeValue &numbers, SourceRange range) {
  auto number = [&](const Value &value) {
    return emitter.cast(emitter.toTensor(value, range), {DType::Int64}, range);
  };
  auto integer = [&](int64_t value) { return emitter.integer(value, DType::Int64, range); };
  auto subtract = [&](const Tensor &x, const Tensor &y) {
    return emitter.like<arith::SubIOp>(range, x, y);
  };
  Tensor lower = number(*numbers.lower), upper = number(*numbers.upper);
  Tensor step = number(*numbers.step), zero = integer(0);
  Tensor isDown = emitter.compareSame(ast::CompareOp::Lt, {step, zero}, range);
  auto where = [&](const Tensor &yes, const Tensor &no) {
    return Tensor{emitter.make<arith::SelectOp>(range, isDown.value, yes.value, no.value), no.type};
  };
  Tensor span = where(subtract(lower, upper), subtract(upper, lower));
  Tensor stride = where(subtract(zero, step), step);
  Tensor rounded = emitter.like<arith::AddIOp>(range, span, subtract(stride, integer(1)));
  Tensor count = emitter.like<arith::MaxSIOp>(
      range, emitter.like<arith::DivSIOp>(range, rounded, stride), zero);
  return {count, [&emitter, lower, step, range](const Tensor &position) {
            Tensor further = emitter.like<arith::MulIOp>(range, position, step);
            return Value(emitter.like<arith::AddIOp>(range, lower, further));
          }};
}

std::optional<Sequence> sequenceOf(Emitter &emitter, const Value &iterable, SourceRange range) {
  const auto *array = iterable.as<ArrayView>();
  if (!array || array->shape.empty())
    return std::nullopt;
  return Sequence{array->shape[0], [&emitter, array = *array, range](const Tensor &position) {
                    return readElement(emitter, array, position, range);
                  }};
}

std::optional<Sequence> sequenceOf(Emitter &emitter, const ast::Expr &iterable) {
  const auto *call = llvm::dyn_cast<ast::Call>(&iterable);
  const auto *name = call ? llvm::dyn_cast<ast::Name>(call->callee.get()) : nullptr;
  bool isCounted = name && name->name == "enumerate", isZip = name && name->name == "zip";
  if ((!isCounted && !isZip) || call->arguments.empty())
    return std::nullopt;
  std::vector<Sequence> all;
  size_t sources = isCounted ? 1 : call->arguments.size();
  for (size_t i = 0; i < sources; ++i) {
    const ast::Expr &source = *call->arguments[i].value;
    auto inner = sequenceOf(emitter, source);
    Value value = inner ? Value() : emitter.evaluate(source);
    if (!inner)
      inner = sequenceOf(emitter, value, source.range);
    if (const auto *numbers = value.as<RangeValue>(); numbers && !numbers->isStatic)
      inner = numbersOf(emitter, *numbers, source.range);
    if (!inner)
      return std::nullopt;
    all.push_back(std::move(*inner));
  }
  if (isZip)
    return zipped(emitter, std::move(all), iterable.range);
  Value start =
      call->arguments.size() > 1 ? emitter.evaluate(*call->arguments[1].value) : integerValue(0);
  return pairedWith(emitter, std::move(all.front()), start, iterable.range);
}

} // namespace nereid::emit::threads
