// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers: complex(), the types as functions, cmath; and functions of several values.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/threads/Operators.h"

namespace nereid::emit {

using namespace mlir;
using namespace threads;

static const Value &anyNumber(const Arguments &arguments, std::string_view name) {
  if (!partFor(arguments[name]))
    arguments.failType(name, "a number");
  return arguments[name];
}

/// real + imag * 1j, with parts of this type.
static Value madeComplex(Emitter &emitter, const Arguments &arguments, std::optional<DType> part) {
  SourceRange range = arguments.callRange();
  const Value &real = anyNumber(arguments, "real"), &imag = anyNumber(arguments, "imag");
  const auto *constant = imag.as<sema::ConstantValue>();
  auto known = constant ? sema::asInteger(*constant) : std::nullopt;
  bool isOne = known == sema::Integer(0); // nothing was said of it
  if (!part)
    part = isOne                              ? *partFor(real)
           : *partFor(real) == *partFor(imag) ? *partFor(real)
                                              : DType::Float64;
  Complex x = toComplex(emitter, real, *part, range);
  if (isOne)
    return complexValue(x);
  Complex y = toComplex(emitter, imag, *part, range);
  if (!complexOf(real) && !complexOf(imag)) // zeros keep their signs
    return complexValue({x.real, y.real});
  return complexValue({emitter.like<arith::SubFOp>(range, x.real, y.imag),
                       emitter.like<arith::AddFOp>(range, x.imag, y.real)});
}

Value threadComplexBuiltin(Emitter &emitter, const Arguments &arguments) {
  return madeComplex(emitter, arguments, std::nullopt);
}
Value threadComplex64Builtin(Emitter &emitter, const Arguments &arguments) {
  return madeComplex(emitter, arguments, DType::Float32);
}
Value threadComplex128Builtin(Emitter &emitter, const Arguments &arguments) {
  return madeComplex(emitter, arguments, DType::Float64);
}

static Tensor asPart(Emitter &emitter, const Value &value, DType type, SourceRange range) {
  const auto *tensor = value.as<Tensor>();
  return tensor->dtype() == type || isBool(tensor->dtype()) ? *tensor
                                                            : emitter.cast(*tensor, {type}, range);
}

/// A function of the library on the two parts: a complex number, or a float or bool.
static Value functionOf(Emitter &emitter, const Arguments &arguments, std::string_view function) {
  SourceRange range = arguments.callRange();
  const Value &given = anyNumber(arguments, "z");
  DType type = *partFor(given);
  Complex wide = toComplex(emitter, given, DType::Float64, range);
  Value result = callLibrary(emitter, function, {wide.real, wide.imag}, range);
  const auto *parts = result.as<Tuple>();
  if (!parts)
    return asPart(emitter, result, type, range);
  if (function == "complex_polar")
    return Tuple{{asPart(emitter, parts->elements[0], type, range),
                  asPart(emitter, parts->elements[1], type, range)}};
  return complexValue({asPart(emitter, parts->elements[0], type, range),
                       asPart(emitter, parts->elements[1], type, range)});
}

#define CMATH(id, name)                                                                            \
  Value id##Builtin(Emitter &emitter, const Arguments &arguments) {                                \
    return functionOf(emitter, arguments, "complex_" #name);                                       \
  }
CMATH(cmathAcos, acos)
CMATH(cmathAcosh, acosh)
CMATH(cmathAsin, asin)
CMATH(cmathAsinh, asinh)
CMATH(cmathAtan, atan)
CMATH(cmathAtanh, atanh)
CMATH(cmathCos, cos)
CMATH(cmathCosh, cosh)
CMATH(cmathExp, exp)
CMATH(cmathIsFinite, isfinite)
CMATH(cmathIsInf, isinf)
CMATH(cmathIsNan, isnan)
CMATH(cmathLog10, log10)
CMATH(cmathPhase, phase)
CMATH(cmathPolar, polar)
CMATH(cmathSin, sin)
CMATH(cmathSinh, sinh)
CMATH(cmathSqrt, sqrt)
CMATH(cmathTan, tan)
CMATH(cmathTanh, tanh)
#undef CMATH

Value cmathLogBuiltin(Emitter &emitter, const Arguments &arguments) {
  Value result = functionOf(emitter, arguments, "complex_log");
  const Value &base = arguments["base"];
  if (base.isNone())
    return result;
  SourceRange range = arguments.callRange();
  DType type = *partFor(anyNumber(arguments, "base"));
  Complex wide = toComplex(emitter, base, DType::Float64, range);
  Value divisor = callLibrary(emitter, "complex_log", {wide.real, wide.imag}, range);
  const auto &parts = divisor.as<Tuple>()->elements;
  return *complexBinary(emitter, ast::BinaryOp::Div, result,
                        complexValue({asPart(emitter, parts[0], type, range),
                                      asPart(emitter, parts[1], type, range)}),
                        range);
}

Value cmathRectBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  const Value &size = anyNumber(arguments, "r"), &angle = anyNumber(arguments, "phi");
  if (complexOf(size) || complexOf(angle))
    arguments.failType(complexOf(size) ? "r" : "phi", "a real number");
  DType type = *partFor(size) == *partFor(angle) ? *partFor(size) : DType::Float64;
  Value result = callLibrary(emitter, "complex_rect",
                             {castNumber(emitter, size, DType::Float64, range),
                              castNumber(emitter, angle, DType::Float64, range)},
                             range);
  const auto &parts = result.as<Tuple>()->elements;
  return complexValue(
      {asPart(emitter, parts[0], type, range), asPart(emitter, parts[1], type, range)});
}

/// A function of the library that gives a tuple, for arguments of one float type; without a type,
/// that of the argument, which is a double if it is an integer.
static Value severalOf(Emitter &emitter, const Arguments &arguments, std::string_view function,
                       llvm::ArrayRef<const char *> names, std::optional<DType> type) {
  SourceRange range = arguments.callRange();
  std::vector<Tensor> given;
  for (const char *name : names) {
    const Value &value = arguments[name];
    if (!isNumber(value) || isPointer(value))
      arguments.failType(name, "a number");
    DType own = arguments.tensor(name).dtype();
    DType wanted = type ? *type : own == DType::Float32 ? own : DType::Float64;
    given.push_back(castNumber(emitter, value, wanted, range));
  }
  return callLibrary(emitter, function, given, range);
}

Value mathFrexpBuiltin(Emitter &emitter, const Arguments &arguments) {
  return severalOf(emitter, arguments, "several_frexp", {"x"}, std::nullopt);
}
Value mathModfBuiltin(Emitter &emitter, const Arguments &arguments) {
  return severalOf(emitter, arguments, "several_modf", {"x"}, std::nullopt);
}

#define SEVERAL(id, function, ...)                                                                 \
  Value id##Builtin(Emitter &emitter, const Arguments &arguments) {                                \
    return severalOf(emitter, arguments, "several_" #function, {__VA_ARGS__}, DType::Float64);     \
  }                                                                                                \
  Value id##fBuiltin(Emitter &emitter, const Arguments &arguments) {                               \
    return severalOf(emitter, arguments, "several_" #function, {__VA_ARGS__}, DType::Float32);     \
  }
SEVERAL(deviceFrexp, frexp, "x")
SEVERAL(deviceModf, modf, "x")
SEVERAL(deviceSincos, sincos, "x")
SEVERAL(deviceSincospi, sincospi, "x")
SEVERAL(deviceRemquo, remquo, "x", "y")
#undef SEVERAL
Value deviceFastSincosfBuiltin(Emitter &emitter, const Arguments &arguments) {
  return deviceSincosfBuiltin(emitter, arguments);
}

} // namespace nereid::emit
