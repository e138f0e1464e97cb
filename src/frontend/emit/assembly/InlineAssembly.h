// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the two languages of inline_asm_elementwise share: PTX, which is read into operations, and
// the assembler's of the CPU, which is not.
#pragma once

#include "frontend/emit/Arguments.h"

namespace nereid::emit {

/// The types of the results.
std::vector<sema::ScalarType> assemblyResults(const Arguments &arguments);
/// How many of `elements` one run of the text computes.
size_t assemblyPack(const Arguments &arguments, int64_t elements);

/// Whether the text is for the CPU's assembler: instructions of PTX have a type or another word
/// after a point, and those of x86 have none.
bool isMachineText(llvm::StringRef text);
std::vector<Tensor> machineAssembly(Emitter &emitter, const Arguments &arguments);

} // namespace nereid::emit
