// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one reader of the environment; the table is nereid/environment.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nereid {

enum class KnownVariable : uint8_t {
#define VARIABLE(name, ...) name,
#include "nereid/environment.def"
};

/// What it is set to; null where it is not. Good until somebody sets it.
const char *readVariable(KnownVariable variable);
/// The same; null where it is empty, too.
const char *readFilledVariable(KnownVariable variable);
/// The number that it gives; the table's where it is not set or says no whole number below 2^40.
uint64_t readNumber(KnownVariable variable);

/// A whole number below 2^40; nothing of other text.
std::optional<uint64_t> numberIn(std::string_view text);

/// Whether a switch's text turns it on: "1", "true", "on", "yes" or "y", in any case. All else
/// leaves it off.
bool meansYes(std::string_view text);

/// Of any name, for kernels that ask themselves (os.getenv).
std::optional<std::string> readVariableNamed(const std::string &name);

} // namespace nereid
