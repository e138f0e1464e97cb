// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of Python's own modules, and of packages that modules of kernels ask for.
#pragma once

#include "frontend/names/Meaning.h"

#include <optional>
#include <string>
#include <string_view>

namespace nereid::names {

/// The class that version.parse and version.Version of `packaging` make objects of.
inline constexpr std::string_view packageVersion = "packaging.version.Version";

/// What a kernel's author may think to have in a kernel, under any of its usual names.
bool isWellKnown(std::string_view path);

/// Modules of Python's library, and packaging, of which something is known; no file stands in for
/// one of them.
bool isOfPython(std::string_view path);

/// "math.pi", "os.environ"; nothing for what is not known. The language's own library may ask what
/// its version has ("triton.versions").
std::optional<Meaning> partOfPython(const std::string &path, bool isForLibrary);

/// `torch.finfo(torch.float32).max` and its like; nothing where the attribute is none of these.
std::optional<sema::ConstantValue> limitOfType(const ast::Attribute &expr);

} // namespace nereid::names
