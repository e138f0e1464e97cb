// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clocks of kernels that are profiled (runtime/ClockRecords.h): each of a warp's first lanes writes
// what the warp has done, and when, into the warp's own area.
#include "backend/AuthorPlace.h"
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/ptx/NvptxLaneTarget.h"
#include "backend/nvptx/ptx/PtxAsm.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static void note(KernelContext &c, runtime::ClockSite site, bool isLast);
namespace {

constexpr unsigned clockParameters = 7;

} // namespace

void addClockParameters(KernelContext &c, llvm::SmallVectorImpl<llvm::Type *> &types) {
  auto *pointer = llvm::PointerType::get(c.b.getContext(), NvptxLaneTarget().addressSpace());
  types.append({pointer, pointer});
  types.append(clockParameters - 2, c.b.getInt32Ty());
}

/// This block's number, along x first. Read anew wherever it is asked for: it would take a register
/// from the kernel's beginning to its end.
static llvm::Value *blockNumber(KernelContext &c) {
  auto special = [&](const char *name) {
    return emitPtx(c.b, std::string("mov.u32 $0, %") + name + ";", c.b.getInt32Ty(), "=r");
  };
  llvm::Value *row =
      c.b.CreateAdd(c.b.CreateMul(special("ctaid.z"), special("nctaid.y")), special("ctaid.y"));
  return c.b.CreateAdd(c.b.CreateMul(row, special("nctaid.x")), special("ctaid.x"));
}

/// The thread's number in its block, along x first: so warps are made of them.
static llvm::Value *numberOfThread(KernelContext &c) {
  if (!c.block || (c.block->y == 1 && c.block->z == 1))
    return c.threads.thread();
  auto special = [&](const char *name) {
    return emitPtx(c.b, std::string("mov.u32 $0, %") + name + ";", c.b.getInt32Ty(), "=r");
  };
  llvm::Value *row =
      c.b.CreateAdd(c.b.CreateMul(special("tid.z"), c.b.getInt32(c.block->y)), special("tid.y"));
  return c.b.CreateAdd(c.b.CreateMul(row, c.b.getInt32(c.block->x)), c.threads.thread());
}

/// The address of this block's row, for the block's first thread of blocks that have one.
static llvm::Value *rowOfBlock(KernelContext &c, llvm::Value *number, llvm::Value *&writes) {
  llvm::Value *row = c.b.CreateMul(number, c.clock.inverseOfRows);
  llvm::Value *hasRow = c.b.CreateICmpULT(row, c.clock.rows);
  llvm::Value *isFirst = c.isOfThreads() ? c.b.CreateICmpEQ(numberOfThread(c), c.b.getInt32(0))
                                         : c.threads.isFirstThread();
  writes = c.b.CreateAnd(hasRow, isFirst);
  llvm::Value *offset =
      c.b.CreateMul(c.b.CreateZExt(row, c.b.getInt64Ty()), c.b.getInt64(sizeof(runtime::BlockRow)));
  return c.b.CreatePtrToInt(c.b.CreateGEP(c.b.getInt8Ty(), c.clock.table, offset),
                            c.b.getInt64Ty());
}

void beginClocks(KernelContext &c, unsigned first) {
  llvm::Argument *parameters[clockParameters];
  for (unsigned i = 0; i < clockParameters; ++i)
    parameters[i] = c.function->getArg(first + i);
  auto [table, records, inverseOfRows, rows, inverseOfAreas, areas, areaBytes] = parameters;
  c.clock.table = table;
  c.clock.inverseOfRows = inverseOfRows;
  c.clock.rows = rows;
  llvm::Value *number = blockNumber(c), *writes = nullptr, *row = rowOfBlock(c, number, writes);
  emitPtx(c.b,
          "{\n\t.reg .b64 t;\n\t.reg .b32 s;\n\t@$1 mov.u64 t, %globaltimer;\n\t"
          "@$1 st.global.b64 [$0], t;\n\t@$1 mov.u64 t, %clock64;\n\t"
          "@$1 st.global.b64 [$0+8], t;\n\t@$1 mov.u32 s, %smid;\n\t@$1 cvt.u64.u32 t, s;\n\t"
          "@$1 st.global.b64 [$0+32], t;\n\t}",
          nullptr, "l,b", {row, writes});

  llvm::Type *i64 = c.b.getInt64Ty();
  llvm::Value *noting = c.b.CreateMul(number, inverseOfAreas);
  llvm::Value *hasArea = c.b.CreateICmpULT(noting, areas);
  llvm::Value *thread = numberOfThread(c);
  llvm::Value *isFirstLane =
      c.b.CreateICmpEQ(c.b.CreateAnd(thread, c.b.getInt32(31)), c.b.getInt32(0));
  llvm::Value *warps = c.b.getInt32((c.threadsOfBlock() + target::warpSize - 1) / target::warpSize);
  llvm::Value *area = c.b.CreateAdd(c.b.CreateMul(noting, warps), c.b.CreateLShr(thread, 5));
  llvm::Value *offset = c.b.CreateMul(c.b.CreateZExt(area, i64), c.b.CreateZExt(areaBytes, i64));
  llvm::Value *address = c.b.CreatePtrToInt(c.b.CreateGEP(c.b.getInt8Ty(), records, offset), i64);
  // An area lies in one piece of 4 GB.
  llvm::Value *low = c.b.CreateTrunc(address, c.b.getInt32Ty());
  c.clock.high = c.b.CreateTrunc(c.b.CreateLShr(address, 32), c.b.getInt32Ty());
  llvm::Value *toLast = c.b.CreateSub(areaBytes, c.b.getInt32(sizeof(runtime::ClockRecord)));
  llvm::Value *last = c.b.CreateAdd(low, toLast);
  c.clock.last = c.b.CreateSelect(c.b.CreateAnd(hasArea, isFirstLane), last, c.b.getInt32(0));
  c.clock.next = c.lanes.stackSlot(c.b.getInt32Ty());
  c.b.CreateStore(low, c.clock.next);
  c.clock.notes = hasArea;
  for (llvm::BasicBlock &block : *c.function)
    c.clock.before.push_back(&block);
  llvm::BasicBlock *begin = c.newBlock("noting");
  c.clock.choice = c.b.CreateBr(begin);
  c.b.SetInsertPoint(begin);
  note(c, {.name = ClockName::begin}, /*isLast=*/false);
}

/// Writes a record where there is room; the last one has a place of its own. Who notes nothing does
/// not read the clock either.
static void note(KernelContext &c, runtime::ClockSite site, bool isLast) {
  c.clocks.push_back(std::move(site));
  std::string begin = "{\n\t.reg .pred p;\n\t.reg .b32 t, s;\n\t.reg .b64 a;\n\t";
  std::string write = "\n\t@p mov.u32 t, %clock;\n\tmov.b32 s, " + std::to_string(c.clocks.size()) +
                      ";\n\t@p st.global.v2.b32 [a], {t, s};\n\t";
  if (isLast) {
    markAsClock(*emitPtx(c.b, begin + "setp.ne.u32 p, $0, 0;\n\tmov.b64 a, {$0, $1};" + write + "}",
                         nullptr, "r,r", {c.clock.last, c.clock.high}));
    return;
  }
  llvm::Value *next = c.b.CreateLoad(c.b.getInt32Ty(), c.clock.next);
  llvm::CallInst *after = emitPtx(c.b,
                                  begin + "setp.lt.u32 p, $0, $2;\n\tmov.b64 a, {$0, $3};" + write +
                                      "@p add.u32 $0, $0, 8;\n\t}",
                                  c.b.getInt32Ty(), "=r,0,r,r", {next, c.clock.last, c.clock.high});
  markAsClock(*after);
  c.b.CreateStore(after, c.clock.next);
}

/// Until the last of the registers is there: a store that never happens has to have it. What is
/// loaded comes in order, more or less.
void emitClock(KernelContext &c, nv::ClockOp op) {
  for (Value value : op.getAwaited()) {
    llvm::Value *held = c.registersOf(value).back();
    llvm::Type *type = held->getType();
    unsigned bits = type->isPointerTy() ? 64 : type->getScalarSizeInBits();
    if (type->isPointerTy())
      held = c.b.CreatePtrToInt(held, c.b.getInt64Ty());
    else if (!type->isIntegerTy())
      held = c.b.CreateBitCast(held, c.b.getIntNTy(bits));
    held = c.b.CreateZExtOrTrunc(held, c.b.getInt32Ty());
    markAsClock(*emitPtx(c.b,
                         "{\n\t.reg .pred p;\n\t.reg .b64 a;\n\tsetp.eq.u32 p, $0, 1;\n\t"
                         "mov.b64 a, {$0, $1};\n\t@p st.global.b32 [a], $2;\n\t}",
                         nullptr, "r,r,r", {c.clock.last, c.clock.high, held}));
  }
  runtime::ClockSite site{.name = *parseClock({op.getWhat().data(), op.getWhat().size()}),
                          .isProducer = bool(op->getParentOfType<nv::ProduceOp>()),
                          .place = authorPlaceOf(op.getLoc())};
  note(c, std::move(site), /*isLast=*/false);
}

void noteEndOfWarp(KernelContext &c, bool isProducer) {
  note(c, {.name = ClockName::end, .isProducer = isProducer}, /*isLast=*/true);
}

void noteEndOfBlock(KernelContext &c) {
  llvm::Value *writes = nullptr, *row = rowOfBlock(c, blockNumber(c), writes);
  emitPtx(c.b,
          "{\n\t.reg .b64 t;\n\t@$1 mov.u64 t, %clock64;\n\t@$1 st.global.b64 [$0+16], t;\n\t"
          "@$1 mov.u64 t, %globaltimer;\n\t@$1 st.global.b64 [$0+24], t;\n\t}",
          nullptr, "l,b", {row, writes});
}

} // namespace nereid::backend::nvptx
