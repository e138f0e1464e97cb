// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which programs a block runs.
#include "backend/nvptx/emit/KernelEmitter.h"
#include "backend/gpu/tiles/OrderPrograms.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static llvm::Value *read(Builder &b, llvm::Intrinsic::ID specialRegister) {
  return b.CreateIntrinsic(b.getInt32Ty(), specialRegister, {});
}

std::array<llvm::Value *, 3> KernelEmitter::programIds() {
  if (programOfRound)
    return *programOfRound;
  llvm::Value *x = read(b, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  if (beginsWithLastProgram(kernel))
    x = b.CreateSub(b.CreateSub(programCounts()[0], b.getInt32(1)), x);
  return {x, read(b, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y),
          read(b, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z)};
}

std::array<llvm::Value *, 3> KernelEmitter::programCounts() {
  if (!gridArguments.empty())
    return {gridArguments[0], gridArguments[1], gridArguments[2]};
  return {read(b, llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x),
          read(b, llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y),
          read(b, llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z)};
}

void KernelEmitter::emitProgramId(tile::ProgramIdOp op) {
  values[op.getResult()] = {programIds()[op.getAxis()]};
}

void KernelEmitter::emitNumPrograms(tile::NumProgramsOp op) {
  values[op.getResult()] = {programCounts()[op.getAxis()]};
}

/// Which program is the one of this number, along x first. Where later programs along x are longer,
/// rows of programs are taken together, so that each block has long ones and short ones alike: the
/// longest of all of these rows first.
std::array<llvm::Value *, 3> KernelEmitter::programAt(llvm::Value *number, llvm::Value *blocks) {
  auto [x, y, z] = programCounts();
  if (!beginsWithLastProgram(kernel)) {
    llvm::Value *row = b.CreateUDiv(number, x);
    return {b.CreateURem(number, x), b.CreateURem(row, y), b.CreateUDiv(row, y)};
  }
  llvm::Value *one = b.getInt32(1), *rows = b.CreateMul(y, z);
  auto least = [&](llvm::Value *a, llvm::Value *c) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, c);
  };
  llvm::Value *most = b.CreateUDiv(b.CreateMul(blocks, b.getInt32(policy.programs_of_group)), x);
  llvm::Value *height = least(b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, most, one), rows);
  llvm::Value *inGroup = b.CreateMul(height, x);
  llvm::Value *firstRow = b.CreateMul(b.CreateUDiv(number, inGroup), height);
  llvm::Value *rest = b.CreateURem(number, inGroup);
  height = least(height, b.CreateSub(rows, firstRow));
  llvm::Value *row = b.CreateAdd(firstRow, b.CreateURem(rest, height));
  llvm::Value *fromLast = b.CreateUDiv(rest, height);
  return {b.CreateSub(b.CreateSub(x, one), fromLast), b.CreateURem(row, y), b.CreateUDiv(row, y)};
}

/// The launch has no more blocks than programs, so that each has one. Programs are numbered along x
/// first, and fewer than 2^31.
void KernelEmitter::emitPrograms(nv::ProgramsOp op) {
  auto [x, y, z] = programCounts();
  llvm::Value *count = b.CreateMul(b.CreateMul(x, y), z);
  llvm::Value *first = read(b, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  llvm::Value *step = read(b, llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x);
  llvm::BasicBlock *before = b.GetInsertBlock(), *inside = newBlock("program"),
                   *after = newBlock("end_programs");
  b.CreateBr(inside);
  b.SetInsertPoint(inside);
  shared.forget();
  llvm::PHINode *number = b.CreatePHI(b.getInt32Ty(), 2, "program");
  number->addIncoming(first, before);
  programOfRound = programAt(number, step);
  emitBlock(op.getBody().front());
  programOfRound.reset();
  llvm::Value *next = b.CreateAdd(number, step);
  number->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, count), inside, after);
  b.SetInsertPoint(after);
  shared.forget();
}

} // namespace nereid::backend::nvptx
