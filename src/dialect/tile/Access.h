// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an operation does to the memory that programs share. docs/memory-model.md is the whole
// story.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nereid::tile {

struct Access {
  /// Where; null is anywhere.
  mlir::Value pointer = {};
  mlir::Value mask = {};
  bool reads = false, writes = false;
  /// What stands after the operation in its program stays after it.
  bool acquires = false;
  /// What stands before the operation in its program stays before it.
  bool releases = false;

  bool isOrdered() const { return acquires || releases; }
  bool touchesMemory() const { return reads || writes || isOrdered(); }
};

/// Of the operation itself, not of what its regions hold. An operation that nothing is known of
/// reads and writes anything and keeps all in order.
Access accessOf(mlir::Operation *op);

/// Whether anything in a kernel may tell other programs, or hear from them, that something is done:
/// an atomic, a volatile load, an author's instructions. Where nothing does, a barrier is one of
/// the program's own threads, which orders no other program's accesses.
bool handsOver(mlir::Operation *kernel);

using EffectList =
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;
/// The same in MLIR's terms. What is ordered counts as a write there, so that it stays in its place
/// and nothing is joined across it.
void addEffects(const Access &access, EffectList &effects);

} // namespace nereid::tile
