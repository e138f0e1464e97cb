// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of a warpgroup's tensor cores: "Asynchronous Warpgroup Level Matrix Instructions" of
// the PTX ISA.
#pragma once

#include "backend/gpu/emit/EmitContext.h"
#include "layout/OperandImage.h"

namespace nereid::backend::nvptx {

/// Where a part of a factor lies in shared memory, and how: 64 bits, made at the instruction.
struct WgmmaDescriptor {
  llvm::Value *low;        // half of that of the factor's first element; i32
  uint64_t distance, high; // what to add to it; the other half
};

/// A factor in shared memory, as the instruction's descriptors name parts of it.
class WgmmaFactor {
public:
  /// Where this warpgroup's part begins, the same in all its threads: i32, an address and, of a
  /// room that has slots, the number of one; else null.
  struct Place {
    llvm::Value *room, *slot;
  };
  /// `depthDimension` is the one along which the sum runs.
  WgmmaFactor(Builder &b, nv::SharedType type, unsigned depthDimension, Place place);

  /// The descriptor of the part that begins with this element.
  WgmmaDescriptor descriptor(const layout::Coordinates &at) const;
  /// From here on the halves of all descriptors are values, which loops compute once and keep in
  /// registers.
  void keepDescriptors() { areKept = true; }
  /// Whether rows run along m or n.
  bool isTransposed() const { return image.contiguous != depthDimension; }

private:
  Builder &b;
  layout::OperandImage image;
  unsigned elementBytes, depthDimension;
  WgmmaDescriptor first;
  bool areKept = false;
};

/// Along k, of both factors.
inline constexpr unsigned wgmmaDepthBytes = 32;

/// m64 n<columns> k<32 bytes>.
class Wgmma {
public:
  /// The element types are the same, or both floats of 8 bits.
  Wgmma(Builder &b, mlir::Type lhs, mlir::Type rhs, unsigned columns);

  /// Along k, in elements.
  unsigned depth() const;
  /// How many 32-bit registers of the left factor a thread gives, where that is in registers.
  unsigned lhsWords() const { return 4; }
  unsigned sumLanes() const { return columns / 2; }

  /// Registers written before are there for the products after. They go through here, so that they
  /// are written before: the left factor's, and sums that are not in flight.
  void begin(llvm::MutableArrayRef<llvm::Value *> written);
  /// The next product does not add to its sums, but gives them; what they were is not looked at.
  void startFresh() { addsToSums = false; }
  /// sums += lhs * rhs, some time before an await.
  void emit(llvm::MutableArrayRef<llvm::Value *> sums, const WgmmaDescriptor &lhs,
            bool isLhsTransposed, const WgmmaDescriptor &rhs, bool isRhsTransposed);
  void emit(llvm::MutableArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> lhsWords,
            const WgmmaDescriptor &rhs, bool isRhsTransposed);
  /// The products since the last commit are a group.
  void commit();

private:
  /// `lhs` is words, or of `lhsDescriptor` the low half.
  void emit(llvm::MutableArrayRef<llvm::Value *> sums, llvm::ArrayRef<llvm::Value *> lhs,
            const WgmmaDescriptor *lhsDescriptor, const WgmmaDescriptor &rhs,
            llvm::StringRef flags);

  Builder &b;
  mlir::Type lhsType, rhsType;
  unsigned columns;
  bool addsToSums = true; // the next product
};

} // namespace nereid::backend::nvptx
