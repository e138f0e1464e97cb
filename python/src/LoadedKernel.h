// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that is launched for the very types that it was compiled for, with no look at what else
// its arguments may be: what programs that compile ahead launch (triton.compile).
#pragma once

#include "LaunchKey.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

namespace nereid::python {

class LoadedKernel {
public:
  /// The kernel's device is a GPU of this number, or, for -1, the host. Each parameter is a pair:
  /// its name, and its type as signatures write it ("*fp32:16", "i32"; "constexpr" for those whose
  /// arguments are passed over). Beside code for arrays that may overlap there can be some,
  /// `apart`, for those that do not.
  LoadedKernel(host::Kernel kernel, int cudaDevice, nb::list parameters, bool mayOverlap,
               std::optional<host::Kernel> apart);

  /// Arguments in order, one for each parameter; an address may stand for an array. Errors are
  /// Python's: of another number of arguments a TypeError, of an address that is not the multiple
  /// that the code relies on, or of arrays that lie elsewhere, a ValueError. False, and nothing was
  /// launched: arrays may overlap, and the code relies on their not doing so. `binary` has
  /// require_unwritten(), as Dispatcher says.
  bool launch(nb::handle binary, Grid grid, uint64_t stream, const nb::args &arguments) const;

  /// launch() between the hooks of Triton's runtime, which get `metadata`; None is no hook, and the
  /// default stream. Of kernels that were compiled for arrays that may overlap.
  void launchBetweenHooks(nb::handle binary, Grid grid, nb::handle stream, nb::handle metadata,
                          nb::handle enter, nb::handle exit, const nb::args &arguments) const;

  const host::Kernel &get() const { return kernel; }

private:
  struct Promise {
    size_t slot;
    size_t parameter;
  };

  host::Kernel kernel;
  std::optional<host::Kernel> apart;
  int cudaDevice;
  bool mayOverlap;
  std::vector<ParameterSpec> parameters;
  std::vector<Promise> multiples; ///< slots that are multiples of 16
  size_t slotCount = 0;
};

void addLoadedKernelClass(nb::module_ &module);

} // namespace nereid::python
