// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the checked device looks for, and programs that it stops.
#pragma once

#include "nereid/DType.h"
#include "nereid/error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid {

/// Where a program of a checked run has stopped, before what stands there is done.
struct Stop {
  /// A name of the function that has stopped, and what it was given last. Pointers are shown as
  /// addresses.
  struct Variable {
    std::string name;
    DType type = {};
    std::vector<int64_t> shape = {}; // empty: a scalar
    std::vector<std::byte> elements = {};
    /// What is known while compiling, as the language writes it: 64, "text", (16, 4), tl.float32.
    /// Then type, shape and elements say nothing.
    std::string constant = {};
  };
  Place place;
  Finding::Program program;
  std::vector<Variable> variables;
  /// Of a kernel of threads, whose `program` is the block: the thread in it.
  std::optional<Finding::Program> thread = {};
};
/// Whether `wanted` calls the file of a stop: by its whole path or the end of it, "add.py" for
/// "kernels/add.py"; it may say more of the path than the module's name does.
NEREID_API bool isCalled(std::string_view wanted, std::string_view file);
/// What a stopped program is to do: go on to the next breakpoint, to its next line, or to its end
/// and that of all others without a stop.
enum class Resume { Continue, Step, Finish };

/// What the check device looks for beside what it always does (docs/checking.md).
struct CheckOptions {
  /// A multiple_of or max_contiguous that does not hold fails the run.
  bool refusesBrokenPromises = false;
  /// Says where an infinity or NaN began that ends up in memory.
  bool findsNonFinite = false;
  /// Runs each launch twice, the second time with programs in another order, and compares what the
  /// arrays hold.
  bool comparesOrders = false;
  /// Which other order.
  uint64_t seed = 0;
  /// Findings that are listed; others are counted. 0 means 100.
  unsigned mostFindings = 0;
  /// Gets the findings of a launch that are but warnings. Empty: they are printed to standard
  /// error.
  std::function<void(const Finding &)> warn = {};
  /// Ids of findings ("division_by_zero") that nobody is to hear of.
  std::vector<std::string> ignored = {};
  /// Lines at which each program stops, by file (isCalled) and line, and who is asked then.
  std::vector<Place> breakpoints = {};
  std::function<Resume(const Stop &)> stopped = {};

  bool isDefault() const {
    return !refusesBrokenPromises && !findsNonFinite && !comparesOrders && !seed && !mostFindings &&
           !warn && ignored.empty() && breakpoints.empty();
  }
};

} // namespace nereid
