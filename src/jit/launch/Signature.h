// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/Compiler.h"
#include "frontend/sema/Specialization.h"
#include "nereid/compile.h"

namespace nereid::jit {

/// What the function is compiled for by a signature. Missing and unknown names are SourceErrors,
/// entries that cannot be what they are given for are Errors(Usage).
sema::Specialization specialize(const driver::SourceModule &source, const ast::Function &function,
                                const Signature &signature, bool mayOverlap);

/// What an argument of this type is to the compiler.
sema::RuntimeParameter toRuntimeParameter(const ArgumentType &type);

} // namespace nereid::jit
