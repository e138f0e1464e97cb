// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's functions of numbers, which are called for each element of arrays (WholeArrays.cpp).
#include "frontend/emit/Arguments.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/threads/Operators.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

namespace nereid::emit {

using namespace mlir;
using namespace threads;

static const Value &numeric(const Arguments &arguments, std::string_view name) {
  if (!partFor(arguments[name]))
    arguments.failType(name, "a number");
  return arguments[name];
}

static Tensor chosen(Emitter &emitter, const Tensor &where, const Tensor &yes, const Tensor &no,
                     SourceRange range) {
  return {emitter.make<arith::SelectOp>(range, where.value, yes.value, no.value), yes.type};
}

#define NUMPY_BINARY(id, op)                                                                       \
  Value numpy##id##Builtin(Emitter &emitter, const Arguments &arguments) {                         \
    return emitter.binary(ast::BinaryOp::op, numeric(arguments, "x1"), numeric(arguments, "x2"),   \
                          arguments.callRange());                                                  \
  }
NUMPY_BINARY(Add, Add)
NUMPY_BINARY(Subtract, Sub)
NUMPY_BINARY(Multiply, Mul)
NUMPY_BINARY(Divide, Div)
NUMPY_BINARY(TrueDivide, Div)
NUMPY_BINARY(FloorDivide, FloorDiv)
NUMPY_BINARY(Remainder, Mod)
NUMPY_BINARY(Mod, Mod)
NUMPY_BINARY(Power, Pow)
NUMPY_BINARY(BitwiseAnd, And)
NUMPY_BINARY(BitwiseOr, Or)
NUMPY_BINARY(BitwiseXor, Xor)
NUMPY_BINARY(LeftShift, Shl)
NUMPY_BINARY(RightShift, Shr)
#undef NUMPY_BINARY

/// Complex numbers by their real parts, and where these are equal by the others, as NumPy orders
/// them.
static Tensor ordered(Emitter &emitter, ast::CompareOp op, const Value &lhs, const Value &rhs,
                      SourceRange range) {
  auto part = commonPart(lhs, rhs);
  bool isEquality = op == ast::CompareOp::Eq || op == ast::CompareOp::Ne;
  if (!part || isEquality)
    return emitter.toTensor(emitter.compare(op, lhs, rhs, range), range);
  Complex x = toComplex(emitter, lhs, *part, range), y = toComplex(emitter, rhs, *part, range);
  bool isLess = op == ast::CompareOp::Lt || op == ast::CompareOp::Le;
  auto compare = [&](ast::CompareOp by, const Tensor &a, const Tensor &b) {
    return emitter.compareSame(by, {a, b}, range);
  };
  auto both = [&](const Tensor &a, const Tensor &b) {
    return emitter.like<arith::AndIOp>(range, a, b);
  };
  Tensor isBeyond = compare(isLess ? ast::CompareOp::Lt : ast::CompareOp::Gt, x.real, y.real);
  Tensor isTied = both(compare(ast::CompareOp::Eq, x.real, y.real), compare(op, x.imag, y.imag));
  Tensor areNumbers = both(compare(ast::CompareOp::Eq, x.imag, x.imag),
                           compare(ast::CompareOp::Eq, y.imag, y.imag));
  return emitter.like<arith::OrIOp>(range, both(isBeyond, areNumbers), isTied);
}

#define NUMPY_COMPARE(id, op)                                                                      \
  Value numpy##id##Builtin(Emitter &emitter, const Arguments &arguments) {                         \
    return ordered(emitter, ast::CompareOp::op, numeric(arguments, "x1"),                          \
                   numeric(arguments, "x2"), arguments.callRange());                               \
  }
NUMPY_COMPARE(Greater, Gt)
NUMPY_COMPARE(GreaterEqual, Ge)
NUMPY_COMPARE(Less, Lt)
NUMPY_COMPARE(LessEqual, Le)
NUMPY_COMPARE(Equal, Eq)
NUMPY_COMPARE(NotEqual, Ne)
#undef NUMPY_COMPARE

static Tensor truth(Emitter &emitter, const Arguments &arguments, std::string_view name) {
  const Value &value = numeric(arguments, name);
  if (auto holds = complexTruth(emitter, value, arguments.range(name)))
    return {*holds, {{DType::Int1}, {}}};
  return emitter.notZero(arguments.tensor(name), arguments.range(name));
}

#define NUMPY_LOGICAL(id, Op)                                                                      \
  Value numpyLogical##id##Builtin(Emitter &emitter, const Arguments &arguments) {                  \
    return emitter.like<Op>(arguments.callRange(), truth(emitter, arguments, "x1"),                \
                            truth(emitter, arguments, "x2"));                                      \
  }
NUMPY_LOGICAL(And, arith::AndIOp)
NUMPY_LOGICAL(Or, arith::OrIOp)
NUMPY_LOGICAL(Xor, arith::XOrIOp)
#undef NUMPY_LOGICAL
Value numpyLogicalNotBuiltin(Emitter &emitter, const Arguments &arguments) {
  return emitter.logicalNot(truth(emitter, arguments, "x"), arguments.callRange());
}

static Tensor isNoNumber(Emitter &emitter, const Tensor &part, SourceRange range) {
  return emitter.compareSame(ast::CompareOp::Ne, {part, part}, range);
}
static Tensor isNoNumber(Emitter &emitter, const Complex &number, SourceRange range) {
  return emitter.like<arith::OrIOp>(range, isNoNumber(emitter, number.real, range),
                                    isNoNumber(emitter, number.imag, range));
}

/// The one that is no number first, if `keepsNan`, else the other.
static Value complexExtremum(Emitter &emitter, const Complex &x, const Complex &y,
                             ast::CompareOp isBetter, bool keepsNan, SourceRange range) {
  Tensor xIsNone = isNoNumber(emitter, x, range), yIsNone = isNoNumber(emitter, y, range);
  Tensor isFirst = ordered(emitter, isBetter, complexValue(x), complexValue(y), range);
  auto either = [&](const Tensor &a, const Tensor &b) {
    return emitter.like<arith::OrIOp>(range, a, b);
  };
  Tensor takesFirst = keepsNan ? either(xIsNone, isFirst)
                               : chosen(emitter, xIsNone, yIsNone, either(yIsNone, isFirst), range);
  return complexValue({chosen(emitter, takesFirst, x.real, y.real, range),
                       chosen(emitter, takesFirst, x.imag, y.imag, range)});
}

template <typename FloatOp>
static Value extremumOf(Emitter &emitter, const Arguments &arguments, ast::CompareOp isBetter,
                        bool keepsNan) {
  SourceRange range = arguments.callRange();
  const Value &x = numeric(arguments, "x1"), &y = numeric(arguments, "x2");
  if (auto part = commonPart(x, y))
    return complexExtremum(emitter, toComplex(emitter, x, *part, range),
                           toComplex(emitter, y, *part, range), isBetter, keepsNan, range);
  OperandPair pair = *unify(emitter, x, y, range);
  if (isFloat(pair.lhs.dtype()))
    return emitter.like<FloatOp>(range, pair.lhs, pair.rhs);
  return chosen(emitter, emitter.compareSame(isBetter, pair, range), pair.lhs, pair.rhs, range);
}
Value numpyMaximumBuiltin(Emitter &emitter, const Arguments &arguments) {
  return extremumOf<arith::MaximumFOp>(emitter, arguments, ast::CompareOp::Ge, true);
}
Value numpyMinimumBuiltin(Emitter &emitter, const Arguments &arguments) {
  return extremumOf<arith::MinimumFOp>(emitter, arguments, ast::CompareOp::Le, true);
}
Value numpyFmaxBuiltin(Emitter &emitter, const Arguments &arguments) {
  return extremumOf<arith::MaxNumFOp>(emitter, arguments, ast::CompareOp::Ge, false);
}
Value numpyFminBuiltin(Emitter &emitter, const Arguments &arguments) {
  return extremumOf<arith::MinNumFOp>(emitter, arguments, ast::CompareOp::Le, false);
}

#define NUMPY_UNARY(id, op)                                                                        \
  Value numpy##id##Builtin(Emitter &emitter, const Arguments &arguments) {                         \
    return emitter.unary(ast::UnaryOp::op, numeric(arguments, "x"), arguments.callRange());        \
  }
NUMPY_UNARY(Negative, Minus)
NUMPY_UNARY(Positive, Plus)
#undef NUMPY_UNARY

/// Of a truth value the other one, where Python's ~ makes a number of it.
Value numpyInvertBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor value = arguments.tensor("x");
  if (isBool(value.dtype()))
    return emitter.logicalNot(value, arguments.callRange());
  return emitter.unary(ast::UnaryOp::Invert, numeric(arguments, "x"), arguments.callRange());
}
Value numpyBitwiseNotBuiltin(Emitter &emitter, const Arguments &arguments) {
  return numpyInvertBuiltin(emitter, arguments);
}

Value numpySquareBuiltin(Emitter &emitter, const Arguments &arguments) {
  const Value &x = numeric(arguments, "x");
  return emitter.binary(ast::BinaryOp::Mul, x, x, arguments.callRange());
}
Value numpyReciprocalBuiltin(Emitter &emitter, const Arguments &arguments) {
  return emitter.binary(ast::BinaryOp::Div, integerValue(1), numeric(arguments, "x"),
                        arguments.callRange());
}
Value numpyConjugateBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  auto number = complexOf(numeric(arguments, "x"));
  if (!number)
    return arguments["x"];
  return complexValue({number->real, emitter.like<arith::NegFOp>(range, number->imag)});
}
Value numpyConjBuiltin(Emitter &emitter, const Arguments &arguments) {
  return numpyConjugateBuiltin(emitter, arguments);
}

static Tensor real(const Arguments &arguments) {
  if (!isNumber(arguments["x"]) || isPointer(arguments["x"]))
    arguments.failType("x", "a real number");
  return arguments.tensor("x");
}

/// Of what is no number, itself.
Value numpySignBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor x = real(arguments);
  auto number = [&](int64_t value) {
    return emitter.constant(sema::ConstantValue(sema::Integer(value)), x.type.scalar, range);
  };
  auto compare = [&](ast::CompareOp op) { return emitter.compareSame(op, {x, number(0)}, range); };
  Tensor rest = chosen(emitter, compare(ast::CompareOp::Lt), number(-1), x, range);
  rest = chosen(emitter, compare(ast::CompareOp::Eq), number(0), rest, range);
  return chosen(emitter, compare(ast::CompareOp::Gt), number(1), rest, range);
}

template <typename Op> static Value whole(Emitter &emitter, const Arguments &arguments) {
  Tensor x = real(arguments);
  return isFloat(x.dtype()) ? emitter.like<Op>(arguments.callRange(), x) : x;
}
Value numpyFloorBuiltin(Emitter &emitter, const Arguments &arguments) {
  return whole<math::FloorOp>(emitter, arguments);
}
Value numpyCeilBuiltin(Emitter &emitter, const Arguments &arguments) {
  return whole<math::CeilOp>(emitter, arguments);
}
Value numpyTruncBuiltin(Emitter &emitter, const Arguments &arguments) {
  return whole<math::TruncOp>(emitter, arguments);
}

/// A function of `math`, or, of a complex number, one of `cmath`.
static Value calledFrom(Emitter &emitter, const Arguments &arguments, const char *module,
                        const char *name) {
  return emitter.call(*emitter.builtinOf(module, name),
                      {{"", numeric(arguments, "x"), arguments.range("x")}}, arguments.callRange());
}

#define NUMPY_TEST(id, name)                                                                       \
  Value numpy##id##Builtin(Emitter &emitter, const Arguments &arguments) {                         \
    bool isComplex = complexOf(arguments["x"]).has_value();                                        \
    return calledFrom(emitter, arguments, isComplex ? "cmath" : "math", #name);                    \
  }
NUMPY_TEST(IsNan, isnan)
NUMPY_TEST(IsInf, isinf)
NUMPY_TEST(IsFinite, isfinite)
#undef NUMPY_TEST
Value numpyDeg2radBuiltin(Emitter &emitter, const Arguments &arguments) {
  return calledFrom(emitter, arguments, "math", "radians");
}
Value numpyRad2degBuiltin(Emitter &emitter, const Arguments &arguments) {
  return calledFrom(emitter, arguments, "math", "degrees");
}

static Value realFunction(Emitter &emitter, const Arguments &arguments, const char *device) {
  return emitter.callDevice(*sema::findDeviceFunction(device),
                            {{"", numeric(arguments, "x"), arguments.range("x")}},
                            arguments.callRange());
}

#define NUMPY_FUNCTION(id, name)                                                                   \
  Value numpy##id##Builtin(Emitter &emitter, const Arguments &arguments) {                         \
    return complexOf(arguments["x"]) ? calledFrom(emitter, arguments, "cmath", #name)              \
                                     : realFunction(emitter, arguments, #name);                    \
  }
NUMPY_FUNCTION(Sin, sin)
NUMPY_FUNCTION(Cos, cos)
NUMPY_FUNCTION(Tan, tan)
NUMPY_FUNCTION(Arcsin, asin)
NUMPY_FUNCTION(Arccos, acos)
NUMPY_FUNCTION(Arctan, atan)
NUMPY_FUNCTION(Sinh, sinh)
NUMPY_FUNCTION(Cosh, cosh)
NUMPY_FUNCTION(Tanh, tanh)
NUMPY_FUNCTION(Arcsinh, asinh)
NUMPY_FUNCTION(Arccosh, acosh)
NUMPY_FUNCTION(Arctanh, atanh)
NUMPY_FUNCTION(Exp, exp)
NUMPY_FUNCTION(Log, log)
NUMPY_FUNCTION(Log10, log10)
NUMPY_FUNCTION(Sqrt, sqrt)
#undef NUMPY_FUNCTION

Value numpyLog2Builtin(Emitter &emitter, const Arguments &arguments) {
  if (!complexOf(arguments["x"]))
    return realFunction(emitter, arguments, "log2");
  SourceRange range = arguments.callRange();
  Complex natural = *complexOf(calledFrom(emitter, arguments, "cmath", "log"));
  Tensor scale =
      castNumber(emitter, sema::ConstantValue(std::numbers::log2e), natural.part(), range);
  return complexValue({emitter.like<arith::MulFOp>(range, natural.real, scale),
                       emitter.like<arith::MulFOp>(range, natural.imag, scale)});
}

} // namespace nereid::emit
