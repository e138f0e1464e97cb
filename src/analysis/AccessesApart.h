// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to one array that are certainly of different elements. Both are pointers or tiles of
// them; false where it cannot be seen. Arithmetic is taken to be exact, as AffineTiles does;
// `tiles` are to take remainders as unknown (Remainders::AreUnknown), since nobody tests here what
// they rest on.
#pragma once

#include "analysis/AffineTiles.h"

namespace nereid::analysis {

/// Whether no element is both one's and the other's, as both are computed in the same round of all
/// loops.
bool areApart(AffineTiles &tiles, mlir::Value pointer, mlir::Value other);

/// Whether no two elements of one tile are the same.
bool areElementsApart(AffineTiles &tiles, mlir::Value pointer);

/// Whether no element of `pointer` in one round of the loop is one of `other` in another: each
/// round goes on by more than both tiles reach.
bool areRoundsApart(AffineTiles &tiles, mlir::scf::ForOp loop, mlir::Value pointer,
                    mlir::Value other);

/// What a round goes on by, of symbols that are known before the loop, and how far that must be,
/// either way, for the same to be true: for who tests it where the kernel runs.
struct RoundsDistance {
  Polynomial advance;
  int64_t reach; // in elements: rounds that go on by more are apart
};
std::optional<RoundsDistance> distanceOfRounds(AffineTiles &tiles, mlir::scf::ForOp loop,
                                               mlir::Value pointer, mlir::Value other);

} // namespace nereid::analysis
