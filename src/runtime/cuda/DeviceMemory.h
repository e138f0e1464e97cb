// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a GPU, and host memory that it reaches; copies between them.
#pragma once

#include "runtime/Memory.h"
#include "runtime/cuda/Stream.h"

#include <memory>

namespace nereid::runtime::cuda {

/// Zeroed, 256-byte aligned memory of the stream's device. Copies from and to the host go through
/// the stream, after what it has got before, and return when they are done. Throws
/// Error(Environment) that says how much there is if there is not enough.
std::shared_ptr<Memory> allocateDevice(const std::shared_ptr<Stream> &stream, size_t bytes);

/// Memory that the caller owns and keeps alive. Throws Error(Usage) if the device cannot use it, as
/// far as the driver knows.
std::shared_ptr<Memory> borrowDevice(const std::shared_ptr<Stream> &stream, void *address,
                                     size_t bytes);

/// Host memory that stays in place, so that copies need no detour and run beside kernels; any
/// device may access it at the same address. Its values are arbitrary.
std::shared_ptr<Memory> allocatePinned(const std::shared_ptr<Context> &context, size_t bytes);

// These return at once. Pinned host memory must stay as it is until the stream has come by;
// ordinary host memory that is copied from may change at once, and copying to it may wait.

void copyToDevice(const Stream &stream, void *device, const void *host, size_t bytes);
void copyToHost(const Stream &stream, void *host, const void *device, size_t bytes);
/// Within the stream's device.
void copyOnDevice(const Stream &stream, void *to, const void *from, size_t bytes);
/// To the stream's device, from that of `source`.
void copyBetween(const Stream &stream, void *to, Context &source, const void *from, size_t bytes);
void fillBytes(const Stream &stream, void *device, unsigned char value, size_t bytes);

} // namespace nereid::runtime::cuda
