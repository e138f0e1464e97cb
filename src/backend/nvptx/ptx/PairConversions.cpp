// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/PairConversions.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

#include <array>

namespace nereid::backend::nvptx {
namespace {

namespace pm = llvm::PatternMatch;

/// An even number of bytes side by side.
llvm::FixedVectorType *asBytes(llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  bool areBytes = vector && vector->getElementType()->isIntegerTy(8);
  return areBytes && vector->getNumElements() % 2 == 0 ? vector : nullptr;
}

/// The same bytes two by two.
llvm::FixedVectorType *pairsOf(llvm::FixedVectorType *bytes) {
  return llvm::FixedVectorType::get(llvm::Type::getInt16Ty(bytes->getContext()),
                                    bytes->getNumElements() / 2);
}

/// Conversions to halves, of which only the lower is read, by block, vector and pair: of its two
/// bytes.
using Widened = llvm::MapVector<std::tuple<llvm::BasicBlock *, llvm::Value *, uint64_t>,
                                std::array<llvm::IntrinsicInst *, 2>>;

Widened findWidened(llvm::Function &function) {
  Widened found;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    llvm::Value *vector;
    uint64_t lane;
    if (!call || call->getIntrinsicID() != llvm::Intrinsic::nvvm_e4m3x2_to_f16x2_rn ||
        !pm::match(call->getArgOperand(0),
                   pm::m_ZExt(pm::m_ExtractElt(pm::m_Value(vector), pm::m_ConstantInt(lane)))) ||
        !asBytes(vector->getType()))
      continue;
    bool isLowerAlone = llvm::all_of(call->users(), [](llvm::User *user) {
      return pm::match(user, pm::m_ExtractElt(pm::m_Value(), pm::m_Zero()));
    });
    llvm::IntrinsicInst *&place = found[{call->getParent(), vector, lane / 2}][lane % 2];
    if (isLowerAlone && !place)
      place = call;
  }
  return found;
}

void widenPair(llvm::Value *vector, uint64_t pair, llvm::ArrayRef<llvm::IntrinsicInst *> lanes) {
  llvm::IntrinsicInst *first = lanes[0]->comesBefore(lanes[1]) ? lanes[0] : lanes[1];
  llvm::IRBuilder<> b(first);
  llvm::Value *bytes =
      b.CreateExtractElement(b.CreateBitCast(vector, pairsOf(asBytes(vector->getType()))), pair);
  llvm::Value *halves = b.CreateIntrinsic(lanes[0]->getType(), lanes[0]->getIntrinsicID(), {bytes});
  const std::array<llvm::Value *, 2> ofLane = {b.CreateExtractElement(halves, uint64_t(0)),
                                               b.CreateExtractElement(halves, uint64_t(1))};
  for (auto [lane, half] : llvm::zip(lanes, ofLane)) {
    for (llvm::User *user : llvm::make_early_inc_range(lane->users())) {
      user->replaceAllUsesWith(half);
      llvm::cast<llvm::Instruction>(user)->eraseFromParent();
    }
    lane->eraseFromParent();
  }
}

/// The float of which a byte is the rounded one, and by which conversion.
struct Narrowed {
  llvm::Intrinsic::ID by = llvm::Intrinsic::not_intrinsic;
  llvm::Value *source = nullptr;
};

Narrowed narrowedIn(llvm::Value *byte) {
  llvm::Value *pair;
  if (!pm::match(byte, pm::m_Trunc(pm::m_Value(pair))))
    return {};
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(pair);
  bool isKnown = call && (call->getIntrinsicID() == llvm::Intrinsic::nvvm_ff_to_e4m3x2_rn ||
                          call->getIntrinsicID() == llvm::Intrinsic::nvvm_ff_to_e5m2x2_rn);
  // The second operand becomes the lower byte.
  return isKnown ? Narrowed{call->getIntrinsicID(), call->getArgOperand(1)} : Narrowed();
}

/// The lanes that a chain of insertions puts into a vector; empty unless it puts in all.
llvm::SmallVector<llvm::Value *, 16> insertedLanes(llvm::InsertElementInst *last) {
  llvm::SmallVector<llvm::Value *, 16> lanes(asBytes(last->getType())->getNumElements());
  llvm::Value *vector = last, *before, *lane;
  uint64_t index;
  while (pm::match(
      vector, pm::m_InsertElt(pm::m_Value(before), pm::m_Value(lane), pm::m_ConstantInt(index)))) {
    if (!lanes[index])
      lanes[index] = lane;
    vector = before;
  }
  if (llvm::is_contained(lanes, nullptr))
    lanes.clear();
  return lanes;
}

/// Whether nothing is inserted into the vector any more.
bool isWhole(llvm::InsertElementInst &insertion) {
  return asBytes(insertion.getType()) && llvm::none_of(insertion.users(), [&](llvm::User *user) {
           auto *next = llvm::dyn_cast<llvm::InsertElementInst>(user);
           return next && next->getOperand(0) == &insertion;
         });
}

void narrowPairs(llvm::InsertElementInst *last) {
  llvm::SmallVector<llvm::Value *, 16> lanes = insertedLanes(last);
  llvm::SmallVector<Narrowed, 16> narrowed = llvm::map_to_vector<16>(lanes, narrowedIn);
  if (narrowed.empty() || llvm::any_of(narrowed, [&](const Narrowed &each) {
        return !each.source || each.by != narrowed[0].by;
      }))
    return;
  llvm::IRBuilder<> b(last);
  llvm::Value *pairs = llvm::PoisonValue::get(pairsOf(asBytes(last->getType())));
  for (size_t i = 0; i < narrowed.size(); i += 2)
    pairs = b.CreateInsertElement(pairs,
                                  b.CreateIntrinsic(b.getInt16Ty(), narrowed[0].by,
                                                    {narrowed[i + 1].source, narrowed[i].source}),
                                  i / 2);
  last->replaceAllUsesWith(b.CreateBitCast(pairs, last->getType()));
}

} // namespace

void pairConversions(llvm::Function &function) {
  for (auto &[place, lanes] : findWidened(function))
    if (lanes[0] && lanes[1])
      widenPair(std::get<1>(place), std::get<2>(place), lanes);
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (auto *insertion = llvm::dyn_cast<llvm::InsertElementInst>(&instruction);
        insertion && isWhole(*insertion))
      narrowPairs(insertion);
}

} // namespace nereid::backend::nvptx
