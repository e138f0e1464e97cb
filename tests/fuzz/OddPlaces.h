// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>

namespace nereid::fuzz {

/// How many things other than a file putOddThing() knows.
constexpr unsigned oddThings = 9;

/// Puts something else where a file is expected: a directory, a link to nowhere, to itself or to
/// `other`, a pipe, a file that claims to be huge, one that nobody may read or anybody may write,
/// nothing.
void putOddThing(unsigned which, const std::filesystem::path &path,
                 const std::filesystem::path &other);
/// Makes place for a file again.
void removeThing(const std::filesystem::path &path);

std::string readWhole(const std::filesystem::path &path);
void writeWhole(const std::filesystem::path &path, const std::string &bytes);

} // namespace nereid::fuzz
