// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of a GPU as the rest of the library knows streams: nothing here has a thread.
#pragma once

#include "runtime/Stream.h"
#include "runtime/cuda/Stream.h"

namespace nereid::runtime::cuda {

/// What is queued is given to the driver at once. Launches and copies keep what they use until they
/// are known to be done, up to 1024 of them; who queues another then waits for the oldest.
///
/// A mistake that the driver notices is thrown by the call. While a stream is captured by others,
/// nothing is kept: who captures keeps it as long as the graph. Graphs of our own keep what they
/// use.
std::unique_ptr<runtime::Stream> openDeviceStream(const std::shared_ptr<Context> &context,
                                                  DefaultStream beside);
/// The same on a stream that somebody else made in this context and keeps; null is the default one.
std::unique_ptr<runtime::Stream> borrowDeviceStream(const std::shared_ptr<Context> &context,
                                                    CUstream stream);

} // namespace nereid::runtime::cuda
