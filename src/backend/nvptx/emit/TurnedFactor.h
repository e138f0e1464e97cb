// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A factor of bytes that lies in shared memory along m or n, as warps read it for wgmma's left
// factor in registers, whose 32 bits are four neighbours along k.
#pragma once

#include "backend/nvptx/emit/KernelContext.h"

namespace nereid::backend::nvptx {

/// `ldmatrix.trans` takes two bytes of a row as one: two neighbours along m or n, of which the
/// instruction has one in its row i and the other in row i + 8 (layout::wgmmaTurnedLayout). Of two
/// such words a thread makes the two that it wants by `prmt`.
class TurnedFactor {
public:
  /// `address` is where the factor begins; `rows` its dimension that the instruction's rows run
  /// along. Each bit of a warp's number brings so many rows, and where there are no more, `depths`.
  TurnedFactor(KernelContext &c, nv::SharedType type, llvm::Value *address, unsigned rows,
               llvm::ArrayRef<uint64_t> rowsOfWarps, llvm::ArrayRef<uint64_t> depthsOfWarps = {});

  /// The four words of this thread for the instruction whose rows and depth begin with these.
  llvm::SmallVector<llvm::Value *, 4> words(uint64_t row, uint64_t k);

  /// The upper lanes get the two rows of each pair in turn: what is stored by `stmatrix` goes to
  /// rows that lie in different banks.
  void takePairsInTurn();
  /// Where such words go in a tile of the same shape whose neighbours lie along k.
  void store(uint64_t row, uint64_t k, llvm::ArrayRef<llvm::Value *> words, nv::SharedType type,
             llvm::Value *target);

private:
  layout::Vector offsetOf(const layout::LinearLayout &offsets, uint64_t row, uint64_t k) const;
  layout::SharedAccess accessOf(const layout::LinearLayout &offsets) const;

  KernelContext &c;
  unsigned rows;
  llvm::Value *address;
  std::vector<std::pair<uint64_t, uint64_t>> ofWarps; // rows and depths

  layout::LinearLayout offsets; // the tile -> bytes
  layout::SharedAccess access;
  std::array<llvm::Value *, 2> selectors; // of prmt, for even and for odd rows
};

/// Takes a tile of bytes to where its neighbours lie along the other dimension. The low bits of
/// their numbers say how `warps` share the pieces, first those beside each other in the source.
void turnTile(KernelContext &c, nv::SharedType source, llvm::Value *from, nv::SharedType target,
              llvm::Value *to, unsigned warps);

} // namespace nereid::backend::nvptx
