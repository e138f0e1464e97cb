// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the kernel language that is written in the kernel language, as text in the binary.
#pragma once

#include <span>
#include <string_view>

namespace nereid::library {

struct SourceText {
  std::string_view path, text;
};

/// Every file of this directory.
std::span<const SourceText> sources();

} // namespace nereid::library
