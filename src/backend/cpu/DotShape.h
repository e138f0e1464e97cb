// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocking of a dot product, shared by the storage plan and the emitter.
//
// The right factor is packed into panels of `panelWidth` columns, so that the micro-kernel reads it
// in order; the left one is row-major. The micro-kernel holds `rows` x `panelWidth` sums in
// registers and adds one outer product a step (Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication", 2008).
#pragma once

#include "backend/cpu/StoragePlan.h"
#include "dialect/tile/Tile.h"

#include "llvm/Support/MathExtras.h"

namespace nereid::backend::cpu {

struct DotShape {
  int64_t batch, m, n, k;
  mlir::Type compute; // what products are taken and summed in

  explicit DotShape(tile::DotOp op) {
    llvm::ArrayRef<int64_t> lhs = tile::shapeOf(op.getLhs().getType());
    llvm::ArrayRef<int64_t> result = tile::shapeOf(op.getType());
    batch = result.size() == 3 ? result[0] : 1;
    m = result[result.size() - 2];
    n = result.back();
    k = lhs.back();
    mlir::Type factor = tile::elementOf(op.getLhs().getType()), sum = tile::elementOf(op.getType());
    bool isSmallFloat = llvm::isa<mlir::FloatType>(sum) && !factor.isF64() && !sum.isF64();
    if (isSmallFloat)
      compute = mlir::Float32Type::get(op.getContext());
    else
      compute = factor.isF64() ? factor : sum;
  }

  unsigned elementBytes() const { return compute.getIntOrFloatBitWidth() / 8; }
  /// Two registers: each element of the left factor, once broadcast, is used twice.
  int64_t panelWidth(unsigned vectorBytes) const { return 2 * vectorBytes / elementBytes(); }
  int64_t paddedColumns(unsigned vectorBytes) const {
    return llvm::alignTo(n, panelWidth(vectorBytes));
  }
  /// Sums that are not laid out as the result is need a place of their own.
  bool needsOwnSums(tile::DotOp op, unsigned vectorBytes) const {
    return n % panelWidth(vectorBytes) != 0 || tile::elementOf(op.getType()) != compute;
  }

  // Byte offsets within the temporary: left factor, panels, sums.
  uint64_t panelsOffset() const {
    return llvm::alignTo(batch * m * k * elementBytes(), scratchAlignment);
  }
  uint64_t sumsOffset(unsigned vectorBytes) const {
    return panelsOffset() +
           llvm::alignTo(batch * k * paddedColumns(vectorBytes) * elementBytes(), scratchAlignment);
  }
  uint64_t bytes(unsigned vectorBytes) const {
    return sumsOffset(vectorBytes) + batch * m * paddedColumns(vectorBytes) * elementBytes();
  }
};

} // namespace nereid::backend::cpu
