// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which programs a block runs.
#include "backend/gpu/tiles/OrderPrograms.h"
#include "backend/nvptx/emit/Emit.h"
#include "backend/nvptx/rings/SpreadRows.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static std::array<llvm::Value *, 3> programCounts(KernelContext &c);

static llvm::Value *read(Builder &b, llvm::Intrinsic::ID specialRegister) {
  return b.CreateIntrinsic(b.getInt32Ty(), specialRegister, {});
}

std::array<llvm::Value *, 3> programIds(KernelContext &c) {
  if (c.programOfRound)
    return *c.programOfRound;
  llvm::Value *x =
      read(c.b, blocksOfProgram(c.kernel) > 1 ? llvm::Intrinsic::nvvm_read_ptx_sreg_clusterid_x
                                              : llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  if (beginsWithLastProgram(c.kernel))
    x = c.b.CreateSub(c.b.CreateSub(programCounts(c)[0], c.b.getInt32(1)), x);
  return {x, read(c.b, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y),
          read(c.b, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z)};
}

static std::array<llvm::Value *, 3> programCounts(KernelContext &c) {
  if (!c.gridArguments.empty())
    return {c.gridArguments[0], c.gridArguments[1], c.gridArguments[2]};
  return {read(c.b, blocksOfProgram(c.kernel) > 1 ? llvm::Intrinsic::nvvm_read_ptx_sreg_nclusterid_x
                                                  : llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x),
          read(c.b, llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y),
          read(c.b, llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z)};
}

void emitProgramId(KernelContext &c, tile::ProgramIdOp op) {
  c.values[op.getResult()] = {programIds(c)[op.getAxis()]};
}

void emitNumPrograms(KernelContext &c, tile::NumProgramsOp op) {
  c.values[op.getResult()] = {programCounts(c)[op.getAxis()]};
}

/// Which program is the one of this number, along x first (ProgramOrder counts alike). Where later
/// programs along x are longer, rows of programs are taken together, so that each block has long
/// ones and short ones alike: the longest of all of these rows first.
static std::array<llvm::Value *, 3> programAt(KernelContext &c, llvm::Value *number,
                                              llvm::Value *blocks) {
  auto [x, y, z] = programCounts(c);
  if (!beginsWithLastProgram(c.kernel)) {
    llvm::Value *row = c.b.CreateUDiv(number, x);
    return {c.b.CreateURem(number, x), c.b.CreateURem(row, y), c.b.CreateUDiv(row, y)};
  }
  llvm::Value *one = c.b.getInt32(1), *rows = c.b.CreateMul(y, z);
  auto least = [&](llvm::Value *a, llvm::Value *other) {
    return c.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, other);
  };
  llvm::Value *most =
      c.b.CreateUDiv(c.b.CreateMul(blocks, c.b.getInt32(c.policy.programs_of_group)), x);
  llvm::Value *height = least(c.b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, most, one), rows);
  llvm::Value *inGroup = c.b.CreateMul(height, x);
  llvm::Value *firstRow = c.b.CreateMul(c.b.CreateUDiv(number, inGroup), height);
  llvm::Value *rest = c.b.CreateURem(number, inGroup);
  height = least(height, c.b.CreateSub(rows, firstRow));
  llvm::Value *row = c.b.CreateAdd(firstRow, c.b.CreateURem(rest, height));
  llvm::Value *fromLast = c.b.CreateUDiv(rest, height);
  return {c.b.CreateSub(c.b.CreateSub(x, one), fromLast), c.b.CreateURem(row, y),
          c.b.CreateUDiv(row, y)};
}

/// The launch has no more blocks than programs, so that each has one. Programs are numbered along x
/// first, and fewer than 2^31.
void emitPrograms(KernelContext &c, nv::ProgramsOp op) {
  auto [x, y, z] = programCounts(c);
  llvm::Value *count = c.b.CreateMul(c.b.CreateMul(x, y), z);
  llvm::Value *first = read(c.b, llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  llvm::Value *step = read(c.b, llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x);
  llvm::BasicBlock *before = c.b.GetInsertBlock(), *inside = c.newBlock("program"),
                   *after = c.newBlock("end_programs");
  c.b.CreateBr(inside);
  c.b.SetInsertPoint(inside);
  c.shared.forget();
  llvm::PHINode *number = c.b.CreatePHI(c.b.getInt32Ty(), 2, "program");
  number->addIncoming(first, before);
  c.programOfRound = programAt(c, number, step);
  emitBlock(c, op.getBody().front());
  c.programOfRound.reset();
  llvm::Value *next = c.b.CreateAdd(number, step);
  number->addIncoming(next, c.b.GetInsertBlock());
  c.b.CreateCondBr(c.b.CreateICmpULT(next, count), inside, after);
  c.b.SetInsertPoint(after);
  c.shared.forget();
}

} // namespace nereid::backend::nvptx
