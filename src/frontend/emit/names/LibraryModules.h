// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parsed form of src/library, made once in a process and shared by all compilations.
#pragma once

#include "frontend/emit/Value.h"

namespace nereid::emit {

/// A function that builtins.def lists as LIBRARY.
JitFunction findLibraryFunction(std::string_view name);
/// A function that libdevice.def says is written.
JitFunction findDeviceCode(std::string_view name);
bool isLibraryModule(const ast::Module &module);

} // namespace nereid::emit
