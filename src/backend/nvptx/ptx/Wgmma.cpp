// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/Wgmma.h"

#include "backend/nvptx/ptx/FragmentWords.h"
#include "backend/nvptx/ptx/PtxAsm.h"
#include "support/Check.h"

#include "llvm/Support/FormatVariadic.h"

#include <bit>

namespace nereid::backend::nvptx {

// Factors in shared memory

/// What addresses and distances are counted in.
static constexpr unsigned unit = 16;

static uint64_t swizzleMode(layout::Swizzle swizzle) {
  switch (swizzle) {
  case layout::Swizzle::None:
    return 0;
  case layout::Swizzle::Bytes128:
    return 1;
  case layout::Swizzle::Bytes64:
    return 2;
  case layout::Swizzle::Bytes32:
    return 3;
  }
  NEREID_UNREACHABLE("no such swizzle");
}

WgmmaFactor::WgmmaFactor(Builder &b, nv::SharedType type, unsigned depthDimension, Place place)
    : b(b), elementBytes(tile::byteSizeOf(type.getElementType())), depthDimension(depthDimension) {
  auto found = layout::findImage(type.getLayout(), elementBytes);
  NEREID_CHECK(found, "a factor lies in shared memory otherwise than wgmma reads it");
  image = *found;
  // "Matrix Descriptor Format". Along k the stride is that of groups of 8 rows, and the leading
  // offset only means something where there is no swizzle.
  uint64_t leading = image.boxBytes, stride = image.rowGroupBytes;
  if (image.swizzle == layout::Swizzle::None && isTransposed())
    std::swap(leading, stride);
  first.high = stride / unit | swizzleMode(image.swizzle) << 30;
  first.low = b.CreateOr(b.CreateLShr(place.room, std::countr_zero(unit)),
                         b.getInt32(leading / unit << 16));
  if (place.slot)
    first.low =
        b.CreateAdd(first.low, b.CreateMul(place.slot, b.getInt32(type.getSlotBytes() / unit)));
  first.distance = 0;
}

/// Sums stay within the half that has the address: wider ones would take carries along.
WgmmaDescriptor WgmmaFactor::descriptor(const layout::Coordinates &at) const {
  uint64_t distance = layout::plainOffset(image, at, elementBytes) / unit;
  if (areKept)
    return {b.CreateAdd(first.low, b.getInt32(distance)), 0, first.high};
  return {first.low, distance, first.high};
}

/// PTX for the descriptor whose low half is operand `operand`.
static std::string makeDescriptor(llvm::StringRef name, const WgmmaDescriptor &descriptor,
                                  unsigned operand) {
  return llvm::formatv(".reg .b32 low_{0}; .reg .b64 {0}; add.u32 low_{0}, ${1}, {2}; "
                       "mov.b64 {0}, {{low_{0}, {3}}; ",
                       name, operand, descriptor.distance, descriptor.high);
}

// Instructions

Wgmma::Wgmma(Builder &b, mlir::Type lhs, mlir::Type rhs, unsigned columns)
    : b(b), lhsType(lhs), rhsType(rhs), columns(columns) {}

unsigned Wgmma::depth() const { return 8 * wgmmaDepthBytes / lhsType.getIntOrFloatBitWidth(); }

void Wgmma::begin(llvm::MutableArrayRef<llvm::Value *> written) {
  emitPassing(b, "wgmma.fence.sync.aligned;", written);
}

void Wgmma::commit() { emitPtx(b, "wgmma.commit_group.sync.aligned;"); }

void Wgmma::emit(llvm::MutableArrayRef<llvm::Value *> sums, const WgmmaDescriptor &lhs,
                 bool isLhsTransposed, const WgmmaDescriptor &rhs, bool isRhsTransposed) {
  std::string flags;
  if (lhsType.getIntOrFloatBitWidth() == 16)
    flags = llvm::formatv(", {0}, {1}", int(isLhsTransposed), int(isRhsTransposed));
  emit(sums, lhs.low, &lhs, rhs, flags);
}

void Wgmma::emit(llvm::MutableArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> lhsWords,
                 const WgmmaDescriptor &rhs, bool isRhsTransposed) {
  std::string flags;
  if (lhsType.getIntOrFloatBitWidth() == 16)
    flags = llvm::formatv(", {0}", int(isRhsTransposed));
  emit(sums, lhsWords, nullptr, rhs, flags);
}

void Wgmma::emit(llvm::MutableArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> lhs,
                 const WgmmaDescriptor *lhsDescriptor, const WgmmaDescriptor &rhs,
                 llvm::StringRef flags) {
  bool isInteger = lhsType.isInteger();
  unsigned next = 0;
  auto list = [&](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(next++);
    return text;
  };
  std::string constraints, tied, outputs = list(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    constraints += isInteger ? "=r," : "=f,";
    tied += "," + std::to_string(i);
  }
  std::string descriptors;
  if (lhsDescriptor)
    descriptors += makeDescriptor("left", *lhsDescriptor, next);
  std::string left = "{" + list(lhs.size()) + "}";
  for (size_t i = 0; i < lhs.size(); ++i)
    constraints += "r,";
  descriptors += makeDescriptor("right", rhs, next);
  constraints += "r" + tied;
  // Integers have no signs to change.
  std::string text = llvm::formatv(
      "{{ .reg .pred p; setp.{10}.u32 p, 0, 0; {11}"
      "wgmma.mma_async.sync.aligned.m64n{0}k{1}.{2}.{3}.{4} {{{5}}, {6}, {7}, p{8}{9}; }",
      columns, depth(), isInteger ? "s32" : "f32", fragmentTypeName(lhsType),
      fragmentTypeName(rhsType), outputs, lhsDescriptor ? "left" : left, "right",
      isInteger ? "" : ", 1, 1", flags, addsToSums ? "eq" : "ne", descriptors);
  addsToSums = true;
  llvm::SmallVector<llvm::Value *> operands(lhs.begin(), lhs.end());
  operands.push_back(rhs.low);
  operands.append(sums.begin(), sums.end());
  llvm::SmallVector<llvm::Type *> types(sums.size(), sums[0]->getType());
  llvm::Value *call =
      emitPtx(b, text, llvm::StructType::get(b.getContext(), types), constraints, operands);
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = b.CreateExtractValue(call, i);
}

} // namespace nereid::backend::nvptx
