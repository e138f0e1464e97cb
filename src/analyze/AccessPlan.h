// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/AxisInfo.h"
#include "target/NvidiaTarget.h"

#include "mlir/IR/Operation.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nereid::analyzer {

/// Who asks for what, of an operation that accesses arrays.
enum class Mover { Load, Store, Atomic, Copy, Fetch, Send };
std::string_view nameOf(Mover mover);
/// Whether it reads arrays; atomics do both.
bool reads(Mover mover);
bool writes(Mover mover);
/// Whether the copy engine does it: a request is a box, not a warp's.
bool isOfEngine(Mover mover);

/// The requests of one execution of an access by a block.
struct AccessPlan {
  static constexpr int32_t nobody = -1;
  /// The element of each lane of a warp, row-major in the tile; the first of `together` neighbours.
  using Warp = std::array<int32_t, 32>;

  Mover mover;
  unsigned elementBytes = 1;
  unsigned together = 1;      // elements that one lane asks for at once
  std::vector<Warp> requests; // of threads; empty for the copy engine
  uint64_t boxes = 0;         // of the copy engine
};

/// `warps` compute; `axes` are the kernel's.
AccessPlan planAccess(mlir::Operation *op, const analysis::AxisAnalysis &axes, unsigned warps,
                      const target::NvidiaTarget &target);

} // namespace nereid::analyzer
