// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/NvptxTarget.h"

#include "backend/nvptx/ptx/AtomicInstruction.h"
#include "backend/nvptx/ptx/GlobalAccess.h"
#include "backend/nvptx/ptx/MatrixInstructions.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "backend/nvptx/ptx/Shuffle.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

namespace nereid::backend::nvptx {

namespace {

struct MatrixIntrinsics {
  llvm::Intrinsic::ID load, loadTransposed, store, storeTransposed;
};

/// The instructions for 1, 2 and 4 matrices.
constexpr MatrixIntrinsics matrixIntrinsics[] = {
    {llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16,
     llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x1_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x1_trans_b16},
    {llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16,
     llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x2_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x2_trans_b16},
    {llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
     llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x4_b16,
     llvm::Intrinsic::nvvm_stmatrix_sync_aligned_m8n8_x4_trans_b16}};

bool isTransposed(const layout::SharedAccess &access) {
  return access.instruction == layout::SharedInstruction::MatrixTransposed;
}

const MatrixIntrinsics &intrinsicsOf(const layout::SharedAccess &access) {
  return matrixIntrinsics[llvm::Log2_32(access.matrices)];
}

} // namespace

unsigned NvptxTarget::mostAtomicsTogether(tile::AtomicRmwOp op) const {
  return nvptx::mostAtomicsTogether(op, target);
}

layout::MatrixInstructions NvptxTarget::matrixInstructions() const { return matricesOf(target); }

/// With the signs' exclusive or: one instruction, where taking the signs away first would be one
/// more for each pair.
static llvm::Intrinsic::ID extremeOfMagnitudes(llvm::Intrinsic::ID extreme, bool areHalves) {
  switch (extreme) {
  case llvm::Intrinsic::maxnum:
    return areHalves ? llvm::Intrinsic::nvvm_fmax_xorsign_abs_f16x2
                     : llvm::Intrinsic::nvvm_fmax_xorsign_abs_bf16x2;
  case llvm::Intrinsic::minnum:
    return areHalves ? llvm::Intrinsic::nvvm_fmin_xorsign_abs_f16x2
                     : llvm::Intrinsic::nvvm_fmin_xorsign_abs_bf16x2;
  case llvm::Intrinsic::maximum:
    return areHalves ? llvm::Intrinsic::nvvm_fmax_nan_xorsign_abs_f16x2
                     : llvm::Intrinsic::nvvm_fmax_nan_xorsign_abs_bf16x2;
  default:
    return areHalves ? llvm::Intrinsic::nvvm_fmin_nan_xorsign_abs_f16x2
                     : llvm::Intrinsic::nvvm_fmin_nan_xorsign_abs_bf16x2;
  }
}

llvm::Value *NvptxTarget::extremeOfPairs(Builder &b, llvm::Intrinsic::ID extreme, bool ofMagnitudes,
                                         llvm::Value *x, llvm::Value *y) const {
  if (!ofMagnitudes)
    return b.CreateBinaryIntrinsic(extreme, x, y);
  if (target.version() >= 86)
    return b.CreateIntrinsic(
        x->getType(), extremeOfMagnitudes(extreme, x->getType()->getScalarType()->isHalfTy()),
        {x, y});
  return b.CreateBinaryIntrinsic(extreme, b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x),
                                 b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, y));
}

llvm::SmallVector<llvm::Value *, 8>
NvptxTarget::loadGlobal(LaneBuilder &lanes, gpu::GlobalElements elements, llvm::Value *address,
                        llvm::Value *predicate, llvm::ArrayRef<llvm::Value *> others) const {
  return GlobalAccess(lanes, elements.element, elements.count, elements.isVolatile,
                      {elements.eviction, hintedCaches})
      .load(address, predicate, others);
}

void NvptxTarget::storeGlobal(LaneBuilder &lanes, gpu::GlobalElements elements,
                              llvm::Value *address, llvm::Value *predicate,
                              llvm::ArrayRef<llvm::Value *> values) const {
  GlobalAccess(lanes, elements.element, elements.count, elements.isVolatile,
               {elements.eviction, hintedCaches})
      .store(address, predicate, values);
}

llvm::Value *NvptxTarget::threadId(Builder &b) const {
  return b.CreateIntrinsic(b.getInt32Ty(), llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
}

llvm::Value *NvptxTarget::shuffleXor(Builder &b, llvm::Value *value, unsigned laneMask) const {
  return nvptx::shuffleXor(b, value, laneMask);
}

llvm::Value *NvptxTarget::shuffleWithin(Builder &b, llvm::Value *value, unsigned mask,
                                        unsigned bits) const {
  return nvptx::shuffleWithin(b, value, mask, bits);
}

llvm::Value *NvptxTarget::shuffleFrom(Builder &b, llvm::Value *value, llvm::Value *lane) const {
  return nvptx::shuffleFrom(b, value, lane);
}

static llvm::Intrinsic::ID instructionOf(gpu::WholeReduction kind) {
  switch (kind) {
  case gpu::WholeReduction::Add:
    return llvm::Intrinsic::nvvm_redux_sync_add;
  case gpu::WholeReduction::MinSigned:
    return llvm::Intrinsic::nvvm_redux_sync_min;
  case gpu::WholeReduction::MaxSigned:
    return llvm::Intrinsic::nvvm_redux_sync_max;
  case gpu::WholeReduction::MinUnsigned:
    return llvm::Intrinsic::nvvm_redux_sync_umin;
  case gpu::WholeReduction::MaxUnsigned:
    return llvm::Intrinsic::nvvm_redux_sync_umax;
  case gpu::WholeReduction::And:
    return llvm::Intrinsic::nvvm_redux_sync_and;
  case gpu::WholeReduction::Or:
    return llvm::Intrinsic::nvvm_redux_sync_or;
  case gpu::WholeReduction::Xor:
    return llvm::Intrinsic::nvvm_redux_sync_xor;
  }
  llvm_unreachable("a reduction of whole numbers without an instruction");
}

llvm::Value *NvptxTarget::reduceLanes(Builder &b, gpu::WholeReduction kind,
                                      llvm::Value *value) const {
  return b.CreateIntrinsic(b.getInt32Ty(), instructionOf(kind), {value, b.getInt32(-1)});
}

void NvptxTarget::syncBlock(Builder &b, unsigned threads) const {
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_count,
                    {b.getInt32(0), b.getInt32(threads)});
}

/// As PTX: a branch around it would keep the assembler from moving what stands before and behind
/// it.
void NvptxTarget::syncBlockWhere(Builder &b, unsigned threads, llvm::Value *predicate) const {
  emitPtx(b, "@$0 bar.sync 0, " + std::to_string(threads) + ";", nullptr, "b", {predicate});
}

void NvptxTarget::syncWarp(Builder &b) const {
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::nvvm_bar_warp_sync, {b.getInt32(-1)});
}

/// As PTX: LLVM has no predicated access, and would make branches of it.
void NvptxTarget::storeShared(Builder &b, llvm::Value *value, llvm::Value *address,
                              llvm::Value *predicate) const {
  llvm::Type *type = value->getType();
  unsigned width = type->isPointerTy() ? 64 : std::max(8u, type->getScalarSizeInBits());
  llvm::Type *word = b.getIntNTy(std::max(16u, width));
  llvm::Value *bits =
      type->isPointerTy()
          ? b.CreatePtrToInt(value, word)
          : b.CreateZExt(b.CreateBitCast(value, b.getIntNTy(type->getScalarSizeInBits())), word);
  const char *letter = width == 64 ? "l" : width == 32 ? "r" : "h";
  std::string text = "st.shared.b" + std::to_string(width) + " [$0], $1;";
  std::string constraints = std::string("r,") + letter;
  llvm::SmallVector<llvm::Value *, 3> operands = {address, bits};
  if (predicate) {
    text = "@$2 " + text;
    constraints += ",b";
    operands.push_back(predicate);
  }
  emitPtx(b, text, nullptr, constraints, operands);
}

void NvptxTarget::addOneShared(Builder &b, llvm::Value *address, llvm::Value *predicate) const {
  emitPtx(b, "@$1 red.shared.add.u32 [$0], 1;", nullptr, "r,b", {address, predicate});
}

/// Waits for all that the thread has asked of memory, so only where somebody needs it.
void NvptxTarget::publishShared(Builder &b) const {
  if (target.hasWarpgroupProducts && hasEngines)
    emitPtx(b, "fence.proxy.async.shared::cta;");
}

void NvptxTarget::storeMatrices(Builder &b, const layout::SharedAccess &access,
                                llvm::Value *pointer, llvm::ArrayRef<llvm::Value *> vectors) const {
  const MatrixIntrinsics &ids = intrinsicsOf(access);
  llvm::SmallVector<llvm::Value *, 5> operands = {pointer};
  for (llvm::Value *vector : vectors)
    operands.push_back(b.CreateBitCast(vector, b.getInt32Ty()));
  b.CreateIntrinsic(b.getVoidTy(), isTransposed(access) ? ids.storeTransposed : ids.store,
                    operands);
}

llvm::SmallVector<llvm::Value *, 8> NvptxTarget::loadMatrices(Builder &b,
                                                              const layout::SharedAccess &access,
                                                              llvm::Value *pointer,
                                                              llvm::Type *memory) const {
  const MatrixIntrinsics &ids = intrinsicsOf(access);
  llvm::Type *word = b.getInt32Ty();
  llvm::Type *result =
      access.matrices == 1
          ? word
          : llvm::StructType::get(b.getContext(),
                                  llvm::SmallVector<llvm::Type *>(access.matrices, word));
  llvm::Value *loaded =
      b.CreateIntrinsic(result, isTransposed(access) ? ids.loadTransposed : ids.load, {pointer});
  llvm::SmallVector<llvm::Value *, 8> vectors;
  for (unsigned i = 0; i < access.matrices; ++i)
    vectors.push_back(
        b.CreateBitCast(access.matrices == 1 ? loaded : b.CreateExtractValue(loaded, i),
                        llvm::FixedVectorType::get(memory, access.elements)));
  return vectors;
}

} // namespace nereid::backend::nvptx
