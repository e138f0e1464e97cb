// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the 32 threads of a warp tell one another: lanes, shuffles, votes.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/threads/Names.h"
#include "frontend/emit/threads/Operators.h"
#include "frontend/sema/ThreadTypes.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace nereid::emit {

using namespace mlir;
using namespace threads;

namespace {

constexpr int warpSize = 32;

Tensor word(Emitter &emitter, int64_t value, SourceRange range) {
  return emitter.integer(value, DType::Int32, range);
}

Tensor integer(Emitter &emitter, const Arguments &arguments, const char *name) {
  if (!isNumber(arguments[name]) || isPointer(arguments[name]))
    arguments.failType(name, "an integer");
  return castNumber(emitter, arguments[name], DType::Int32, arguments.range(name));
}

Tensor members(Emitter &emitter, const Arguments &arguments) {
  return integer(emitter, arguments, "mask");
}

/// What lanes exchange, as it is or as an integer of 32 bits.
Tensor exchanged(Emitter &emitter, const Arguments &arguments) {
  const Value &given = arguments["value"];
  if (!isNumber(given) || isPointer(given))
    arguments.failType("value", "a number");
  const auto *tensor = given.as<Tensor>();
  DType type = tensor ? tensor->dtype() : sema::threadLiteralType(*given.as<sema::ConstantValue>());
  if (bitWidth(type) < 32)
    type = isFloat(type) ? DType::Float32 : DType::Int32;
  return castNumber(emitter, given, type, arguments.range("value"));
}

Tensor shuffle(Emitter &emitter, const Tensor &value, const Tensor &source, const Tensor &members,
               SourceRange range) {
  return {emitter.make<tile::ShuffleOp>(range, value.value, source.value, members.value),
          value.type};
}

Tensor ballot(Emitter &emitter, mlir::Value predicate, const Tensor &members, SourceRange range) {
  return {emitter.make<tile::BallotOp>(range, predicate, members.value), members.type};
}

mlir::Value isSame(Emitter &emitter, const Tensor &a, const Tensor &b, SourceRange range) {
  return emitter.make<arith::CmpIOp>(range, arith::CmpIPredicate::eq, a.value, b.value);
}

Tensor chosen(Emitter &emitter, mlir::Value where, const Tensor &a, const Tensor &b,
              SourceRange range) {
  return {emitter.make<arith::SelectOp>(range, where, a.value, b.value), a.type};
}

/// The value of the lane at `source`; the thread's own where that is none of the warp's.
Value shuffleInside(Emitter &emitter, const Arguments &arguments, const Tensor &source) {
  SourceRange range = arguments.callRange();
  mlir::Value isInside = emitter.make<arith::CmpIOp>(range, arith::CmpIPredicate::ult, source.value,
                                                     word(emitter, warpSize, range).value);
  Tensor from = chosen(emitter, isInside, source, laneIndex(emitter, range), range);
  return shuffle(emitter, exchanged(emitter, arguments), from, members(emitter, arguments), range);
}

/// Of the members, those whose predicate holds.
Tensor vote(Emitter &emitter, const Arguments &arguments, const Tensor &members) {
  Tensor predicate = integer(emitter, arguments, "predicate");
  return ballot(emitter, emitter.notZero(predicate, arguments.callRange()).value, members,
                arguments.callRange());
}

Value truth(mlir::Value value) { return Tensor{value, {{DType::Int1}, {}}}; }

} // namespace

Value cudaSyncWarpBuiltin(Emitter &emitter, const Arguments &arguments) {
  tile::SyncWarpOp::create(emitter.builder, emitter.locate(arguments.callRange()),
                           members(emitter, arguments).value);
  return {};
}

Value cudaShflSyncBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor source = emitter.like<arith::AndIOp>(range, integer(emitter, arguments, "src_lane"),
                                              word(emitter, warpSize - 1, range));
  return shuffle(emitter, exchanged(emitter, arguments), source, members(emitter, arguments),
                 range);
}

Value cudaShflUpSyncBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  return shuffleInside(emitter, arguments,
                       emitter.like<arith::SubIOp>(range, laneIndex(emitter, range),
                                                   integer(emitter, arguments, "delta")));
}

Value cudaShflDownSyncBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  return shuffleInside(emitter, arguments,
                       emitter.like<arith::AddIOp>(range, laneIndex(emitter, range),
                                                   integer(emitter, arguments, "delta")));
}

Value cudaShflXorSyncBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  return shuffleInside(emitter, arguments,
                       emitter.like<arith::XOrIOp>(range, laneIndex(emitter, range),
                                                   integer(emitter, arguments, "lane_mask")));
}

Value cudaBallotSyncBuiltin(Emitter &emitter, const Arguments &arguments) {
  return vote(emitter, arguments, members(emitter, arguments));
}

Value cudaAllSyncBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor all = members(emitter, arguments);
  mlir::Value isNot = emitter.make<arith::CmpIOp>(range, arith::CmpIPredicate::eq,
                                                  integer(emitter, arguments, "predicate").value,
                                                  word(emitter, 0, range).value);
  return truth(isSame(emitter, ballot(emitter, isNot, all, range), word(emitter, 0, range), range));
}

Value cudaAnySyncBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor yes = vote(emitter, arguments, members(emitter, arguments));
  return truth(emitter.make<arith::CmpIOp>(range, arith::CmpIPredicate::ne, yes.value,
                                           word(emitter, 0, range).value));
}

Value cudaEqSyncBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor all = members(emitter, arguments), yes = vote(emitter, arguments, all);
  return truth(emitter.make<arith::OrIOp>(range, isSame(emitter, yes, all, range),
                                          isSame(emitter, yes, word(emitter, 0, range), range)));
}

/// The bits of what is compared: two zeros of different sign differ, and a NaN is the same as
/// itself, as in PTX.
static Tensor comparedBits(Emitter &emitter, const Arguments &arguments) {
  Tensor value = exchanged(emitter, arguments);
  if (!isFloat(value.dtype()))
    return value;
  DType bits = bitWidth(value.dtype()) == 64 ? DType::Int64 : DType::Int32;
  return emitter.bitcast(value, {bits}, arguments.callRange());
}

/// The members that the block has and that have not ended.
static Tensor present(Emitter &emitter, const Tensor &members, SourceRange range) {
  mlir::Value yes = emitter.make<arith::ConstantIntOp>(range, 1, 1);
  return ballot(emitter, yes, members, range);
}

/// One lane after the other says what it has.
Value cudaMatchAnySyncBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor named = members(emitter, arguments), all = present(emitter, named, range),
         value = comparedBits(emitter, arguments), found = word(emitter, 0, range);
  for (int lane = 0; lane < warpSize; ++lane) {
    Tensor bit = word(emitter, int64_t(int32_t(1u << lane)), range);
    Tensor part = emitter.like<arith::AndIOp>(range, all, bit);
    // A lane that is not there has nothing to say; each asks itself in its place.
    Tensor source = chosen(emitter, isSame(emitter, part, bit, range), word(emitter, lane, range),
                           laneIndex(emitter, range), range);
    Tensor other = shuffle(emitter, value, source, named, range);
    Tensor matched =
        chosen(emitter, isSame(emitter, other, value, range), part, word(emitter, 0, range), range);
    found = emitter.like<arith::OrIOp>(range, found, matched);
  }
  return found;
}

/// The first of the lanes that are named, as the number of bits below it; of no lanes, any.
static Tensor lowestLane(Emitter &emitter, const Tensor &named, SourceRange range) {
  Tensor negative = emitter.like<arith::SubIOp>(range, word(emitter, 0, range), named);
  Tensor lowest = emitter.like<arith::AndIOp>(range, named, negative);
  Tensor below = emitter.like<arith::SubIOp>(range, lowest, word(emitter, 1, range));
  Tensor lane{emitter.make<math::CtPopOp>(range, below.value), named.type};
  return emitter.like<arith::AndIOp>(range, lane, word(emitter, warpSize - 1, range));
}

/// All are the same as the first member.
Value cudaMatchAllSyncBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor named = members(emitter, arguments), all = present(emitter, named, range),
         value = comparedBits(emitter, arguments);
  Tensor first = lowestLane(emitter, all, range);
  Tensor other = shuffle(emitter, value, first, named, range);
  mlir::Value differs =
      emitter.make<arith::CmpIOp>(range, arith::CmpIPredicate::ne, other.value, value.value);
  mlir::Value isAll =
      isSame(emitter, ballot(emitter, differs, named, range), word(emitter, 0, range), range);
  return Tuple{{chosen(emitter, isAll, all, word(emitter, 0, range), range), truth(isAll)}};
}

Value cudaActiveMaskBuiltin(Emitter &emitter, const Arguments &arguments) {
  return Tensor{emitter.make<tile::ActiveMaskOp>(arguments.callRange()), {{DType::Int32}, {}}};
}

Value cudaLaneMaskLtBuiltin(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  Tensor bit =
      emitter.like<arith::ShLIOp>(range, word(emitter, 1, range), laneIndex(emitter, range));
  Tensor before = emitter.like<arith::SubIOp>(range, bit, word(emitter, 1, range));
  return emitter.cast(before, {DType::UInt32}, range);
}

} // namespace nereid::emit
