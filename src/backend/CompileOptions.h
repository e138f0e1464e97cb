// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/Target.h"

namespace nereid::backend {

/// How a kernel is to be compiled, all of it data: nothing below asks the machine at hand.
struct CompileOptions {
  target::Target target;
};

} // namespace nereid::backend
