// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuda.fp16: functions of floats of 16 bits. They are computed in wider ones and rounded once,
// which for sums, products, quotients and roots is what rounding at once gives.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/threads/Operators.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace nereid::emit {

using namespace mlir;
using namespace threads;

namespace {

/// The argument, rounded to 16 bits, in a type that has more.
Tensor widened(Emitter &emitter, const Arguments &arguments, std::string_view name,
               DType wide = DType::Float32) {
  const Value &value = arguments[name];
  if (!isNumber(value) || isPointer(value))
    arguments.failType(name, "a number");
  Tensor half = castNumber(emitter, value, DType::Float16, arguments.range(name));
  return emitter.cast(half, {wide}, arguments.range(name));
}

Value rounded(Emitter &emitter, const Arguments &arguments, const Tensor &wide) {
  return emitter.cast(wide, {DType::Float16}, arguments.callRange());
}

template <typename Op> Value unary(Emitter &emitter, const Arguments &arguments) {
  Tensor a = widened(emitter, arguments, "a");
  return rounded(emitter, arguments, emitter.like<Op>(arguments.callRange(), a));
}

template <typename Op> Value binary(Emitter &emitter, const Arguments &arguments) {
  Tensor a = widened(emitter, arguments, "a"), b = widened(emitter, arguments, "b");
  return rounded(emitter, arguments, emitter.like<Op>(arguments.callRange(), a, b));
}

Value compared(Emitter &emitter, const Arguments &arguments, ast::CompareOp op) {
  return emitter.compare(op, widened(emitter, arguments, "a"), widened(emitter, arguments, "b"),
                         arguments.callRange());
}

/// A function of libdevice.
Value computed(Emitter &emitter, const Arguments &arguments, std::string_view function) {
  SourceRange range = arguments.callRange();
  Value result = emitter.callDevice(*sema::findDeviceFunction(function),
                                    {{"", widened(emitter, arguments, "a"), range}}, range);
  return rounded(emitter, arguments, *result.as<Tensor>());
}

} // namespace

#define UNARY(name, operation)                                                                     \
  Value fp16##name##Builtin(Emitter &emitter, const Arguments &arguments) {                        \
    return unary<operation>(emitter, arguments);                                                   \
  }
UNARY(Neg, arith::NegFOp)
UNARY(Abs, math::AbsFOp)
UNARY(Floor, math::FloorOp)
UNARY(Ceil, math::CeilOp)
UNARY(Trunc, math::TruncOp)
UNARY(Rint, math::RoundEvenOp)
UNARY(Sqrt, math::SqrtOp)
#undef UNARY

#define BINARY(name, operation)                                                                    \
  Value fp16##name##Builtin(Emitter &emitter, const Arguments &arguments) {                        \
    return binary<operation>(emitter, arguments);                                                  \
  }
BINARY(Add, arith::AddFOp)
BINARY(Sub, arith::SubFOp)
BINARY(Mul, arith::MulFOp)
BINARY(Div, arith::DivFOp)
BINARY(Max, arith::MaxNumFOp)
BINARY(Min, arith::MinNumFOp)
#undef BINARY

#define COMPARED(name)                                                                             \
  Value fp16##name##Builtin(Emitter &emitter, const Arguments &arguments) {                        \
    return compared(emitter, arguments, ast::CompareOp::name);                                     \
  }
COMPARED(Eq)
COMPARED(Ne)
COMPARED(Ge)
COMPARED(Gt)
COMPARED(Le)
COMPARED(Lt)
#undef COMPARED

#define COMPUTED(name, function)                                                                   \
  Value fp16##name##Builtin(Emitter &emitter, const Arguments &arguments) {                        \
    return computed(emitter, arguments, #function);                                                \
  }
COMPUTED(Sin, sin)
COMPUTED(Cos, cos)
COMPUTED(Log, log)
COMPUTED(Log2, log2)
COMPUTED(Log10, log10)
COMPUTED(Exp, exp)
COMPUTED(Exp2, exp2)
COMPUTED(Exp10, exp10)
COMPUTED(Rsqrt, rsqrt)
COMPUTED(Rcp, rcp_rn)
#undef COMPUTED

Value fp16FmaBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  auto wide =
      [&](const char *name) { // in which product and sum are exact, if they are finite as halves
        return widened(emitter, arguments, name, DType::Float64);
      };
  Tensor product = emitter.like<arith::MulFOp>(range, wide("a"), wide("b"));
  return rounded(emitter, arguments, emitter.like<arith::AddFOp>(range, product, wide("c")));
}

} // namespace nereid::emit
