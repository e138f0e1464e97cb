// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/emit/NarrowExtremes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/PatternMatch.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// A lane as the float of 16 bits that it was.
struct Narrow {
  llvm::Value *bits;
  llvm::Type *type; // half, bfloat
  bool isMagnitude; // without its sign
};

/// What a lane of f32 was widened from.
std::optional<Narrow> narrowOf(llvm::Value *lane) {
  using namespace llvm::PatternMatch;
  Narrow narrow{lane, nullptr, false};
  narrow.isMagnitude = match(lane, m_FAbs(m_Value(narrow.bits)));
  if (!match(narrow.bits, m_FPExt(m_Value(narrow.bits))))
    return std::nullopt;
  narrow.type = narrow.bits->getType();
  if (!narrow.type->isHalfTy() && !narrow.type->isBFloatTy())
    return std::nullopt;
  llvm::Value *whole;
  if (match(narrow.bits, m_BitCast(m_And(m_Value(whole), m_SpecificInt(0x7fff))))) {
    narrow.bits = whole;
    narrow.isMagnitude = true;
  }
  return narrow;
}

/// Which extreme the function of a reduction takes, if it does nothing else.
llvm::Intrinsic::ID extremeOf(Block &combine) {
  Operation *yield = combine.getTerminator();
  if (combine.getNumArguments() != 2 || yield->getNumOperands() != 1)
    return llvm::Intrinsic::not_intrinsic;
  Operation *op = yield->getOperand(0).getDefiningOp();
  const bool takesBoth =
      op && op->getNumOperands() == 2 && llvm::all_of(combine.getArguments(), [&](Value argument) {
        return llvm::is_contained(op->getOperands(), argument);
      });
  if (!takesBoth)
    return llvm::Intrinsic::not_intrinsic;
  return llvm::TypeSwitch<Operation *, llvm::Intrinsic::ID>(op)
      .Case<arith::MaxNumFOp>([](auto) { return llvm::Intrinsic::maxnum; })
      .Case<arith::MinNumFOp>([](auto) { return llvm::Intrinsic::minnum; })
      .Case<arith::MaximumFOp>([](auto) { return llvm::Intrinsic::maximum; })
      .Case<arith::MinimumFOp>([](auto) { return llvm::Intrinsic::minimum; })
      .Default([](Operation *) { return llvm::Intrinsic::not_intrinsic; });
}

/// All lanes, if they are alike.
std::optional<llvm::SmallVector<Narrow>> narrowLanes(Builder &b, Type element,
                                                     llvm::ArrayRef<llvm::Value *> lanes) {
  llvm::SmallVector<Narrow> all;
  for (llvm::Value *lane : lanes) {
    std::optional<Narrow> narrow = element.isF16()    ? Narrow{lane, b.getHalfTy(), false}
                                   : element.isBF16() ? Narrow{lane, b.getBFloatTy(), false}
                                   : element.isF32()  ? narrowOf(lane)
                                                      : std::nullopt;
    if (!narrow || (!all.empty() && (narrow->type != all.front().type ||
                                     narrow->isMagnitude != all.front().isMagnitude)))
      return std::nullopt;
    all.push_back(*narrow);
  }
  return all;
}

} // namespace

std::optional<llvm::SmallVector<llvm::Value *>> narrowExtremes(EmitContext &c,
                                                               tile::ReduceOp reduce,
                                                               llvm::ArrayRef<unsigned> resultOf,
                                                               size_t results) {
  const llvm::Intrinsic::ID extreme = extremeOf(reduce.getCombine().front());
  if (extreme == llvm::Intrinsic::not_intrinsic ||
      resultOf.size() < 2 * c.policy.extreme_pairs * results ||
      !c.instructions->takesExtremesOfPairs())
    return std::nullopt;
  const Value source = reduce.getSources()[0];
  const Type element = tile::elementOf(source.getType());
  auto lanes = narrowLanes(c.b, element, c.registersOf(source));
  if (!lanes)
    return std::nullopt;
  const bool ofMagnitudes = lanes->front().isMagnitude;
  llvm::Type *type = lanes->front().type;
  auto pairAt = [&](unsigned reg) {
    llvm::Value *pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(type, 2));
    for (unsigned half : {0u, 1u})
      pair =
          c.b.CreateInsertElement(pair, c.b.CreateBitCast((*lanes)[reg + half].bits, type), half);
    return pair;
  };
  llvm::MapVector<std::pair<unsigned, unsigned>, llvm::Value *> pairs; // by whose they are
  for (unsigned reg = 0; reg < resultOf.size(); reg += 2) {
    llvm::Value *&pair = pairs[{resultOf[reg], resultOf[reg + 1]}];
    pair = pair ? c.instructions->extremeOfPairs(c.b, extreme, ofMagnitudes, pair, pairAt(reg))
                : pairAt(reg);
  }
  llvm::SmallVector<llvm::Value *> found(results);
  for (auto &[whose, pair] : pairs)
    for (unsigned half : {0u, 1u}) {
      llvm::Value *&result = found[half == 0 ? whose.first : whose.second];
      llvm::Value *one = c.b.CreateFPExt(c.b.CreateExtractElement(pair, half), c.b.getFloatTy());
      if (ofMagnitudes)
        one = c.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, one);
      result = result ? c.b.CreateBinaryIntrinsic(extreme, result, one) : one;
    }
  if (!element.isF32())
    for (llvm::Value *&result : found)
      result = c.lanes.fromFloat32(result, element);
  return found;
}

} // namespace nereid::backend::gpu
