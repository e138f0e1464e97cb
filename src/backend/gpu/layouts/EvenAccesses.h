// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many elements a thread moves at once where tiles of several types meet.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::backend::gpu {

/// An access at its widest.
struct WidestAccess {
  unsigned axis = 0;     // along which a thread's elements are neighbours
  unsigned elements = 1; // of a thread at once, as the addresses allow and the tile has for it
  bool isWhole = false;  // the addresses stand in the way of no more
  /// One element at a time, of which nothing is known that makes its neighbours far: what begins
  /// anywhere, or is held within an image.
  bool isLoose = false;
};

/// In bytes of a thread: what an access takes at least, what accesses of single elements span at
/// most, and what it loads side by side at most, by several accesses.
struct AccessBounds {
  unsigned leastBytes = 1, mostSpanned = 0, mostLoaded = 16;
};

/// Where tiles meet element by element whose types differ in size, accesses of 16 bytes would leave
/// each type's tiles with other threads, and the elements would change hands. Fewer elements of the
/// narrower types at once spare that: four neighbours of bfloat16 beside float32. Loads of single
/// elements (of a picture, shifted by one) have as many neighbours in a thread as what they meet,
/// if those are near. Where only loads are wider than what is stored, a thread loads as many
/// neighbours as one store takes: sixteen of bfloat16 beside bytes. By pointer (of nv.read_row by
/// its result) how many; those that go as they would in any case are left out.
llvm::DenseMap<mlir::Value, unsigned>
evenAccesses(mlir::func::FuncOp kernel, AccessBounds bounds,
             llvm::function_ref<bool(mlir::Value tile)> isSettled,
             llvm::function_ref<WidestAccess(mlir::Value pointer, mlir::Value mask)> widest);

} // namespace nereid::backend::gpu
