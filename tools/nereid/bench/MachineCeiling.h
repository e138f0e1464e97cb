// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a machine reaches at most, as it is measured on the spot.
#pragma once

#include "Chart.h"

namespace nereid::command {

/// Bytes read and written by a copy of arrays that fit into no cache, in GB/s.
Ceiling measureCopy(const Device &device);

/// Multiply-adds of f32 in registers on all threads, in TFLOP/s: on a CPU with the widest vectors
/// that it has; on a GPU without tensor cores.
Ceiling measureFma(const Device &device);

} // namespace nereid::command
