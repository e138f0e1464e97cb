// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/threads/Times.h"

#include "frontend/emit/threads/Operators.h"

#include <limits>
#include <mutex>
#include <numeric>

namespace nereid::emit::threads {

using namespace mlir;
using ast::BinaryOp;
using ast::CompareOp;

namespace {

/// How many of the next unit each has. Months have no number of days.
struct Unit {
  std::string_view name;
  int64_t ofNext;
};
constexpr Unit units[] = {{"Y", 12},    {"M", 0},     {"W", 7},     {"D", 24},    {"h", 60},
                          {"m", 60},    {"s", 1000},  {"ms", 1000}, {"us", 1000}, {"ns", 1000},
                          {"ps", 1000}, {"fs", 1000}, {"as", 0}};

struct Kind {
  bool isPoint = false;
  int64_t multiple = 1;
  size_t unit = 0;

  std::string name() const {
    std::string count = multiple == 1 ? "" : std::to_string(multiple);
    return (isPoint ? "datetime64[" : "timedelta64[") + count + std::string(units[unit].name) + "]";
  }
};

std::optional<Kind> kindNamed(llvm::StringRef name) {
  Kind kind;
  kind.isPoint = name.consume_front("datetime64[");
  if ((!kind.isPoint && !name.consume_front("timedelta64[")) || !name.consume_back("]"))
    return std::nullopt;
  if (name.front() >= '0' && name.front() <= '9' && name.consumeInteger(10, kind.multiple))
    return std::nullopt;
  const auto *unit =
      llvm::find_if(units, [&](const Unit &each) { return name == llvm::StringRef(each.name); });
  kind.unit = static_cast<size_t>(unit - std::begin(units));
  return unit == std::end(units) ? std::nullopt : std::optional(kind);
}

/// How many of a smaller unit a unit has; nothing where that differs or is no int64.
std::optional<int64_t> factor(size_t from, size_t to) {
  int64_t result = 1;
  for (; from < to; ++from)
    if (!units[from].ofNext || __builtin_mul_overflow(result, units[from].ofNext, &result))
      return std::nullopt;
  return result;
}

struct Time {
  Tensor count;
  Kind kind;
};

std::optional<Time> timeOf(const Value &value) {
  const auto *tuple = value.as<Tuple>();
  if (!tuple || !tuple->record || tuple->elements.size() != 1)
    return std::nullopt;
  auto kind = kindNamed(tuple->record->name);
  return kind ? std::optional(Time{*tuple->elements[0].as<Tensor>(), *kind}) : std::nullopt;
}

/// Counts at one place of the text.
struct Counts {
  Emitter &emitter;
  SourceRange range;

  Tensor integer(int64_t value) const { return emitter.integer(value, DType::Int64, range); }
  Tensor compute(BinaryOp op, const Value &x, const Value &y) const {
    return *binary(emitter, op, x, y, range).as<Tensor>();
  }
  Tensor none() const { return integer(std::numeric_limits<int64_t>::min()); }
  Tensor isNone(const Tensor &count) const {
    return emitter.compareSame(CompareOp::Eq, {count, none()}, range);
  }
  Tensor choose(const Tensor &where, const Tensor &x, const Tensor &y) const {
    return {emitter.make<arith::SelectOp>(range, where.value, x.value, y.value), x.type};
  }
  Tensor either(const Tensor &x, const Tensor &y) const {
    return emitter.like<arith::OrIOp>(range, x, y);
  }
  Tensor scaled(const Tensor &count, int64_t by) const {
    if (by == 1)
      return count;
    return choose(isNone(count), count, compute(BinaryOp::Mul, count, integer(by)));
  }
};

struct TimePair {
  Tensor lhs, rhs;
  Kind kind; // of spans
};

[[noreturn]] void failTimes(std::string_view op, const Value &lhs, const Value &rhs,
                            SourceRange range) {
  auto left = timeOf(lhs), right = timeOf(rhs);
  bool doNotMeet = left && right &&
                   !factor(std::min(left->kind.unit, right->kind.unit),
                           std::max(left->kind.unit, right->kind.unit));
  failWithNote(range,
               {{},
                doNotMeet ? "months and years have no number of days: both have units that do "
                            "or both that do not"
                          : "points in time are compared and subtracted from one another, and "
                            "spans added to them; spans are computed with as numbers are"},
               DiagnosticId::operand_types, op, describe(lhs), describe(rhs));
}

/// Both in the largest unit that counts each.
std::optional<TimePair> together(const Counts &counts, const Time &lhs, const Time &rhs) {
  size_t unit = std::max(lhs.kind.unit, rhs.kind.unit);
  auto left = factor(lhs.kind.unit, unit), right = factor(rhs.kind.unit, unit);
  if (!left || !right || __builtin_mul_overflow(*left, lhs.kind.multiple, &*left) ||
      __builtin_mul_overflow(*right, rhs.kind.multiple, &*right))
    return std::nullopt;
  int64_t common = std::gcd(*left, *right);
  return TimePair{counts.scaled(lhs.count, *left / common),
                  counts.scaled(rhs.count, *right / common),
                  {false, common, unit}};
}

/// Of two times.
std::optional<Value> computeTimes(const Counts &counts, BinaryOp op, const Time &lhs,
                                  const Time &rhs) {
  auto pair = together(counts, lhs, rhs);
  int points = int(lhs.kind.isPoint) + int(rhs.kind.isPoint);
  if (!pair)
    return std::nullopt;
  Tensor isNone = counts.either(counts.isNone(pair->lhs), counts.isNone(pair->rhs));
  Tensor result = counts.compute(op == BinaryOp::Add || op == BinaryOp::Sub ||
                                         op == BinaryOp::Div || op == BinaryOp::FloorDiv
                                     ? op
                                     : BinaryOp::Mod,
                                 pair->lhs, pair->rhs);
  if (op == BinaryOp::Div && points == 0) {
    double none = std::numeric_limits<double>::quiet_NaN();
    return counts.choose(
        isNone, counts.emitter.constant(sema::ConstantValue(none), {DType::Float64}, counts.range),
        result);
  }
  if (op == BinaryOp::FloorDiv && points == 0)
    return counts.choose(isNone, counts.integer(0), result);
  bool isAdded = op == BinaryOp::Add && points < 2;
  bool isTaken = op == BinaryOp::Sub && (lhs.kind.isPoint || !rhs.kind.isPoint);
  if (!isAdded && !isTaken && !(op == BinaryOp::Mod && points == 0))
    return std::nullopt;
  pair->kind.isPoint = points == 1;
  return timeValue(counts.choose(isNone, counts.none(), result), pair->kind.name());
}

/// Of a span and a number.
std::optional<Value> computeSpan(const Counts &counts, BinaryOp op, const Time &span,
                                 const Value &number) {
  bool isQuotient = op == BinaryOp::Div || op == BinaryOp::FloorDiv;
  if (span.kind.isPoint || !isNumber(number) || isPointer(number) ||
      (op != BinaryOp::Mul && !isQuotient))
    return std::nullopt;
  Emitter &emitter = counts.emitter;
  Tensor factor = emitter.toTensor(number, counts.range);
  Tensor isNone = counts.isNone(span.count);
  Tensor result = span.count;
  if (isQuotient && isInteger(factor.dtype())) {
    Tensor wide = emitter.cast(factor, {DType::Int64}, counts.range);
    Tensor isZero = emitter.compareSame(CompareOp::Eq, {wide, counts.integer(0)}, counts.range);
    isNone = counts.either(isNone, isZero);
    result = emitter.like<arith::DivSIOp>(counts.range, span.count,
                                          counts.choose(isZero, counts.integer(1), wide));
  } else {
    result = counts.compute(isQuotient ? BinaryOp::Div : op, span.count, factor);
  }
  result = emitter.cast(result, {DType::Int64}, counts.range);
  return timeValue(counts.choose(isNone, counts.none(), result), span.kind.name());
}

} // namespace

bool isKindOfTime(std::string_view kind) { return kindNamed(kind).has_value(); }

Value timeValue(const Tensor &count, const std::string &kind) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const RecordType>> known;
  std::lock_guard lock(mutex);
  std::shared_ptr<const RecordType> &type = known[kind];
  if (!type)
    type = std::make_shared<const RecordType>(
        RecordType{kind, {"count"}, nullptr, nullptr, SourceRange()});
  return Tuple{{count}, type};
}

Tensor countOfTime(Emitter &emitter, const Value &value, const std::string &kind,
                   SourceRange range) {
  auto time = timeOf(value);
  Kind wanted = *kindNamed(kind);
  auto scale = time && time->kind.isPoint == wanted.isPoint && time->kind.unit <= wanted.unit
                   ? factor(time->kind.unit, wanted.unit)
                   : std::nullopt;
  if (!scale || __builtin_mul_overflow(*scale, time->kind.multiple, &*scale) ||
      *scale % wanted.multiple)
    failWithNote(range,
                 {{},
                  "the elements are of " + kind +
                      ", and hold such, or what is counted "
                      "in a multiple of their unit"},
                 DiagnosticId::not_a_value, describe(value));
  return Counts{emitter, range}.scaled(time->count, *scale / wanted.multiple);
}

std::optional<Value> timeBinary(Emitter &emitter, BinaryOp op, const Value &lhs, const Value &rhs,
                                SourceRange range) {
  auto left = timeOf(lhs), right = timeOf(rhs);
  if (!left && !right)
    return std::nullopt;
  Counts counts{emitter, range};
  std::optional<Value> result;
  if (left && right)
    result = computeTimes(counts, op, *left, *right);
  else if (left)
    result = computeSpan(counts, op, *left, rhs);
  else if (op == BinaryOp::Mul)
    result = computeSpan(counts, op, *right, lhs);
  if (!result)
    failTimes(spelling(op), lhs, rhs, range);
  return result;
}

std::optional<Value> timeCompare(Emitter &emitter, CompareOp op, const Value &lhs, const Value &rhs,
                                 SourceRange range) {
  auto left = timeOf(lhs), right = timeOf(rhs);
  if (!left && !right)
    return std::nullopt;
  Counts counts{emitter, range};
  auto pair = left && right && left->kind.isPoint == right->kind.isPoint
                  ? together(counts, *left, *right)
                  : std::nullopt;
  if (!pair || op == CompareOp::In || op == CompareOp::NotIn)
    failTimes(spelling(op), lhs, rhs, range);
  Tensor isNone = counts.either(counts.isNone(pair->lhs), counts.isNone(pair->rhs));
  Tensor holds = emitter.compareSame(op, {pair->lhs, pair->rhs}, range);
  Tensor otherwise =
      emitter.constant(sema::ConstantValue(op == CompareOp::Ne), {DType::Int1}, range);
  return Value(counts.choose(isNone, otherwise, holds));
}

std::optional<Value> timeUnary(Emitter &emitter, ast::UnaryOp op, const Value &operand,
                               SourceRange range) {
  auto time = timeOf(operand);
  if (!time || time->kind.isPoint || op == ast::UnaryOp::Invert || op == ast::UnaryOp::Not)
    return std::nullopt;
  if (op == ast::UnaryOp::Plus)
    return operand;
  Counts counts{emitter, range}; // the least number is its own negation
  return timeValue(counts.compute(BinaryOp::Sub, counts.integer(0), time->count),
                   time->kind.name());
}

} // namespace nereid::emit::threads
