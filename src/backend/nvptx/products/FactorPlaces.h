// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in shared memory warpgroups (wgmma) read the factors of a product.
#pragma once

#include "analysis/AxisInfo.h"
#include "dialect/nv/Nv.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::backend::nvptx {

enum class Side { Lhs, Rhs };

/// Whether a product that turns such a factor (nv.multiply) reads one of this side where it lies:
/// one of 16 bits in either order, others only along the sum, or only the other way if they are
/// turned.
bool isReadable(nv::SharedType type, Side side, nv::Turned turned = nv::Turned::None);

/// The dimension along which neighbours of the tile lie in memory, or in the slot, that it comes
/// from lane by lane; nothing where it comes from no such place, or from far away.
std::optional<unsigned> dimensionOfNeighbours(mlir::Value tile, const analysis::AxisAnalysis &axes,
                                              unsigned depth = 0);

/// What a warp turns at once: matrices of two bytes by eight rows, four of them.
inline constexpr unsigned rowsOfTurn = 16, depthOfTurn = 32;

/// Whether nv.turn takes bytes from the one place to the other, which lie along different
/// dimensions.
bool isTurnable(nv::SharedType from, nv::SharedType to);

/// How the load's tile lies in a slot with rows along `contiguous`: as gpu::slotType has it, or
/// with even rows first, if they are the columns of products that all want them so.
nv::SharedType factorSlotType(tile::LoadOp load, unsigned contiguous);

/// How a factor is put there that lies nowhere yet: with neighbours as the tile has them that was
/// loaded, where they may be read so. What threads have loaded together they store together.
nv::SharedType stagedType(mlir::Value factor, Side side, const analysis::AxisAnalysis &axes,
                          nv::ProductAttr product);
/// Room for it, whichever way it lies.
uint64_t stagedBytes(mlir::Value factor);

/// Whether threads put the right factor into shared memory in each round: it is made in the round,
/// or not readable in the slot that it was loaded into, of which `slotOf` gives the type (null for
/// loads that stay loads).
bool isStagedInRound(tile::DotOp dot, llvm::function_ref<nv::SharedType(tile::LoadOp load)> slotOf);

/// Room for those of a round: bytes, of the product that needs most.
uint64_t bytesStagedInRound(mlir::scf::ForOp loop,
                            llvm::function_ref<nv::SharedType(tile::LoadOp)> slotOf);

} // namespace nereid::backend::nvptx
