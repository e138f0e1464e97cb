// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an operation's location back to the text of the kernel.
#pragma once

#include "support/Diagnostics.h"

#include "mlir/IR/Location.h"

namespace nereid::tile {

/// What the file that `location` lies in is called; empty if it is in none.
llvm::StringRef fileOf(mlir::Location location);

/// "kernel.py:12:9"; empty if it is in no file.
std::string placeText(mlir::Location location);

/// Where `location` lies in `file`; without a file if it lies elsewhere. A call site stands for
/// what is called.
SourceRange rangeOf(mlir::Location location, const SourceFile *file);

[[noreturn]] void throwAt(mlir::Location location, const SourceFile *file, Diagnostic diagnostic);

/// Ends the compilation because of an operation. Where it comes from another text than `file`, a
/// note names the place.
template <typename... Args>
[[noreturn]] void failAt(mlir::Location location, const SourceFile *file, DiagnosticId id,
                         Args &&...args) {
  throwAt(location, file, diagnose({}, id, std::forward<Args>(args)...));
}

} // namespace nereid::tile
