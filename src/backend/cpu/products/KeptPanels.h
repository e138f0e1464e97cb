// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed panels of a right factor that a thread keeps from program to program of a launch.
//
// Neighbours of a grid often multiply by one tile of the right factor: those that share columns of
// a result. Where nobody writes it in the launch, and it lies where it lay when it was packed, it
// is neither fetched nor packed again.
#pragma once

#include "backend/cpu/products/DotShape.h"

#include <string>

namespace nereid::backend::cpu {

class KernelEmitter;

/// Scratch memory of a dot's kept panels: a head, then the panels of `rounds` rounds of its loop.
struct KeptPanels {
  int64_t rounds = 0; // none: nothing is kept
  /// Why not, of a factor that a loop multiplies by anew in each round; empty where that is plain.
  std::string declined;

  KeptPanels(tile::DotOp op, const DotShape &shape, const target::CpuTarget &cpu,
             llvm::function_ref<bool(mlir::Value)> isStored);
  /// The load of all that the right factor holds, each element once and unchanged; or null.
  static tile::LoadOp loadOf(tile::DotOp op, llvm::function_ref<bool(mlir::Value)> isStored);

  /// The head: how often in a row nothing was found, then for each round, and one that is none,
  /// where the tile lay: the address of its first element, bytes to the next row or column, and how
  /// many rows and columns of it masks let through.
  static constexpr int64_t keyWords = 3, keyBytes = keyWords * 8;
  static constexpr int64_t keyOffset(int64_t round) { return (round + 1) * keyBytes; }
  uint64_t headBytes() const { return llvm::alignTo(keyOffset(rounds + 1), scratchAlignment); }
  uint64_t bytes(const DotShape &shape) const { return headBytes() + rounds * shape.rhsBytes(); }
};

/// Says why the panels of a dot are packed anew by each program.
void remarkKept(tile::DotOp op, const DotShape &shape, const target::CpuTarget &cpu,
                llvm::function_ref<bool(mlir::Value)> isStored);

/// At the beginning of the scratch memory of kernels that keep panels: zero where a thread begins
/// with a launch, whatever lay there.
inline constexpr uint64_t keepingBytes = scratchAlignment;

/// Emits, at the entry, that a thread forgets what it kept in earlier launches.
void forgetEarlierPanels(KernelEmitter &kernel, mlir::func::FuncOp function, llvm::Value *context);

} // namespace nereid::backend::cpu
