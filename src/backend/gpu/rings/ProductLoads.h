// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads in loops that feed products, and that may be made before the round that multiplies.
#pragma once

#include "analysis/Aliasing.h"
#include "analysis/AxisInfo.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace nereid::backend::gpu {

/// cp.async takes 4, 8 or 16 bytes.
inline constexpr int64_t leastCopyBytes = 4;

/// The dimension along which addresses run on, and how many bytes of them may be copied at once;
/// whether rows may end among those.
struct Run {
  unsigned dimension = 0;
  int64_t bytes = 0;
  bool ends = false;
};

struct ProductLoad {
  tile::LoadOp load;
  llvm::SetVector<tile::DotOp> products;
  Run run;
};
/// Those of the loop's body that have two dimensions, and zeros where the mask is false.
llvm::SmallVector<ProductLoad> findProductLoads(mlir::scf::ForOp loop,
                                                const analysis::AxisAnalysis &axes,
                                                const analysis::Aliasing &aliasing);

/// The products in its block whose factor the load is, perhaps after arithmetic of its lanes and
/// behind joins and reshapes (weights that are unpacked).
llvm::SetVector<tile::DotOp> productsOf(tile::LoadOp load);
Run runOf(tile::LoadOp load, const analysis::AxisAnalysis &axes);
/// A copy of the load (nv.copy) to `slot`, whose operands were cloned as `map` says; with how many
/// elements are left of a row, where what is copied at once is not masked alike.
void buildCopy(tile::LoadOp load, mlir::Value mask, mlir::Value slot,
               const analysis::AxisAnalysis &axes, const mlir::IRMapping &map,
               mlir::OpBuilder &builder);

/// Whether the load has two dimensions, and what stands in shared memory can be what it gives:
/// zeros where the mask is false.
bool isCopyable(tile::LoadOp load);
bool givesZeroOrNone(tile::LoadOp load);

/// Whether the load is of a row that threads can copy to shared memory; what it gives where the
/// mask is false is not there.
bool isCopiedRow(tile::LoadOp load, const analysis::AxisAnalysis &axes);
/// Whether threads can copy it, and what it gives where the mask is false is there as well: offsets
/// have 8 bytes, too.
bool isCopiedTable(tile::LoadOp load, const analysis::AxisAnalysis &axes);

/// Whether it is multiplied as it was loaded, perhaps turned over.
bool isFactorItself(tile::LoadOp load);

/// Whether the load's tile is large enough for a slot in shared memory with rows along
/// `contiguous` (a factor as it was loaded is read by units of 16 bytes, and what goes into one may
/// be a few scales); whether for one that boxes fill and warpgroups read; and how it lies there.
bool hasImage(tile::LoadOp load, unsigned contiguous);
bool hasSlot(tile::LoadOp load, unsigned contiguous);
nv::SharedType slotType(tile::LoadOp load, unsigned contiguous);
nv::SharedType rowSlotType(mlir::Type element, uint64_t length);
/// Whether threads can copy it there.
inline bool isCopiedByThreads(const ProductLoad &found) {
  return found.run.bytes >= leastCopyBytes && hasSlot(found.load, found.run.dimension);
}

} // namespace nereid::backend::gpu
