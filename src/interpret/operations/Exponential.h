// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace nereid::interpret {

/// out[i] = e^x[i], computed in double and rounded once: the nearest float but for one argument in
/// some 10^8. Vector code of the machine at hand; kernels call it more than all other functions.
void exponentials(const float *x, float *out, int64_t count);

} // namespace nereid::interpret
