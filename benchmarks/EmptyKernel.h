// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of five parameters that does nothing, to measure launches by.
#pragma once

namespace nereid::bench {

inline constexpr const char *emptyKernel = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry empty(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 n)
{
  ret;
}
)";

} // namespace nereid::bench
