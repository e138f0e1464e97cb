// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a CPU takes a dot product: by which instructions, and how factors and sums lie for them.
// Shared by the storage plan and the emitter.
//
// The right factor is packed into panels of `panelWidth` columns, so that the micro-kernel reads it
// in order; the left one is row-major. The micro-kernel holds a block of sums in registers and adds
// one outer product a step (Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication", 2008). Where instructions take several narrow elements along the depth at once,
// these lie side by side in both factors: a group of four bytes.
#pragma once

#include "backend/cpu/storage/StoragePlan.h"
#include "dialect/tile/Tile.h"
#include "target/CpuTarget.h"

#include "llvm/Support/MathExtras.h"

namespace nereid::backend::cpu {

enum class DotForm {
  Lanes,  // factors in the type of the sums, one multiply-add for each product
  Groups, // vector instructions that add a group's products to a sum: two bf16 or i16, four i8
  Tiles,  // AMX: 16 rows of 64 bytes times 64 bytes' worth of 16 columns
};

struct DotShape {
  int64_t batch, m, n, k;
  DotForm form = DotForm::Lanes;
  mlir::Type sum;    // what products are summed in
  mlir::Type factor; // what factors are packed as
  int64_t group = 1; // elements of a factor that lie side by side along the depth
  /// The left factor is packed with 128 added: instructions that take four bytes multiply unsigned
  /// ones by signed ones.
  bool isLhsUnsigned = false;
  // With zeros that fill up the last tile or group.
  int64_t paddedRows, paddedDepth;
  int64_t panelWidth, paddedColumns;

  /// Sides of a tile of AMX: rows of the left factor, columns of the right one, bytes of depth.
  static constexpr int64_t tileRows = 16, tileColumns = 16, tileDepthBytes = 64;

  DotShape(tile::DotOp op, const target::CpuTarget &cpu);

  unsigned sumBytes() const { return sum.getIntOrFloatBitWidth() / 8; }
  unsigned factorBytes() const { return factor.getIntOrFloatBitWidth() / 8; }
  /// Sums that are not laid out as the result is need a place of their own.
  bool needsOwnSums(tile::DotOp op) const {
    return n != paddedColumns || m != paddedRows || tile::elementOf(op.getType()) != sum;
  }

  // Byte offsets within the temporary: left factor, panels, the right factor before its elements
  // are grouped, sums.
  uint64_t panelsOffset() const {
    return aligned(batch * paddedRows * paddedDepth * factorBytes());
  }
  uint64_t stagingOffset() const { return panelsOffset() + aligned(rhsBytes()); }
  uint64_t sumsOffset() const { return stagingOffset() + (group > 1 ? aligned(rhsBytes()) : 0); }
  uint64_t bytes(tile::DotOp op) const {
    return sumsOffset() + (needsOwnSums(op) ? batch * paddedRows * paddedColumns * sumBytes() : 0);
  }
  int64_t rhsBytes() const { return batch * paddedDepth * paddedColumns * factorBytes(); }

private:
  static uint64_t aligned(int64_t bytes) { return llvm::alignTo(bytes, scratchAlignment); }
  void choose(tile::DotOp op, const target::CpuTarget &cpu);
};

} // namespace nereid::backend::cpu
