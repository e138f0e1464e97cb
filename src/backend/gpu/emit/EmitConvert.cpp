// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles to other threads, as layout/Conversion plans it.
#include "backend/gpu/emit/Emit.h"

#include "backend/gpu/layouts/TileMoves.h"
#include "dialect/tile/Remark.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::gpu {

namespace {

/// A tile that each round of a loop sends through shared memory: less is done in the time of one
/// barrier, which is some tens of cycles.
constexpr uint64_t bytesWorthARemark = 8 << 10;

/// Whether a load goes to a product: then what there is to say is said of the load.
bool isFactorLoaded(nv::ConvertOp op) {
  return op.getSource().getDefiningOp<tile::LoadOp>() &&
         llvm::any_of(op->getUsers(), llvm::IsaPred<tile::DotOp, nv::MultiplyOp, nv::WriteOp>);
}

/// registers[i ^ key] for each i, where the bits of `key` are known at run time: one pass of
/// selects for each bit that can be set.
Registers permuted(Builder &b, Registers registers, llvm::Value *key, unsigned bits) {
  for (unsigned bit = 0; bits >> bit; ++bit) {
    if (!((bits >> bit) & 1))
      continue;
    llvm::Value *isSet = b.CreateICmpNE(b.CreateAnd(key, 1u << bit), b.getInt32(0));
    Registers next;
    for (unsigned i = 0; i < registers.size(); ++i)
      next.push_back(b.CreateSelect(isSet, registers[i ^ (1u << bit)], registers[i]));
    registers = std::move(next);
  }
  return registers;
}

unsigned bitsOf(const layout::ThreadMap &map) {
  layout::Vector bits = 0;
  for (const auto &bases : {map.lane, map.warp})
    for (layout::Vector basis : bases)
      bits |= basis;
  return bits;
}

Registers picked(llvm::ArrayRef<llvm::Value *> registers, llvm::ArrayRef<unsigned> numbers) {
  Registers result;
  for (unsigned number : numbers)
    result.push_back(registers[number]);
  return result;
}

} // namespace

static Registers shuffle(EmitContext &c, const layout::ShufflePlan &plan,
                         llvm::ArrayRef<llvm::Value *> source) {
  // Small elements travel side by side in one word.
  llvm::Type *element = source[0]->getType();
  unsigned bits = element->isPointerTy() ? 64 : element->getScalarSizeInBits();
  unsigned slotBits = std::max(8u, bits);
  bool isAlone = plan.words[0].size() == 1;
  auto slotType = [&] { return c.b.getIntNTy(slotBits); };
  Registers words;
  for (const std::vector<unsigned> &parts : plan.words) {
    if (isAlone) {
      words.push_back(source[parts[0]]);
      continue;
    }
    llvm::Value *word =
        llvm::PoisonValue::get(llvm::FixedVectorType::get(slotType(), parts.size()));
    for (auto [i, reg] : llvm::enumerate(parts))
      word = c.b.CreateInsertElement(
          word, c.b.CreateZExt(c.b.CreateBitCast(source[reg], c.b.getIntNTy(bits)), slotType()), i);
    words.push_back(c.b.CreateBitCast(word, c.b.getIntNTy(slotBits * parts.size())));
  }
  words = permuted(c.b, words, c.threads.apply(plan.before), bitsOf(plan.before));
  Registers received(plan.received, llvm::PoisonValue::get(words[0]->getType()));
  llvm::Value *lane = c.threads.apply(plan.sourceLane);
  for (const layout::ShufflePlan::Shuffle &move : plan.shuffles)
    received[move.to] =
        plan.staysInLane(move)
            ? words[move.from]
            : c.threads.shuffleFrom(words[move.from],
                                    c.b.CreateXor(lane, c.b.getInt32(move.laneXor)));
  received = permuted(c.b, received, c.threads.apply(plan.after), bitsOf(plan.after));
  Registers result;
  for (auto [word, part] : plan.results) {
    llvm::Value *value = received[word];
    if (!isAlone) {
      auto *parts = llvm::FixedVectorType::get(slotType(), plan.words[0].size());
      value = c.b.CreateExtractElement(c.b.CreateBitCast(value, parts), part);
      value = c.b.CreateBitCast(c.b.CreateTrunc(value, c.b.getIntNTy(bits)), element);
    }
    result.push_back(value);
  }
  return result;
}

static Registers convertInShared(EmitContext &c, const layout::SharedPlan &plan,
                                 llvm::ArrayRef<llvm::Value *> source, Type element) {
  llvm::Value *base = c.shared.beginWriting(plan.bytes);
  storeShared(c, plan.path.write, base, source, element);
  c.shared.beginReading(plan.withinWarps);
  unsigned count = 0;
  for (const layout::SharedAccess::Step &step : plan.path.read.steps)
    for (unsigned reg : step.registers)
      count = std::max(count, reg + 1);
  return picked(loadShared(c, plan.path.read, base, count, element), plan.results);
}

void emitConvert(EmitContext &c, nv::ConvertOp op) {
  Type element = tile::elementOf(op.getType());
  layout::Conversion conversion = conversionOf(op, c.instructions->matrixInstructions());
  Registers source = c.registersOf(op.getSource()), result;
  if (std::holds_alternative<layout::NoConversion>(conversion.plan))
    result = source;
  else if (auto *renaming = std::get_if<layout::RenameRegisters>(&conversion.plan))
    result = picked(source, renaming->source);
  else if (auto *shuffles = std::get_if<layout::ShufflePlan>(&conversion.plan))
    result = shuffle(c, *shuffles, source);
  else {
    const auto &plan = std::get<layout::SharedPlan>(conversion.plan);
    if (plan.bytes >= bytesWorthARemark && op->getParentOfType<LoopLikeOpInterface>() &&
        !isFactorLoaded(op))
      tile::remark(op, RemarkId::tile_sent_in_loop, plan.bytes);
    result = convertInShared(c, plan, source, element);
  }
  c.values[op.getResult()] = std::move(result);
}

Registers fromFirstHolders(EmitContext &c, const layout::LinearLayout &layout,
                           llvm::ArrayRef<llvm::Value *> held, llvm::Value *isFirst) {
  llvm::Type *type = held[0]->getType();
  uint64_t bytes = type->isPointerTy() ? 8 : std::max(1u, type->getScalarSizeInBits() / 8);
  llvm::Value *base = c.shared.beginWriting(bytes << layout.outputBits());
  auto over = [&](const char *space) {
    return std::vector(layout.bases(space).begin(), layout.bases(space).end());
  };
  llvm::Value *ofThread = c.threads.apply({over(layout::Lane), over(layout::Warp)});
  auto slot = [&](unsigned reg) {
    llvm::Value *element = c.b.CreateXor(ofThread, c.b.getInt32(layout(reg)));
    return c.shared.pointer(c.b.CreateAdd(base, c.b.CreateMul(element, c.b.getInt32(bytes))));
  };
  c.shared.countAccesses(2 * held.size()); // writes, and reads
  llvm::BasicBlock *write = c.newBlock("first"), *rest = c.newBlock("rest");
  c.b.CreateCondBr(isFirst, write, rest);
  c.b.SetInsertPoint(write);
  for (auto [reg, value] : llvm::enumerate(held))
    c.b.CreateAlignedStore(value, slot(reg), llvm::Align(bytes));
  c.b.CreateBr(rest);
  c.b.SetInsertPoint(rest);
  c.shared.beginReading();
  Registers result;
  for (unsigned reg = 0; reg < held.size(); ++reg)
    result.push_back(c.b.CreateAlignedLoad(type, slot(reg), llvm::Align(bytes)));
  return result;
}

llvm::Value *fromFirstThread(EmitContext &c, llvm::Value *value) {
  if (c.threads.warpCount() == 1)
    return c.threads.shuffleFrom(value, c.b.getInt32(0));
  return fromFirstHolders(c, layout::LinearLayout(), value, c.threads.isFirstThread())[0];
}

} // namespace nereid::backend::gpu
