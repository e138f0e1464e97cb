// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels: compiled for their arguments, and launched.
#pragma once

#include "nereid/Tuning.h"
#include "nereid/argument.h"
#include "nereid/device.h"
#include "nereid/grid.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nereid {

namespace detail {
struct KernelState;
struct LaunchState;
} // namespace detail

/// Gets what a kernel prints: the lines of one execution of a statement, each with its end. Called
/// from any thread that runs programs, one at a time. What it throws leaves the launch, once all
/// programs have ended.
using PrintSink = std::function<void(std::string_view lines)>;

using Block = ThreadBlock;

/// What a compiled kernel takes of a GPU.
struct KernelResources {
  /// Of one program.
  unsigned threads = 0;
  /// Of one thread, 32 bits each.
  unsigned registers = 0;
  /// Of one thread: registers that were spilled, and a stack.
  unsigned localBytes = 0;
  /// Of one program.
  unsigned sharedBytes = 0;
  /// How many run on a multiprocessor at once.
  unsigned programsPerMultiprocessor = 0;
  /// The share of a multiprocessor's threads that these are.
  double occupancy = 0;
};

/// A GPU's launch takes arrays of other GPUs, too, if the driver lets their memory be reached from
/// there: over NVLink, or PCIe where the machine allows that. Access is asked for when the launch
/// is prepared, and is the process's from then on; where there is none, the Error names the
/// argument.
/// Nothing orders the launch after work of the other GPU but an event: Stream::wait.
struct LaunchOptions {
  /// Empty: to standard output.
  PrintSink print = {};
  /// Of the device of the launch. None: the launch is done when the call returns.
  std::optional<Stream> stream = {};
  /// Of a launch by name: the code depends on it. What is prepared has its own.
  Tuning tuning = {};
};

/// A kernel compiled for its arguments and ready to run: the cheap way to launch the same work
/// again. Keeps the arrays and the device alive.
class NEREID_API Launch {
public:
  /// Runs all programs and returns when they are done, or gives them to a stream and returns at
  /// once. Allocates no memory (but for what a copy of the sink needs) and looks nothing up.
  void run(Grid grid) const;
  void run(Grid grid, const LaunchOptions &options) const;
  template <GridCallable F> void run(F &&grid, const LaunchOptions &options = {}) const {
    runOver(GridFunction(std::forward<F>(grid)), options);
  }
  /// Milliseconds the compiler took; 0 if the kernel was compiled before.
  double compileMilliseconds() const;
  /// Of a GPU; nothing on other devices.
  std::optional<KernelResources> resources() const;
  /// The constexpr integers, for computing a grid.
  const Constants &constants() const;
  /// The ordinary integer parameters whose values the kernel needs while it is compiled (as the
  /// size of a tile): it is compiled again for each value.
  const std::vector<std::string> &parametersByValue() const;

private:
  friend struct detail::LaunchState;
  explicit Launch(std::shared_ptr<detail::LaunchState> state) : state(std::move(state)) {}
  void runOver(const GridFunction &grid, const LaunchOptions &options) const;

  std::shared_ptr<detail::LaunchState> state;
};

struct Parameter {
  std::string name;
  bool isConstexpr;
  bool hasDefault;
};

/// One @triton.jit function of a module.
class NEREID_API Kernel {
public:
  const std::string &name() const;
  const std::vector<Parameter> &parameters() const;
  /// Compiles for these arguments unless that was done before. Names may come in any order.
  /// The code depends on `tuning`; a compiled kernel has its own.
  Launch prepare(const Device &device, const Arguments &arguments, const Tuning &tuning = {}) const;
  void launch(const Device &device, Grid grid, const Arguments &arguments,
              const LaunchOptions &options = {}) const;
  template <GridCallable F>
  void launch(const Device &device, F &&grid, const Arguments &arguments,
              const LaunchOptions &options = {}) const {
    prepare(device, arguments, options.tuning).run(std::forward<F>(grid), options);
  }

private:
  friend struct detail::KernelState;
  explicit Kernel(std::shared_ptr<detail::KernelState> state) : state(std::move(state)) {}
  std::shared_ptr<detail::KernelState> state;
};

} // namespace nereid
