// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the threads of a block write or read a tile in shared memory, and what that costs.
#pragma once

#include "layout/ThreadMap.h"
#include "layout/TileLayout.h"

namespace nereid::layout {

/// What executes: ld.shared/st.shared of 1 to 16 bytes a lane, or ldmatrix/stmatrix, with .trans or
/// not.
enum class SharedInstruction { Vector, Matrix, MatrixTransposed };

/// Offsets count elements. Every register that differs from others is accessed once.
struct SharedAccess {
  SharedInstruction instruction;
  /// Vector: neighbouring elements of a lane. Matrix: elements of a 32-bit register.
  unsigned elements;
  /// Matrix: how many 8 x 8 matrices (of 16-bit units) at once: 1, 2, 4. Vector: 1.
  unsigned matrices;
  /// The instruction's operand is base + (address(lane, warp) ^ offset) * bytes of an element. For
  /// matrices it is the address of a row, and of the low 8 * matrices lanes only.
  ThreadMap address;
  struct Step {
    unsigned offset;
    /// Vector: of the elements in the order of memory. Matrix: of matrix 0, then of matrix 1, ...;
    /// within a matrix the elements of the 32-bit register, low bits first.
    std::vector<unsigned> registers;
  };
  std::vector<Step> steps;
  /// Wavefronts of one step of one warp, 128 bytes each at best; and how many there would be
  /// without bank conflicts. A warp's request is served in groups of lanes that ask for at most 128
  /// bytes together (32 lanes of up to 4 bytes, 16 of 8, 8 of 16), and a group takes as many
  /// wavefronts as the busiest of the 32 banks has different words to give.
  unsigned wavefronts, idealWavefronts;

  /// Whether ^ is + in all threads, so that the step's offset may be the instruction's immediate.
  bool isImmediate(const Step &step) const;
  unsigned totalWavefronts() const { return wavefronts * unsigned(steps.size()); }
  /// 32-bit words of a thread that are put together of elements which are not neighbours among its
  /// registers, or stand in the instruction beside a word that is none: each costs an instruction
  /// more where what makes the tile, or takes it, has its words in order, as accesses of memory and
  /// products do.
  unsigned wordsOutOfOrder(unsigned elementBytes) const;
};

/// What a warp pays for all steps; wavefronts count before steps.
struct AccessCost {
  size_t wavefronts, steps;
  bool hasConflicts;
  auto operator<=>(const AccessCost &) const = default;
};

/// The vector access with the fewest wavefronts, then the widest; always possible. `shared` is
/// invertible and of the same tile.
SharedAccess vectorAccess(const LinearLayout &threads, const LinearLayout &shared,
                          unsigned elementBytes);
/// By matrices, if the layout is made of them: it is divided by the 8 x 8 matrix.
std::optional<SharedAccess> matrixAccess(const LinearLayout &threads, const LinearLayout &shared,
                                         unsigned elementBytes, bool transposed);
/// The one with fewest wavefronts, then fewest instructions; by matrices only if allowed.
SharedAccess cheapestAccess(const LinearLayout &threads, const LinearLayout &shared,
                            unsigned elementBytes, bool allowMatrices);
/// The wavefronts of the same access, without writing it down.
AccessCost cheapestCost(const LinearLayout &threads, const LinearLayout &shared,
                        unsigned elementBytes, bool allowMatrices);

/// Half of the lanes exchange registers of theirs: where bit `laneBit` of a lane's number is one,
/// register r has what register r ^ (1 << registerBit) had.
struct LaneSwap {
  unsigned laneBit, registerBit;
};
LinearLayout swapped(const LinearLayout &threads, LaneSwap swap);
/// The one by which the cheapest access has fewest wavefronts: lanes that would ask for other words
/// of one bank ask for what others have in other banks. Nothing if that spares less than the
/// selects cost. What is exchanged lies in one piece of the room, of so many elements.
std::optional<LaneSwap> helpfulSwap(const LinearLayout &threads, const LinearLayout &shared,
                                    unsigned elementBytes, bool allowMatrices,
                                    uint64_t pieceElements);

} // namespace nereid::layout
