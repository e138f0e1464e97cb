// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

namespace nereid::python {

namespace nb = nanobind;

/// While PyTorch's profiler is on: a range named after the kernel, as on a GPU (kernel_softmax). On
/// a CPU nobody else tells the profiler of launches. Costs a look into two dictionaries where there
/// is none.
class ProfilerRange {
public:
  /// `launched`: a function with a __name__, or what was compiled of one, with metadata.name.
  explicit ProfilerRange(nb::handle launched);
  ~ProfilerRange();
  ProfilerRange(const ProfilerRange &) = delete;
  ProfilerRange &operator=(const ProfilerRange &) = delete;

private:
  nb::object range;
};

} // namespace nereid::python
