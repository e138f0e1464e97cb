// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The --signature of `nereid compile`: "x_ptr=*f32:16,n=i32,BLOCK_SIZE=1024".
#pragma once

#include "driver/Compiler.h"
#include "frontend/sema/Specialization.h"

#include <string>

namespace nereid::command {

/// Each entry is NAME=TYPE, NAME=TYPE:16 for a multiple of 16, or NAME=CONSTANT. Mistakes in the
/// text are Errors; missing and unknown names are SourceErrors.
sema::Specialization parseSignature(const driver::SourceModule &source,
                                    const ast::Function &function, const std::string &text);

} // namespace nereid::command
