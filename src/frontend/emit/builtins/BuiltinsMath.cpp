// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise functions and the matrix product.
#include "dialect/tile/Exact.h"
#include "frontend/emit/Arguments.h"
#include "frontend/emit/tiles/SoftwareFloat.h"
#include "frontend/sema/Promotion.h"
#include "support/FloatFormat.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace nereid::emit {

using namespace mlir;
using sema::ConstantValue;

/// A function of one float32 or float64, as upstream defines them.
template <typename Op> static Value floatFunction(Emitter &emitter, const Arguments &arguments) {
  Tensor x = arguments.tensor("x");
  bool isWide = x.dtype() == DType::Float32 || x.dtype() == DType::Float64;
  if (x.isPointer() || !isWide)
    failWithNote(arguments.range("x"), {{}, "convert it first: x.to(tl.float32)"},
                 DiagnosticId::argument_type, arguments.labelOf("x"), arguments.functionOf("x"),
                 "float32 or float64", describe(arguments["x"]));
  return emitter.like<Op>(arguments.callRange(), x);
}

#define FLOAT_FUNCTION(name, Op)                                                                   \
  Value name##Builtin(Emitter &emitter, const Arguments &arguments) {                              \
    return floatFunction<Op>(emitter, arguments);                                                  \
  }
FLOAT_FUNCTION(ceil, math::CeilOp)
FLOAT_FUNCTION(floor, math::FloorOp)
FLOAT_FUNCTION(exp, math::ExpOp)
FLOAT_FUNCTION(exp2, math::Exp2Op)
FLOAT_FUNCTION(log, math::LogOp)
FLOAT_FUNCTION(log2, math::Log2Op)
FLOAT_FUNCTION(sin, math::SinOp)
FLOAT_FUNCTION(cos, math::CosOp)
FLOAT_FUNCTION(sqrt, math::SqrtOp)
FLOAT_FUNCTION(rsqrt, math::RsqrtOp)
FLOAT_FUNCTION(erf, math::ErfOp)
#undef FLOAT_FUNCTION

Value sqrt_rnBuiltin(Emitter &emitter, const Arguments &arguments) {
  Value root = sqrtBuiltin(emitter, arguments);
  tile::makeExact(root.as<Tensor>()->value);
  return root;
}

static void requireFloat(const Arguments &arguments, std::string_view name, const Tensor &value,
                         std::string_view expected, bool mayBeNarrow) {
  bool isWide = value.dtype() == DType::Float32 || value.dtype() == DType::Float64;
  if (!isFloat(value.dtype()) || !(mayBeNarrow || isWide))
    arguments.failType(name, expected);
}

/// The quotient of floats of a common type.
static Tensor quotient(Emitter &emitter, const Arguments &arguments, bool mayBeNarrow) {
  std::string_view expected = mayBeNarrow ? "a float" : "float32 or float64";
  for (const char *name : {"x", "y"})
    if (const auto *tensor = arguments[name].as<Tensor>(); tensor && !tensor->isPointer())
      requireFloat(arguments, name, *tensor, expected, mayBeNarrow);
  OperandPair pair = emitter.promoteOperands(arguments["x"], arguments["y"], /*isDivision=*/true,
                                             arguments.function(), arguments.callRange());
  requireFloat(arguments, "x", pair.lhs, expected, mayBeNarrow);
  return emitter.like<arith::DivFOp>(arguments.callRange(), pair.lhs, pair.rhs);
}

Value div_rnBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor result = quotient(emitter, arguments, /*mayBeNarrow=*/false);
  tile::makeExact(result.value);
  return result;
}

Value fdivBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor result = quotient(emitter, arguments, /*mayBeNarrow=*/true);
  bool isExact = arguments.flag("ieee_rounding");
  if (arguments.flag("approx")) { // allows less than what a quotient is here anyway
    if (isExact)
      arguments.failValue("approx", "False beside ieee_rounding=True");
    if (result.dtype() != DType::Float32)
      arguments.failValue("approx", "False where the quotient is no float32");
  }
  if (isExact)
    tile::makeExact(result.value);
  return result;
}

Value fmaBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  std::string_view name = arguments.function();
  OperandPair factors = emitter.promoteOperands(arguments["x"], arguments["y"], false, name, range);
  OperandPair first = emitter.promoteOperands(factors.lhs, arguments["z"], false, name, range);
  OperandPair second = emitter.promoteOperands(factors.rhs, first.rhs, false, name, range);
  Tensor x = emitter.broadcast(first.lhs, second.lhs, range).lhs;
  requireFloat(arguments, "x", x, "a float", true);
  return emitter.like<math::FmaOp>(range, x, second.lhs, second.rhs);
}

Value umulhiBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  for (const char *name : {"x", "y"})
    if (Tensor value = arguments.tensor(name);
        value.isPointer() || !isInteger(value.dtype()) || bitWidth(value.dtype()) < 32)
      arguments.failType(name, "an integer of 32 or 64 bits");
  OperandPair pair =
      emitter.promoteOperands(arguments["x"], arguments["y"], false, "umulhi", range);
  auto product = arith::MulUIExtendedOp::create(emitter.builder, emitter.locate(range),
                                                pair.lhs.value, pair.rhs.value);
  return Tensor{product.getHigh(), pair.lhs.type};
}

Value absBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  // Of a literal too it is a value with a type, though a known one.
  const auto *number = arguments["x"].as<ConstantValue>();
  if (number && sema::asNumber(*number)) {
    ConstantValue size = *number;
    if (const double *real = std::get_if<double>(number))
      size = std::fabs(*real);
    else if (sema::Integer integer = *sema::asInteger(*number); integer < 0)
      size = -integer;
    if (emitter.frame->isHost)
      return size;
    return emitter.constant(size, {sema::typeOfLiteral(*number)}, range);
  }
  Tensor x = arguments.tensor("x");
  if (x.isPointer())
    arguments.failType("x", "a number");
  // Without a conversion, which would lose infinities.
  if (isFloat(x.dtype()) && bitWidth(x.dtype()) == 8 && formatOf(x.dtype()).hasNegativeZero()) {
    Tensor bits = emitter.bitcast(x, {DType::UInt8}, range);
    Value size = emitter.binary(ast::BinaryOp::And, bits, integerValue(0x7f), range);
    return emitter.bitcast(*size.as<Tensor>(), x.type.scalar, range);
  }
  if (isFloat(x.dtype()))
    return emitter.like<math::AbsFOp>(range, x);
  return isSigned(x.dtype()) ? emitter.like<math::AbsIOp>(range, x) : x;
}

static Value logicalMethod(Emitter &emitter, const Arguments &arguments, ast::BoolOp op) {
  SourceRange range = arguments.callRange();
  return emitter.logical(op, emitter.notZero(arguments.tensor("self"), range),
                         emitter.notZero(arguments.tensor("other"), range), range);
}

Value logical_andBuiltin(Emitter &emitter, const Arguments &arguments) {
  return logicalMethod(emitter, arguments, ast::BoolOp::And);
}
Value logical_orBuiltin(Emitter &emitter, const Arguments &arguments) {
  return logicalMethod(emitter, arguments, ast::BoolOp::Or);
}

Value whereBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor condition = emitter.notZero(arguments.tensor("condition"), range);
  const auto *x = arguments["x"].as<Tensor>(), *y = arguments["y"].as<Tensor>();
  bool arePointers = x && y && x->isPointer() && x->type.scalar == y->type.scalar;
  OperandPair pair =
      arePointers ? emitter.broadcast(*x, *y, range)
                  : emitter.promoteOperands(arguments["x"], arguments["y"], false, "where", range);
  if (!condition.isTile()) // one bit chooses between whole tiles
    return Tensor{
        emitter.make<arith::SelectOp>(range, condition.value, pair.lhs.value, pair.rhs.value),
        pair.lhs.type};
  sema::Shape shape = emitter.commonShape(condition.shape(), pair.lhs.shape(), range);
  for (Tensor *tensor : {&condition, &pair.lhs, &pair.rhs})
    *tensor = emitter.broadcastTo(*tensor, shape, range);
  return Tensor{
      emitter.make<arith::SelectOp>(range, condition.value, pair.lhs.value, pair.rhs.value),
      pair.lhs.type};
}

static Value minimumOrMaximum(Emitter &emitter, const Arguments &arguments, bool isMaximum) {
  arguments.tensor("x");
  arguments.tensor("y");
  return emitter.minimumOrMaximum(isMaximum, arguments["x"], arguments["y"],
                                  arguments.flag("propagate_nan"), arguments.callRange());
}

Value minimumBuiltin(Emitter &emitter, const Arguments &arguments) {
  return minimumOrMaximum(emitter, arguments, false);
}
Value maximumBuiltin(Emitter &emitter, const Arguments &arguments) {
  return minimumOrMaximum(emitter, arguments, true);
}

Value clampBuiltin(Emitter &emitter, const Arguments &arguments) {
  for (const char *name : {"x", "min", "max"})
    if (Tensor value = arguments.tensor(name);
        value.isPointer() || (!isFloat(value.dtype()) && std::string_view(name) == "x"))
      arguments.failType(name, "a float");
  bool propagatesNan = arguments.flag("propagate_nan");
  SourceRange range = arguments.callRange();
  Tensor bounded = emitter.minimumOrMaximum(/*isMaximum=*/true, arguments["x"], arguments["min"],
                                            propagatesNan, range);
  return emitter.minimumOrMaximum(/*isMaximum=*/false, bounded, arguments["max"], propagatesNan,
                                  range);
}

/// Python's min and max: of constants a constant, else minimum and maximum pair by pair.
static Value leastOrGreatest(Emitter &emitter, const Arguments &arguments, bool isMaximum) {
  std::vector<Value> values = arguments.elements("args");
  if (values.empty())
    fail(arguments.callRange(), DiagnosticId::missing_argument, "args", arguments.function());
  SourceRange range = arguments.callRange();
  bool areConstants =
      llvm::all_of(values, [](const Value &value) { return value.is<ConstantValue>(); });
  Value best = values.front();
  for (const Value &value : llvm::drop_begin(values)) {
    if (!areConstants) {
      best = emitter.minimumOrMaximum(isMaximum, best, value, false, range);
      continue;
    }
    auto op = isMaximum ? ast::CompareOp::Gt : ast::CompareOp::Lt;
    if (sema::fold(op, *value.as<ConstantValue>(), *best.as<ConstantValue>(), range))
      best = value;
  }
  return best;
}

Value minBuiltin(Emitter &emitter, const Arguments &arguments) {
  return leastOrGreatest(emitter, arguments, false);
}
Value maxBuiltin(Emitter &emitter, const Arguments &arguments) {
  return leastOrGreatest(emitter, arguments, true);
}

namespace {

/// Floats of 8 bits may be summed in as few digits as tensor cores keep (tf32), unless the author
/// says that only so many products may be: then all are in the accumulator's type.
tile::DotPrecision precisionOfFloat8(const Arguments &arguments, int64_t depth) {
  if (arguments.isNone("max_num_imprecise_acc"))
    return tile::DotPrecision::Tf32;
  sema::Integer most = arguments.integer("max_num_imprecise_acc");
  if (most > depth)
    arguments.failValue("max_num_imprecise_acc",
                        "at most " + std::to_string(depth) + ", as many as are summed,");
  return most < depth ? tile::DotPrecision::Ieee : tile::DotPrecision::Tf32;
}

tile::DotPrecision precisionOf(const Arguments &arguments) {
  std::string text = arguments.text("input_precision");
  if (!arguments.isNone("allow_tf32")) {
    if (!text.empty())
      fail(arguments.range("allow_tf32"), DiagnosticId::duplicate_argument, "input_precision",
           "dot");
    text = arguments.flag("allow_tf32") ? "tf32" : "ieee";
  }
  if (text.empty())
    return tile::DotPrecision::Tf32;
  auto precision = tile::symbolizeDotPrecision(text);
  if (!precision)
    arguments.failValue("input_precision", "'ieee', 'tf32', 'tf32x3', 'bf16x3' or 'bf16x6'");
  return *precision;
}

/// What out_dtype says, or else the accumulator.
sema::ScalarType outType(const Arguments &arguments) {
  if (!arguments.isNone("out_dtype"))
    return arguments.dtype("out_dtype");
  bool isHalf = !arguments.isNone("acc") &&
                arguments.tile("acc").type.scalar == sema::ScalarType{DType::Float16};
  return {isHalf ? DType::Float16 : DType::Float32};
}

/// The type in which products are summed.
DType accumulatorType(const Arguments &arguments, DType element) {
  sema::ScalarType out = outType(arguments);
  if (element == DType::Int8)
    return DType::Int32;
  // Products of these are of one type, whatever float is asked for.
  bool isOfOneType = llvm::is_contained({DType::Float32, DType::BFloat16, DType::Float64}, element);
  bool isTooWide = out.dtype == DType::Float64 && !isOfOneType;
  if (out.isPointer || !isFloat(out.dtype) || out.dtype == DType::BFloat16 || isTooWide)
    failWithNote(arguments.range("out_dtype"), {{}, "convert the product with .to(...)"},
                 DiagnosticId::argument_value, "out_dtype", "dot", "float32 or float16",
                 describe(arguments["out_dtype"]));
  if (element == DType::Float64)
    return DType::Float64;
  bool mayBeHalf = element == DType::Float16 || isFloat8(element);
  return mayBeHalf && out.dtype == DType::Float16 ? DType::Float16 : DType::Float32;
}

/// The product's shape; (M, K) by (K, N), perhaps with common batch dimensions in front.
sema::Shape productShape(const Tensor &lhs, const Tensor &rhs, SourceRange range) {
  size_t rank = lhs.shape().size();
  auto batches = [&](const Tensor &factor) {
    return llvm::ArrayRef<int64_t>(factor.shape()).drop_back(2);
  };
  bool fits = rank >= 2 && rhs.shape().size() == rank && batches(lhs) == batches(rhs) &&
              lhs.shape()[rank - 1] == rhs.shape()[rank - 2];
  if (!fits)
    failWithNote(range, {{}, "(M, K) by (K, N) or (B, M, K) by (B, K, N) fit"},
                 DiagnosticId::dot_shapes, sema::toString(lhs.shape()),
                 sema::toString(rhs.shape()));
  sema::Shape shape = lhs.shape();
  shape[rank - 1] = rhs.shape()[rank - 1];
  return shape;
}

/// Several batch dimensions as one.
Tensor withOneBatch(Emitter &emitter, const Tensor &tile, SourceRange range) {
  llvm::ArrayRef<int64_t> shape = tile.shape();
  if (shape.size() <= 3)
    return tile;
  int64_t batch = 1;
  for (int64_t extent : shape.drop_back(2))
    batch *= extent;
  return emitter.reshape(tile, {batch, shape[shape.size() - 2], shape.back()}, range);
}

} // namespace

Value dotBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor lhs = arguments.tile("input"), rhs = arguments.tile("other");
  SourceRange range = arguments.callRange();
  bool isKnown = !lhs.isPointer() && (isFloat(lhs.dtype()) || lhs.dtype() == DType::Int8);
  bool areFloat8 = !rhs.isPointer() && isFloat8(lhs.dtype()) && isFloat8(rhs.dtype());
  if (!isKnown || (lhs.type.scalar != rhs.type.scalar && !areFloat8))
    failWithNote(range, {{}, "both must be of one type, a float or int8, or floats of 8 bits"},
                 DiagnosticId::dot_types, sema::toString(lhs.type.scalar),
                 sema::toString(rhs.type.scalar));
  sema::ValueType type{{accumulatorType(arguments, lhs.dtype())}, productShape(lhs, rhs, range)};
  if (isSoftwareFloat(lhs.dtype()) || isSoftwareFloat(rhs.dtype())) {
    lhs = emitter.cast(lhs, {DType::Float16}, range);
    rhs = emitter.cast(rhs, {DType::Float16}, range);
  }
  emitter.checkShape(type.shape, range);
  Tensor accumulator;
  if (arguments.isNone("acc")) {
    Tensor zero = emitter.constant(ConstantValue(sema::Integer(0)), type.scalar, range);
    accumulator = emitter.splat(zero, type.shape, range);
  } else {
    accumulator = arguments.tile("acc");
    if (accumulator.type != type)
      arguments.failType("acc", "a " + sema::toString(type));
  }
  tile::DotPrecision precision = precisionOf(arguments);
  if (areFloat8)
    precision = precisionOfFloat8(arguments, lhs.shape().back());
  auto factor = [&](const Tensor &tile) { return withOneBatch(emitter, tile, range); };
  Tensor sum = factor(accumulator);
  Tensor product{
      emitter.make<tile::DotOp>(range, factor(lhs).value, factor(rhs).value, sum.value, precision),
      sum.type};
  return product.shape() == type.shape ? product : emitter.reshape(product, type.shape, range);
}

} // namespace nereid::emit
