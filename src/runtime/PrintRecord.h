// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel on a device with memory of its own leaves of its prints: a buffer, which the host
// reads when the kernel has ended. It begins with the number of bytes that prints have asked for
// (u64), and from `printHeaderBytes` on holds a record for each execution of a print statement that
// found room: the number of the statement, from 1, and the program's id (u32 each), and the
// operands' elements, row-major.
#pragma once

#include "runtime/PrintSite.h"
#include "runtime/PrintedFailure.h"

#include <functional>
#include <string>

namespace nereid::runtime {

inline constexpr uint64_t printBufferBytes = uint64_t(4) << 20, printHeaderBytes = 16;

/// Where a record holds what, in bytes from its beginning, which is a multiple of 16.
struct PrintRecord {
  std::vector<uint64_t> operands;
  uint64_t bytes;
};
PrintRecord recordOf(const PrintSite &site);

/// Calls `write` with the lines of each record, each with its end, in the order in which they asked
/// for room; at last, if some found none, with a line that says so. Records of failures are not
/// written.
PrintedFailure readPrints(std::span<const PrintSite> sites, std::span<const std::byte> buffer,
                          const std::function<void(const std::string &)> &write);

} // namespace nereid::runtime
