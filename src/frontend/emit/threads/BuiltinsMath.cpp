// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of numbers: Python's own, of math and of numba.cuda.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/threads/Operators.h"
#include "frontend/sema/ThreadTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

namespace nereid::emit {

using namespace mlir;
using namespace threads;

static Tensor number(const Arguments &arguments, std::string_view name) {
  const Value &value = arguments[name];
  if (!isNumber(value) || isPointer(value))
    arguments.failType(name, "a number");
  return arguments.tensor(name);
}

/// The argument as a float, an integer as a double.
static Tensor floating(Emitter &emitter, const Arguments &arguments, std::string_view name) {
  Tensor value = number(arguments, name);
  return isFloat(value.dtype()) ? value
                                : emitter.cast(value, {DType::Float64}, arguments.range(name));
}

static Value device(Emitter &emitter, const Arguments &arguments, std::string_view function,
                    llvm::ArrayRef<Tensor> operands) {
  std::vector<Emitter::CallArgument> given;
  for (const Tensor &operand : operands)
    given.push_back({"", operand, arguments.callRange()});
  return emitter.callDevice(*sema::findDeviceFunction(function), std::move(given),
                            arguments.callRange());
}

Value threadIntBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor value = number(arguments, "x");
  if (isInteger(value.dtype()) && !isBool(value.dtype()))
    return value;
  return emitter.cast(value, {DType::Int64}, arguments.callRange());
}

Value threadFloatBuiltin(Emitter &emitter, const Arguments &arguments) {
  if (const auto *constant = arguments["x"].as<sema::ConstantValue>())
    if (const auto *text = std::get_if<std::string>(constant))
      if (auto parsed = sema::parseFloat(*text))
        return sema::ConstantValue(*parsed);
  return floating(emitter, arguments, "x");
}

Value threadBoolBuiltin(Emitter &emitter, const Arguments &arguments) {
  return emitter.notZero(number(arguments, "x"), arguments.callRange());
}

Value threadAbsBuiltin(Emitter &emitter, const Arguments &arguments) {
  if (auto complex = complexOf(arguments["x"]))
    return sizeOf(emitter, *complex, arguments.callRange());
  Tensor value = number(arguments, "x");
  if (isFloat(value.dtype()))
    return emitter.like<math::AbsFOp>(arguments.callRange(), value);
  if (isBool(value.dtype()))
    return emitter.cast(value, {DType::Int8}, arguments.callRange());
  return isSigned(value.dtype()) ? Value(emitter.like<math::AbsIOp>(arguments.callRange(), value))
                                 : Value(value);
}

/// Of floats, one that is no number loses against one that is.
static Value extremum(Emitter &emitter, const Arguments &arguments, ast::CompareOp isBetter) {
  SourceRange range = arguments.callRange();
  std::vector<Value> given = arguments.elements("args");
  if (given.size() == 1)
    if (const auto *tuple = given[0].as<Tuple>())
      given = std::vector<Value>(tuple->elements);
  if (given.empty())
    fail(range, DiagnosticId::missing_argument, "args", std::string(arguments.function()));
  Value best = given.front();
  for (const Value &next : llvm::drop_begin(given)) {
    Value holds = emitter.compare(isBetter, next, best, range);
    auto pair = unify(emitter, next, best, range);
    if (!pair)
      arguments.failType("args", "numbers");
    if (auto known = asConstant(holds); known && asConstant(next) && asConstant(best))
      best = sema::isTrue(*known) ? next : best;
    else if (isFloat(pair->lhs.dtype()))
      best = isBetter == ast::CompareOp::Gt
                 ? emitter.like<arith::MaxNumFOp>(range, pair->lhs, pair->rhs)
                 : emitter.like<arith::MinNumFOp>(range, pair->lhs, pair->rhs);
    else
      best = Tensor{emitter.make<arith::SelectOp>(range, emitter.toTensor(holds, range).value,
                                                  pair->lhs.value, pair->rhs.value),
                    pair->lhs.type};
  }
  return best;
}

Value threadMinBuiltin(Emitter &emitter, const Arguments &arguments) {
  return extremum(emitter, arguments, ast::CompareOp::Lt);
}
Value threadMaxBuiltin(Emitter &emitter, const Arguments &arguments) {
  return extremum(emitter, arguments, ast::CompareOp::Gt);
}

Value threadPowBuiltin(Emitter &emitter, const Arguments &arguments) {
  return emitter.binary(ast::BinaryOp::Pow, arguments["x"], arguments["y"], arguments.callRange());
}

static Value toInteger(Emitter &emitter, const Arguments &arguments, const Tensor &value) {
  return emitter.cast(value, {DType::Int64}, arguments.callRange());
}

/// 10 ** n as a double, for a run-time n from 0 on: exact as far as doubles are, and infinite
/// behind.
static Tensor powerOfTen(Emitter &emitter, const Tensor &n, SourceRange range) {
  auto number = [&](double value) {
    return emitter.constant(sema::ConstantValue(value), {DType::Float64}, range);
  };
  Tensor limit = emitter.integer(511, DType::Int32, range), power = number(1);
  Tensor bits = emitter.like<arith::MinSIOp>(range, n, limit);
  for (int bit = 0; bit < 9; ++bit) {
    Tensor isSet = emitter.notZero(
        emitter.like<arith::AndIOp>(range, bits, emitter.integer(1 << bit, DType::Int32, range)),
        range);
    double factor = std::pow(10.0, 1 << bit); // the last two are 1e128 and 1e256
    Tensor more = emitter.like<arith::MulFOp>(range, power, number(factor));
    power.value = emitter.make<arith::SelectOp>(range, isSet.value, more.value, power.value);
  }
  return power;
}

/// To a number of digits that the run decides. What has no such digits, or would pass through
/// infinity on the way, stays as it is.
static Value roundTo(Emitter &emitter, const Tensor &given, const Tensor &digits,
                     SourceRange range) {
  Tensor value = emitter.cast(given, {DType::Float64}, range);
  auto choose = [&](const Value &where, const Tensor &yes, const Tensor &no) {
    mlir::Value holds = where.as<Tensor>()->value;
    return Tensor{emitter.make<arith::SelectOp>(range, holds, yes.value, no.value), yes.type};
  };
  auto compare = [&](ast::CompareOp op, const Tensor &lhs, const Value &rhs) {
    return emitter.compare(op, lhs, rhs, range);
  };
  auto even = [&](const Tensor &x) { return emitter.like<math::RoundEvenOp>(range, x); };
  auto times = [&](const Tensor &x, const Tensor &y) {
    return emitter.like<arith::MulFOp>(range, x, y);
  };
  auto by = [&](const Tensor &x, const Tensor &y) {
    return emitter.like<arith::DivFOp>(range, x, y);
  };
  Tensor zero = emitter.integer(0, DType::Int32, range);
  // Beyond 22 digits the power is no double any more: it is two factors.
  Tensor most = emitter.integer(22, DType::Int32, range);
  Tensor wanted = emitter.like<arith::MaxSIOp>(range, digits, zero);
  Tensor near = emitter.like<arith::MinSIOp>(range, wanted, most);
  Tensor first = powerOfTen(emitter, near, range);
  Tensor second = powerOfTen(emitter, emitter.like<arith::SubIOp>(range, wanted, near), range);
  Tensor scaled = times(times(value, second), first);
  Tensor fine = by(by(even(scaled), first), second);
  auto isFinite = [&](const Tensor &x) {
    return compare(ast::CompareOp::Lt, emitter.like<math::AbsFOp>(range, x),
                   sema::ConstantValue(HUGE_VAL));
  };
  fine = choose(isFinite(scaled), fine, value);
  Tensor unit = powerOfTen(emitter, emitter.like<arith::SubIOp>(range, zero, digits), range);
  Tensor units = even(by(value, unit));
  Tensor coarse = choose(compare(ast::CompareOp::Eq, units, sema::ConstantValue(0.0)), units,
                         times(units, unit));
  coarse = choose(isFinite(value), coarse, value);
  Tensor result = choose(compare(ast::CompareOp::Lt, digits, zero), coarse, fine);
  return emitter.cast(result, given.type.scalar, range);
}

Value threadRoundBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor value = floating(emitter, arguments, "x");
  if (arguments.isNone("ndigits"))
    return toInteger(emitter, arguments, emitter.like<math::RoundEvenOp>(range, value));
  if (!asConstant(arguments["ndigits"])) {
    Tensor digits = number(arguments, "ndigits");
    if (isFloat(digits.dtype()))
      arguments.failType("ndigits", "an integer");
    return roundTo(emitter, value, emitter.cast(digits, {DType::Int32}, range), range);
  }
  sema::Integer digits = arguments.integer("ndigits");
  if (digits < -22 || digits > 22)
    arguments.failValue("ndigits", "a constant from -22 to 22");
  Tensor scale = castNumber(
      emitter,
      sema::ConstantValue(std::pow(10.0, static_cast<double>(digits < 0 ? -digits : digits))),
      value.dtype(), range);
  if (digits < 0) {
    Tensor scaled = emitter.like<arith::DivFOp>(range, value, scale);
    return emitter.like<arith::MulFOp>(range, emitter.like<math::RoundEvenOp>(range, scaled),
                                       scale);
  }
  Tensor scaled = emitter.like<arith::MulFOp>(range, value, scale);
  return emitter.like<arith::DivFOp>(range, emitter.like<math::RoundEvenOp>(range, scaled), scale);
}

Value threadLenBuiltin(Emitter &, const Arguments &arguments) {
  if (const auto *array = arguments["object"].as<ArrayView>())
    return array->shape.front();
  if (const auto *tuple = arguments["object"].as<Tuple>())
    return integerValue(static_cast<sema::Integer>(tuple->elements.size()));
  arguments.failType("object", "an array or a tuple");
}

Value threadBreakpointBuiltin(Emitter &, const Arguments &) { return {}; }

template <typename Op> static Value rounded(Emitter &emitter, const Arguments &arguments) {
  Tensor value = number(arguments, "x");
  if (isInteger(value.dtype())) {
    bool isPlain = !isSigned(value.dtype()) && !isBool(value.dtype());
    return emitter.cast(value, {isPlain ? DType::UInt64 : DType::Int64}, arguments.callRange());
  }
  return toInteger(emitter, arguments, emitter.like<Op>(arguments.callRange(), value));
}
Value mathFloorBuiltin(Emitter &emitter, const Arguments &arguments) {
  return rounded<math::FloorOp>(emitter, arguments);
}
Value mathCeilBuiltin(Emitter &emitter, const Arguments &arguments) {
  return rounded<math::CeilOp>(emitter, arguments);
}
Value mathTruncBuiltin(Emitter &emitter, const Arguments &arguments) {
  return rounded<math::TruncOp>(emitter, arguments);
}

static Tensor size(Emitter &emitter, const Arguments &arguments) {
  return emitter.like<math::AbsFOp>(arguments.callRange(), floating(emitter, arguments, "x"));
}
Value mathFabsBuiltin(Emitter &emitter, const Arguments &arguments) {
  return size(emitter, arguments);
}
static Value compareSize(Emitter &emitter, const Arguments &arguments, ast::CompareOp op) {
  return emitter.compare(op, size(emitter, arguments), sema::ConstantValue(HUGE_VAL),
                         arguments.callRange());
}
Value mathIsNanBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor value = floating(emitter, arguments, "x");
  return emitter.compare(ast::CompareOp::Ne, value, value, arguments.callRange());
}
Value mathIsInfBuiltin(Emitter &emitter, const Arguments &arguments) {
  return compareSize(emitter, arguments, ast::CompareOp::Eq);
}
Value mathIsFiniteBuiltin(Emitter &emitter, const Arguments &arguments) {
  return compareSize(emitter, arguments, ast::CompareOp::Lt);
}

static Value scaled(Emitter &emitter, const Arguments &arguments, double factor) {
  Tensor value = floating(emitter, arguments, "x");
  Tensor scale =
      castNumber(emitter, sema::ConstantValue(factor), value.dtype(), arguments.callRange());
  return emitter.like<arith::MulFOp>(arguments.callRange(), value, scale);
}
Value mathDegreesBuiltin(Emitter &emitter, const Arguments &arguments) {
  return scaled(emitter, arguments, 180 / std::numbers::pi);
}
Value mathRadiansBuiltin(Emitter &emitter, const Arguments &arguments) {
  return scaled(emitter, arguments, std::numbers::pi / 180);
}

Value mathLdexpBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor power = emitter.cast(number(arguments, "i"), {DType::Int32}, arguments.range("i"));
  return device(emitter, arguments, "ldexp", {floating(emitter, arguments, "x"), power});
}

Value cudaFmaBuiltin(Emitter &emitter, const Arguments &arguments) {
  return device(emitter, arguments, "fma",
                {floating(emitter, arguments, "a"), floating(emitter, arguments, "b"),
                 floating(emitter, arguments, "c")});
}

Value cudaSelpBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor holds = emitter.notZero(number(arguments, "a"), range);
  auto pair = unify(emitter, arguments["b"], arguments["c"], range);
  if (!pair)
    arguments.failType("b", "a number");
  return Tensor{emitter.make<arith::SelectOp>(range, holds.value, pair->lhs.value, pair->rhs.value),
                pair->lhs.type};
}

Value cudaCbrtBuiltin(Emitter &emitter, const Arguments &arguments) {
  return device(emitter, arguments, "cbrt", {floating(emitter, arguments, "a")});
}

/// The bits of an integer, 32 or 64 of them.
static Tensor bits(Emitter &emitter, const Arguments &arguments) {
  Tensor value = number(arguments, "x");
  if (isFloat(value.dtype()))
    arguments.failType("x", "an integer");
  return emitter.cast(value, {bitWidth(value.dtype()) == 64 ? DType::Int64 : DType::Int32},
                      arguments.callRange());
}
Value cudaPopcBuiltin(Emitter &emitter, const Arguments &arguments) {
  return device(emitter, arguments, "popc", {bits(emitter, arguments)});
}
Value cudaBrevBuiltin(Emitter &emitter, const Arguments &arguments) {
  Tensor given = number(arguments, "x");
  Value reversed = device(emitter, arguments, "brev", {bits(emitter, arguments)});
  return emitter.cast(*reversed.as<Tensor>(), given.type.scalar, arguments.callRange());
}
Value cudaClzBuiltin(Emitter &emitter, const Arguments &arguments) {
  return device(emitter, arguments, "clz", {bits(emitter, arguments)});
}
Value cudaFfsBuiltin(Emitter &emitter, const Arguments &arguments) {
  return device(emitter, arguments, "ffs", {bits(emitter, arguments)});
}

} // namespace nereid::emit
