// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clocks of kernels that are profiled (runtime/ClockRecords.h): each of a warp's first lanes writes
// what the warp has done, and when, into the warp's own area.
#include "backend/AuthorPlace.h"
#include "backend/nvptx/emit/KernelEmitter.h"
#include "backend/nvptx/ptx/NvptxLaneTarget.h"
#include "backend/nvptx/ptx/PtxAsm.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

constexpr unsigned clockParameters = 7;

} // namespace

bool KernelEmitter::takesClocks() const { return kernel->hasAttr(nv::clocksAttr); }

void KernelEmitter::addClockParameters(llvm::SmallVectorImpl<llvm::Type *> &types) {
  auto *pointer = llvm::PointerType::get(b.getContext(), NvptxLaneTarget().addressSpace());
  types.append({pointer, pointer});
  types.append(clockParameters - 2, b.getInt32Ty());
}

/// Of this block, along x first. Read anew wherever it is asked for: it would take a register from
/// the kernel's beginning to its end.
llvm::Value *KernelEmitter::blockNumber() {
  auto special = [&](const char *name) {
    return emitPtx(b, std::string("mov.u32 $0, %") + name + ";", b.getInt32Ty(), "=r");
  };
  llvm::Value *row = b.CreateAdd(b.CreateMul(special("ctaid.z"), special("nctaid.y")),
                                 special("ctaid.y"));
  return b.CreateAdd(b.CreateMul(row, special("nctaid.x")), special("ctaid.x"));
}

/// Of its block, along x first: so warps are made of them.
llvm::Value *KernelEmitter::numberOfThread() {
  if (!block || (block->y == 1 && block->z == 1))
    return threads.thread();
  auto special = [&](const char *name) {
    return emitPtx(b, std::string("mov.u32 $0, %") + name + ";", b.getInt32Ty(), "=r");
  };
  llvm::Value *row = b.CreateAdd(b.CreateMul(special("tid.z"), b.getInt32(block->y)),
                                 special("tid.y"));
  return b.CreateAdd(b.CreateMul(row, b.getInt32(block->x)), threads.thread());
}

/// The address of this block's row, for the block's first thread of blocks that have one.
llvm::Value *KernelEmitter::rowOfBlock(llvm::Value *number, llvm::Value *&writes) {
  llvm::Value *row = b.CreateMul(number, clock.inverseOfRows);
  llvm::Value *hasRow = b.CreateICmpULT(row, clock.rows);
  llvm::Value *isFirst = isOfThreads() ? b.CreateICmpEQ(numberOfThread(), b.getInt32(0))
                                       : threads.isFirstThread();
  writes = b.CreateAnd(hasRow, isFirst);
  llvm::Value *offset =
      b.CreateMul(b.CreateZExt(row, b.getInt64Ty()), b.getInt64(sizeof(runtime::BlockRow)));
  return b.CreatePtrToInt(b.CreateGEP(b.getInt8Ty(), clock.table, offset), b.getInt64Ty());
}

void KernelEmitter::beginClocks(unsigned first) {
  llvm::Argument *parameters[clockParameters];
  for (unsigned i = 0; i < clockParameters; ++i)
    parameters[i] = function->getArg(first + i);
  auto [table, records, inverseOfRows, rows, inverseOfAreas, areas, areaBytes] = parameters;
  clock.table = table;
  clock.inverseOfRows = inverseOfRows;
  clock.rows = rows;
  llvm::Value *number = blockNumber(), *writes = nullptr, *row = rowOfBlock(number, writes);
  emitPtx(b,
          "{\n\t.reg .b64 t;\n\t.reg .b32 s;\n\t@$1 mov.u64 t, %globaltimer;\n\t"
          "@$1 st.global.b64 [$0], t;\n\t@$1 mov.u64 t, %clock64;\n\t"
          "@$1 st.global.b64 [$0+8], t;\n\t@$1 mov.u32 s, %smid;\n\t@$1 cvt.u64.u32 t, s;\n\t"
          "@$1 st.global.b64 [$0+32], t;\n\t}",
          nullptr, "l,b", {row, writes});

  llvm::Type *i64 = b.getInt64Ty();
  llvm::Value *noting = b.CreateMul(number, inverseOfAreas);
  llvm::Value *hasArea = b.CreateICmpULT(noting, areas);
  llvm::Value *thread = numberOfThread();
  llvm::Value *isFirstLane = b.CreateICmpEQ(b.CreateAnd(thread, b.getInt32(31)), b.getInt32(0));
  llvm::Value *warps = b.getInt32((threadsOfBlock() + target::warpSize - 1) / target::warpSize);
  llvm::Value *area = b.CreateAdd(b.CreateMul(noting, warps), b.CreateLShr(thread, 5));
  llvm::Value *offset = b.CreateMul(b.CreateZExt(area, i64), b.CreateZExt(areaBytes, i64));
  llvm::Value *address =
      b.CreatePtrToInt(b.CreateGEP(b.getInt8Ty(), records, offset), i64);
  // An area lies in one piece of 4 GB.
  llvm::Value *low = b.CreateTrunc(address, b.getInt32Ty());
  clock.high = b.CreateTrunc(b.CreateLShr(address, 32), b.getInt32Ty());
  llvm::Value *toLast = b.CreateSub(areaBytes, b.getInt32(sizeof(runtime::ClockRecord)));
  llvm::Value *last = b.CreateAdd(low, toLast);
  clock.last = b.CreateSelect(b.CreateAnd(hasArea, isFirstLane), last, b.getInt32(0));
  clock.next = lanes.stackSlot(b.getInt32Ty());
  b.CreateStore(low, clock.next);
  note({.name = ClockName::begin}, /*isLast=*/false);
}

/// Writes a record where there is room; the last one has a place of its own. Who notes nothing does
/// not read the clock either.
void KernelEmitter::note(runtime::ClockSite site, bool isLast) {
  clocks.push_back(std::move(site));
  std::string begin = "{\n\t.reg .pred p;\n\t.reg .b32 t, s;\n\t.reg .b64 a;\n\t";
  std::string write = "\n\t@p mov.u32 t, %clock;\n\tmov.b32 s, " + std::to_string(clocks.size()) +
                      ";\n\t@p st.global.v2.b32 [a], {t, s};\n\t";
  if (isLast) {
    emitPtx(b, begin + "setp.ne.u32 p, $0, 0;\n\tmov.b64 a, {$0, $1};" + write + "}", nullptr,
            "r,r", {clock.last, clock.high});
    return;
  }
  llvm::Value *next = b.CreateLoad(b.getInt32Ty(), clock.next);
  next = emitPtx(b, begin + "setp.lt.u32 p, $0, $2;\n\tmov.b64 a, {$0, $3};" + write +
                        "@p add.u32 $0, $0, 8;\n\t}",
                 b.getInt32Ty(), "=r,0,r,r", {next, clock.last, clock.high});
  b.CreateStore(next, clock.next);
}

/// Until the last of the registers is there: a store that never happens has to have it. What is
/// loaded comes in order, more or less.
void KernelEmitter::emitClock(nv::ClockOp op) {
  for (Value value : op.getAwaited()) {
    llvm::Value *held = registersOf(value).back();
    llvm::Type *type = held->getType();
    unsigned bits = type->isPointerTy() ? 64 : type->getScalarSizeInBits();
    if (type->isPointerTy())
      held = b.CreatePtrToInt(held, b.getInt64Ty());
    else if (!type->isIntegerTy())
      held = b.CreateBitCast(held, b.getIntNTy(bits));
    held = b.CreateZExtOrTrunc(held, b.getInt32Ty());
    emitPtx(b, "{\n\t.reg .pred p;\n\t.reg .b64 a;\n\tsetp.eq.u32 p, $0, 1;\n\t"
               "mov.b64 a, {$0, $1};\n\t@p st.global.b32 [a], $2;\n\t}",
            nullptr, "r,r,r", {clock.last, clock.high, held});
  }
  runtime::ClockSite site{.name = *parseClock({op.getWhat().data(), op.getWhat().size()}),
                          .isProducer = bool(op->getParentOfType<nv::ProduceOp>()),
                          .place = authorPlaceOf(op.getLoc())};
  note(std::move(site), /*isLast=*/false);
}

void KernelEmitter::noteEndOfWarp(bool isProducer) {
  note({.name = ClockName::end, .isProducer = isProducer}, /*isLast=*/true);
}

void KernelEmitter::noteEndOfBlock() {
  llvm::Value *writes = nullptr, *row = rowOfBlock(blockNumber(), writes);
  emitPtx(b,
          "{\n\t.reg .b64 t;\n\t@$1 mov.u64 t, %clock64;\n\t@$1 st.global.b64 [$0+16], t;\n\t"
          "@$1 mov.u64 t, %globaltimer;\n\t@$1 st.global.b64 [$0+24], t;\n\t}",
          nullptr, "l,b", {row, writes});
}

} // namespace nereid::backend::nvptx
