// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Source.h"

#include "llvm/Support/raw_ostream.h"

#include <string_view>

namespace nereid {

/// "file:line:column: severity: text", the line and a caret; without a file, the text alone.
void printEntry(llvm::raw_ostream &out, SourceRange range, std::string_view severity,
                llvm::raw_ostream::Colors color, std::string_view text, bool useColor = false);

} // namespace nereid
