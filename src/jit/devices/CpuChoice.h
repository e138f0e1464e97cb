// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/CpuTarget.h"

#include <string>

namespace nereid::jit {

/// An empty name stands for what the environment variable NEREID_CPU says, or else for "host".
std::string effectiveCpuName(std::string name);

/// The CPU that such a name stands for. Throws Error(Usage) for names that LLVM does not know.
target::CpuTarget chooseCpu(std::string name);

/// Throws Error(Environment) if this machine lacks any of the `features` that code for `cpu` uses.
void requireRunnable(const std::string &cpu, const std::vector<std::string> &features);

} // namespace nereid::jit
