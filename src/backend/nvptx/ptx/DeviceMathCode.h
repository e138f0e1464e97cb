// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

namespace nereid::backend::nvptx {

/// LLVM bitcode of the functions that are calls on GPUs, from libclc (cmake/DeviceMath.cmake);
/// empty if this build found no libclc.
std::span<const unsigned char> deviceMathCode();

} // namespace nereid::backend::nvptx
