// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Kernel.h"
#include "Run.h"

#include "nereid/nereid.h"

namespace nereid::generate {

/// What came of running a kernel on all executors.
struct Outcome {
  /// Names the way it failed, without names and numbers; empty if all agree.
  std::string failure;
  std::string details;
};

/// Runs kernels on the checked device and on others, and compares all arrays. Since each of the
/// cpu's devices compiles anew, most kernels run with either one thread or two, and some with both.
///
/// A GPU fuses products into sums and computes some functions in fewer bits. So its kernels get
/// floats that such steps keep in sight (Fill::Small), floats are compared by Agreement::Near, and
/// kernels in whose products of tiles factors are rounded are left out.
class Differential {
public:
  explicit Differential(const Options &options);
  Outcome run(const Kernel &kernel) const;
  bool isLeftOut(const Kernel &kernel) const;
  /// False when a kernel has cost this process its GPU.
  bool isUsable() const;

private:
  struct Candidate {
    std::string description; // what failures say of it
    Device device;
  };
  bool takesPart(const Candidate &candidate, const Kernel &kernel) const;
  Kernel adapted(const Kernel &kernel) const;

  bool isGpu;
  Tuning tuning;
  Device check;
  std::vector<Candidate> devices;
};

} // namespace nereid::generate
