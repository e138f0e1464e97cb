// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the names of triton and triton.language stand for.
#pragma once

#include "frontend/names/Meaning.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <string_view>

namespace nereid::names {

/// Elements of a tile at most: tl.TRITON_MAX_TENSOR_NUMEL.
inline constexpr int64_t mostElements = 1048576;

bool isOfTriton(std::string_view path);

/// A built-in of a module ("triton.language"; "" for what needs no import); nothing if it has none
/// of that name.
std::optional<Meaning> builtinOf(std::string_view module, const std::string &name);

/// What the language has at `module.name`. Throws a SourceError at `range` where it has nothing:
/// not_supported_yet where Triton has it, else unknown_attribute.
Meaning attributeOfLanguage(const ModuleReference &module, const std::string &name,
                            SourceRange range);

/// What `tl.dtype` and the classes inside it hold, of which `kind()` and `int_signedness` are.
std::optional<Meaning> attributeOfClass(const ClassReference &type, std::string_view name);

/// Whether the language has a part of that path: "triton.language.load".
bool hasPart(std::string_view path);

} // namespace nereid::names
