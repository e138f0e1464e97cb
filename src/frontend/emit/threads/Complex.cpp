// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/threads/Complex.h"

#include "frontend/emit/names/LibraryModules.h"
#include "frontend/emit/threads/Operators.h"
#include "frontend/sema/ThreadTypes.h"

namespace nereid::emit::threads {

using namespace mlir;
using ast::BinaryOp;

namespace {

const std::shared_ptr<const RecordType> &typeOfParts(DType part) {
  auto make = [](const char *name) {
    return std::make_shared<const RecordType>(
        RecordType{name, {"real", "imag"}, nullptr, nullptr, SourceRange()});
  };
  static const std::shared_ptr<const RecordType> narrow = make("complex64"),
                                                 wide = make("complex128");
  return part == DType::Float32 ? narrow : wide;
}

/// Arithmetic of parts at one place of the text.
struct Parts {
  Emitter &emitter;
  SourceRange range;

  Tensor add(const Tensor &x, const Tensor &y) const {
    return emitter.like<arith::AddFOp>(range, x, y);
  }
  Tensor subtract(const Tensor &x, const Tensor &y) const {
    return emitter.like<arith::SubFOp>(range, x, y);
  }
  Tensor multiply(const Tensor &x, const Tensor &y) const {
    return emitter.like<arith::MulFOp>(range, x, y);
  }
  Tensor divide(const Tensor &x, const Tensor &y) const {
    return emitter.like<arith::DivFOp>(range, x, y);
  }
  Tensor negate(const Tensor &x) const { return emitter.like<arith::NegFOp>(range, x); }
  Tensor choose(const Tensor &holds, const Tensor &x, const Tensor &y) const {
    return {emitter.make<arith::SelectOp>(range, holds.value, x.value, y.value), x.type};
  }
};

Complex complexProduct(const Parts &parts, const Complex &x, const Complex &y) {
  return {parts.subtract(parts.multiply(x.real, y.real), parts.multiply(x.imag, y.imag)),
          parts.add(parts.multiply(x.real, y.imag), parts.multiply(x.imag, y.real))};
}

/// By the part of the divisor that is larger, so that nothing overflows before the quotient does
/// (Smith, Algorithm 116, 1962).
Complex complexQuotient(const Parts &parts, const Complex &x, const Complex &y) {
  auto size = [&](const Tensor &part) {
    return parts.emitter.like<math::AbsFOp>(parts.range, part);
  };
  Tensor isTurned =
      parts.emitter.compareSame(ast::CompareOp::Lt, {size(y.real), size(y.imag)}, parts.range);
  auto choose = [&](const Tensor &a, const Tensor &b) { return parts.choose(isTurned, a, b); };
  Tensor large = choose(y.imag, y.real), small = choose(y.real, y.imag);
  Tensor ratio = parts.divide(small, large);
  Tensor divisor = parts.add(large, parts.multiply(small, ratio));
  auto times = [&](const Tensor &part) { return parts.multiply(part, ratio); };
  Tensor real = choose(parts.add(times(x.real), x.imag), parts.add(x.real, times(x.imag)));
  Tensor imag =
      choose(parts.subtract(times(x.imag), x.real), parts.subtract(x.imag, times(x.real)));
  return {parts.divide(real, divisor), parts.divide(imag, divisor)};
}

/// x ** n for an integer from 1 on that is known, by squaring.
Complex repeatedProduct(const Parts &parts, Complex base, uint64_t power) {
  std::optional<Complex> result;
  for (; power; power >>= 1) {
    if (power & 1)
      result = result ? complexProduct(parts, *result, base) : base;
    if (power > 1)
      base = complexProduct(parts, base, base);
  }
  return *result;
}

Value complexPower(Emitter &emitter, const Complex &x, const Complex &y, const Value &exponent,
                   SourceRange range) {
  constexpr sema::Integer most = 64;
  auto constant = asConstant(exponent);
  auto known = constant ? sema::asInteger(*constant) : std::nullopt;
  if (known && *known > 0 && *known <= most)
    return complexValue(repeatedProduct({emitter, range}, x, static_cast<uint64_t>(*known)));
  auto wide = [&](const Tensor &part) { return emitter.cast(part, {DType::Float64}, range); };
  Value result = callLibrary(emitter, "complex_pow",
                             {wide(x.real), wide(x.imag), wide(y.real), wide(y.imag)}, range);
  const auto &parts = result.as<Tuple>()->elements;
  return complexValue({emitter.cast(*parts[0].as<Tensor>(), {x.part()}, range),
                       emitter.cast(*parts[1].as<Tensor>(), {x.part()}, range)});
}

[[noreturn]] void failParts(std::string_view op, const Value &lhs, const Value &rhs,
                            SourceRange range) {
  fail(range, DiagnosticId::operand_types, op, describe(lhs), describe(rhs));
}

/// Both as complex numbers of one type; nothing where none is complex.
std::optional<std::pair<Complex, Complex>> broughtComplex(Emitter &emitter, std::string_view op,
                                                          const Value &lhs, const Value &rhs,
                                                          SourceRange range) {
  if (!complexOf(lhs) && !complexOf(rhs))
    return std::nullopt;
  auto part = commonPart(lhs, rhs);
  if (!part)
    failParts(op, lhs, rhs, range);
  return std::pair(toComplex(emitter, lhs, *part, range), toComplex(emitter, rhs, *part, range));
}

} // namespace

std::optional<Complex> complexOf(const Value &value) {
  const auto *tuple = value.as<Tuple>();
  bool isComplex = tuple && tuple->record &&
                   (tuple->record == typeOfParts(DType::Float32) ||
                    tuple->record == typeOfParts(DType::Float64));
  if (!isComplex)
    return std::nullopt;
  return Complex{*tuple->elements[0].as<Tensor>(), *tuple->elements[1].as<Tensor>()};
}

Value complexValue(const Complex &number) {
  return Tuple{{number.real, number.imag}, typeOfParts(number.part())};
}

std::optional<DType> partFor(const Value &number) {
  if (auto complex = complexOf(number))
    return complex->part();
  if (!isNumber(number) || isPointer(number))
    return std::nullopt;
  const auto *tensor = number.as<Tensor>();
  DType type =
      tensor ? tensor->dtype() : sema::threadLiteralType(*number.as<sema::ConstantValue>());
  bool isWide = isFloat(type) ? type == DType::Float64
                              : byteSize(type) > (isSigned(type) || isBool(type) ? 2 : 1);
  return isWide ? DType::Float64 : DType::Float32;
}

std::optional<DType> commonPart(const Value &lhs, const Value &rhs) {
  auto left = partFor(lhs), right = partFor(rhs);
  if ((!complexOf(lhs) && !complexOf(rhs)) || !left || !right)
    return std::nullopt;
  return *left == *right ? *left : DType::Float64;
}

std::optional<mlir::Value> complexTruth(Emitter &emitter, const Value &value, SourceRange range) {
  if (!complexOf(value))
    return std::nullopt;
  Value holds = *complexCompare(emitter, ast::CompareOp::Ne, value, integerValue(0), range);
  return holds.as<Tensor>()->value;
}

Complex toComplex(Emitter &emitter, const Value &number, DType part, SourceRange range) {
  if (auto complex = complexOf(number))
    return {emitter.cast(complex->real, {part}, range), emitter.cast(complex->imag, {part}, range)};
  return {castNumber(emitter, number, part, range),
          castNumber(emitter, sema::ConstantValue(0.0), part, range)};
}

std::optional<Value> complexBinary(Emitter &emitter, BinaryOp op, const Value &lhs,
                                   const Value &rhs, SourceRange range) {
  auto pair = broughtComplex(emitter, spelling(op), lhs, rhs, range);
  if (!pair)
    return std::nullopt;
  const auto &[x, y] = *pair;
  Parts parts{emitter, range};
  switch (op) {
  case BinaryOp::Add:
    return complexValue({parts.add(x.real, y.real), parts.add(x.imag, y.imag)});
  case BinaryOp::Sub:
    return complexValue({parts.subtract(x.real, y.real), parts.subtract(x.imag, y.imag)});
  case BinaryOp::Mul:
    return complexValue(complexProduct(parts, x, y));
  case BinaryOp::Div:
    return complexValue(complexQuotient(parts, x, y));
  case BinaryOp::Pow:
    return complexPower(emitter, x, y, rhs, range);
  default:
    failParts(spelling(op), lhs, rhs, range);
  }
}

std::optional<Value> complexCompare(Emitter &emitter, ast::CompareOp op, const Value &lhs,
                                    const Value &rhs, SourceRange range) {
  auto pair = broughtComplex(emitter, spelling(op), lhs, rhs, range);
  if (!pair)
    return std::nullopt;
  bool isEqual = op == ast::CompareOp::Eq;
  if (!isEqual && op != ast::CompareOp::Ne)
    failParts(spelling(op), lhs, rhs, range);
  Tensor real = emitter.compareSame(op, {pair->first.real, pair->second.real}, range);
  Tensor imag = emitter.compareSame(op, {pair->first.imag, pair->second.imag}, range);
  return Value(isEqual ? emitter.like<arith::AndIOp>(range, real, imag)
                       : emitter.like<arith::OrIOp>(range, real, imag));
}

std::optional<Value> complexUnary(Emitter &emitter, ast::UnaryOp op, const Value &operand,
                                  SourceRange range) {
  auto number = complexOf(operand);
  if (!number || op == ast::UnaryOp::Invert)
    return std::nullopt;
  Parts parts{emitter, range};
  return op == ast::UnaryOp::Plus
             ? operand
             : complexValue({parts.negate(number->real), parts.negate(number->imag)});
}

std::optional<Value> numberAttribute(Emitter &emitter, const Value &object, const std::string &name,
                                     SourceRange range) {
  auto complex = complexOf(object);
  const auto *tensor = object.as<Tensor>();
  if (!complex && (!tensor || tensor->isPointer()))
    return std::nullopt;
  if (name == "conjugate") {
    Value result = object;
    if (complex)
      result = complexValue({complex->real, Parts{emitter, range}.negate(complex->imag)});
    return Value(KnownResult{name, share(result)});
  }
  if (name == "bit_count" && tensor && isInteger(tensor->dtype()))
    if (auto count = emitter.builtinOf("numba.cuda", "popc"))
      return Value(BoundMethod{share(object), share(*count)});
  if (name == "view" && tensor)
    if (auto view = emitter.builtinOf("numpy.ndarray", name))
      return Value(BoundMethod{share(object), share(*view)});
  if (name == "real")
    return complex ? Value(complex->real) : object;
  if (name == "imag")
    return complex ? Value(complex->imag)
                   : Value(castNumber(emitter, sema::ConstantValue(sema::Integer(0)),
                                      tensor->dtype(), range));
  return std::nullopt;
}

Tensor sizeOf(Emitter &emitter, const Complex &number, SourceRange range) {
  Value size = emitter.callDevice(*sema::findDeviceFunction("hypot"),
                                  {{"", number.real, range}, {"", number.imag, range}}, range);
  return *size.as<Tensor>();
}

Value callLibrary(Emitter &emitter, std::string_view function, llvm::ArrayRef<Tensor> operands,
                  SourceRange range) {
  std::vector<Emitter::CallArgument> given;
  for (const Tensor &operand : operands)
    given.push_back({"", operand, range});
  return emitter.callJit(findLibraryFunction(function), std::move(given), range);
}

ArrayView asComplexArray(Emitter &emitter, ArrayView array, SourceRange range) {
  Tensor two = emitter.integer(2, DType::Int64, range);
  for (Tensor &stride : array.strides)
    stride = emitter.like<arith::MulIOp>(range, stride, two);
  array.isComplex = true;
  return array;
}

std::optional<Value> hostComplex(const sema::HostRecord &record, const Tuple &parts) {
  if (record.name == "complex number")
    return complexValue({*parts.elements[0].as<Tensor>(), *parts.elements[1].as<Tensor>()});
  bool isComplex = record.name == "complex array";
  if (!isComplex && record.name != "array without dimensions")
    return std::nullopt;
  ArrayView array = *parts.elements[0].as<ArrayView>();
  array.shape.pop_back();
  array.strides.pop_back();
  array.isComplex = isComplex;
  return Value(array);
}

} // namespace nereid::emit::threads
