// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace nereid {

/// Passes for tests that print what is found out about a kernel and change nothing.
void registerPrintPlans();

} // namespace nereid
