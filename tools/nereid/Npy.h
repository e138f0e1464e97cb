// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays in numpy's .npy files.
#pragma once

#include "files/PendingFile.h"
#include "nereid/nereid.h"

#include <optional>
#include <string>

namespace nereid::command {

/// Reads an array, in row-major order whatever the file's order is, converted to `type` if given.
Array readNpy(const Device &device, const std::string &path, std::optional<DType> type);

/// Writes all of a contiguous array but does not commit it. bfloat16, which numpy lacks, becomes
/// float32.
files::PendingFile writeNpy(const Array &array, const std::string &path);

} // namespace nereid::command
