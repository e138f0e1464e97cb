// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Stream.h"

namespace nereid::runtime {

/// A stream of a device that runs on the host: a thread that does what is queued, piece by piece.
/// Up to 1024 pieces wait, in memory that is reused; who queues another waits for room. Throws
/// Error(Environment) if the system gives no thread.
std::unique_ptr<Stream> openHostStream();

} // namespace nereid::runtime
