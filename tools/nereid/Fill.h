// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways in which the command line makes arrays.
#pragma once

#include "nereid/nereid.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::command {

enum class Fill {
#define FILL(enumerator, name, meaning) enumerator,
#include "fills.def"
};

std::optional<Fill> parseFill(std::string_view name);
/// "zeros, empty, ...": for messages.
std::string fillNames();
/// What `--help` says about them, one a line.
std::string describeFills();

/// The same name and seed give the same elements on every machine.
Array makeFilled(const Device &device, Fill fill, DType type, std::vector<int64_t> shape,
                 std::string_view name, uint64_t seed);

} // namespace nereid::command
