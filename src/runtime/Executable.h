// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seam between compilers and devices.
#pragma once

#include "nereid/kernel.h"
#include "runtime/ClockRecords.h"
#include "runtime/LineSamples.h"
#include "support/KernelArguments.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace nereid::runtime {

/// Gets the lines that one execution of a print statement writes, each with its end.
using PrintSink = std::function<void(std::string_view lines)>;

/// A launch of code that takes clocks, with the memory that it notes them in. Arrays must stay.
class ClockedLaunch {
public:
  virtual ~ClockedLaunch() = default;
  // These give work to a stream of the device's own kind, and return at once.

  /// What was noted is gone; before each launch that is read.
  virtual void clear(void *stream) = 0;
  virtual void queue(void *stream) = 0;
  /// What the last launch noted, which has ended.
  virtual ClockReadings read() = 0;
  /// Whose warps note what they do.
  virtual uint64_t notingBlocks() const = 0;
};

/// Launches of code that knows its lines, whose threads are looked at every so often.
class SampledLaunch {
public:
  virtual ~SampledLaunch() = default;
  /// Returns when all programs are done. Nothing is printed. Throws Error(Environment) if the
  /// system would not let a thread be looked at, and so does read().
  virtual void launch() = 0;
  /// Of all launches so far.
  virtual LineSamples read() = 0;
};

/// A kernel that one device can run. Launching it from several threads at once is allowed.
class Executable {
public:
  virtual ~Executable() = default;
  /// Runs every program of the grid and returns when all are done. One slot for each run-time
  /// parameter, in order. Without a sink (null), kernels print to standard output.
  virtual void launch(GridExtent grid, std::span<const ArgumentSlot> arguments,
                      const PrintSink *print) = 0;
  /// The same where arrays go on below their addresses: of each slot, how many bytes. What does not
  /// look at the bounds of arrays takes no notice.
  virtual void launchViews(GridExtent grid, std::span<const ArgumentSlot> arguments,
                           std::span<const uint64_t> /*bytesBelow*/, const PrintSink *print) {
    launch(grid, arguments, print);
  }
  /// The same on a stream of the device's own kind (a CUstream), and returns at once. Kernels that
  /// print are waited for, and so are those that check assertions, unless a failure `mayTrap`: it
  /// then ends all that this process does on the device. Of a device without such streams, an
  /// Error(Usage).
  virtual void launchOn(void *stream, GridExtent grid, std::span<const ArgumentSlot> arguments,
                        const PrintSink *print, bool mayTrap = false);
  /// To launch code that takes clocks, on a grid that has programs. Other code is an Error(Usage).
  virtual std::unique_ptr<ClockedLaunch> prepareClocked(GridExtent grid,
                                                        std::span<const ArgumentSlot> arguments,
                                                        const ClockLimits &limits);
  /// To launch code that knows its lines. Other code is an Error(Usage).
  virtual std::unique_ptr<SampledLaunch> prepareSampled(GridExtent grid,
                                                        std::span<const ArgumentSlot> arguments);
  /// About how much memory of the host it holds.
  virtual size_t bytes() const = 0;
  /// What it takes of a GPU; nothing on other devices.
  virtual std::optional<KernelResources> resources() const { return std::nullopt; }

  /// Its code was in the cache on disk; nothing was compiled.
  bool wasKept = false;
};

} // namespace nereid::runtime
