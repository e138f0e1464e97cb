// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one reader of the environment; the table is nereid/environment.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace nereid {

enum class KnownVariable : uint8_t {
#define VARIABLE(name, ...) name,
#include "nereid/environment.def"
};

/// What it is set to; null where it is not. Good until somebody sets it.
const char *readVariable(KnownVariable variable);
/// The same; null where it is empty, too.
const char *readFilledVariable(KnownVariable variable);
/// The bytes that it gives in MiB; those of the table where it is not set or says no number below
/// 2^40.
size_t readMebibytes(KnownVariable variable);

/// Of any name, for kernels that ask themselves (os.getenv).
std::optional<std::string> readVariableNamed(const std::string &name);

} // namespace nereid
