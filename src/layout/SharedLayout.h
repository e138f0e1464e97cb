// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Swizzles that are computed.
#pragma once

#include "layout/SharedAccess.h"

namespace nereid::layout {

/// A way through shared memory: where the elements lie there, and both accesses.
struct SharedPath {
  LinearLayout layout; // offset, in elements -> tile; invertible
  SharedAccess write, read;

  unsigned totalWavefronts() const { return write.totalWavefronts() + read.totalWavefronts(); }
  bool hasConflicts() const {
    return write.wavefronts > write.idealWavefronts || read.wavefronts > read.idealWavefronts;
  }
};

/// Whether ldmatrix (sm_75) and stmatrix (sm_90) may be used.
struct MatrixInstructions {
  bool load = false, store = false;
};

/// The path of a tile from one distributed layout to another with the fewest wavefronts, then
/// instructions, then words out of order, of the layouts that fill 16-byte rows as the writer, the
/// reader or both like it. Between layouts whose basis vectors are single bits, if both sides
/// access as many bytes at once, neither has bank conflicts.
SharedPath chooseSharedPath(const LinearLayout &writer, const LinearLayout &reader,
                            unsigned elementBytes, MatrixInstructions allowed);

/// A shared layout without bank conflicts for two access patterns, as bases of a tile of `bits`
/// bits (after section 5.4 of the paper). `row` are the elements that one access of a lane takes
/// together; `writers` and `readers` what the lanes that are served together add, three for
/// accesses of 16 bytes. `others` are vectors that should have few bits in offsets.
///
/// Two lanes collide if they differ by a vector of the segment space, which is spanned by the bases
/// of offsets of 128 bytes and more. So the segment space is chosen to meet neither the writers'
/// nor the readers' space: where those have bases e and f beyond what they share, it holds the sums
/// e+f.
std::vector<Vector> conflictFreeBases(unsigned bits, unsigned elementBytes,
                                      std::span<const Vector> row, std::span<const Vector> writers,
                                      std::span<const Vector> readers,
                                      std::span<const Vector> others);

} // namespace nereid::layout
