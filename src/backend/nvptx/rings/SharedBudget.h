// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a block is believed to take of shared memory. Passes that make rings choose their stages by
// it, before layouts say which tiles threads exchange. A room carries what was believed when it was
// made (`reserved` of nv.alloc and nv.ring), and SharedStack finds what took more.
#pragma once

#include "dialect/nv/Nv.h"
#include "target/SmShares.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::backend::nvptx {

inline constexpr uint64_t blockOverhead = target::blockOverhead;

/// The bytes of the elements side by side, as exchanges have them.
uint64_t tileBytes(mlir::Type tile);

/// A room for so many slots of the type.
uint64_t bytesOfRoom(nv::SharedType slot, uint64_t slots);

/// Two barriers (mbarrier) for each slot of a ring that one warp fetches into.
inline constexpr uint64_t barrierBytes = 8;
inline constexpr uint64_t bytesOfBarriers(uint64_t slots) {
  return llvm::alignTo(2 * barrierBytes * slots, nv::roomAlignment);
}

/// Shared memory that other things than slots may want while the loop runs: factors that are no
/// loads of it, and tiles that change their layouts (`exchanged` bytes at least) or, `staged`
/// bytes, are put there for a product of the round; bytes.
uint64_t bytesBesideSlots(mlir::scf::ForOp loop, uint64_t exchanged, uint64_t staged);

/// Shared memory for products of warpgroups that stand in none of these loops: a right factor that
/// is put there, beside tiles that change their layouts, `exchanged` bytes at least; bytes. None if
/// there is no such product.
uint64_t bytesOfProductsOutside(mlir::func::FuncOp kernel, llvm::ArrayRef<mlir::scf::ForOp> loops,
                                uint64_t exchanged);

/// Shared memory through which threads of a kernel may exchange tiles, and where factors of
/// products lie that are no loads of a loop: what it wants beside rings that are filled all the
/// time: of what is exchanged, `least` at least. Of accesses that `isMoved` names the copy engine
/// takes care. Bytes.
uint64_t bytesBesideRings(mlir::func::FuncOp kernel, uint64_t least,
                          llvm::function_ref<bool(mlir::Operation *)> isMoved);

/// The bytes of the loop's inner loops, which have their rings already; those of one after the
/// other share the room. Bytes.
uint64_t bytesOfInnerRooms(mlir::scf::ForOp loop);

/// While this room is there, the block is believed to take no more than `bytes` in all; nor while
/// one of those is there that `within` holds, an operation around which the room lives.
void reserve(mlir::Operation *room, uint64_t bytes, mlir::Operation *within = nullptr);

} // namespace nereid::backend::nvptx
