// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How generated code is left in the middle of a program, for launches that are to be ended early.
#pragma once

#include "runtime/cpu/Print.h"

#include <functional>

namespace nereid::runtime::cpu {

/// Called by loops of generated code now and then. If the launch is to be ended, it does not come
/// back: the code has nothing that would have to be destroyed.
extern "C" void nereidLookUp(const LaunchContext *context);

/// Runs what calls generated code; false if that was left.
bool runUnlessLeft(const std::function<void()> &code);

} // namespace nereid::runtime::cpu
