// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include <string>

namespace nereid::backend::nvptx {

/// The machine code that NVIDIA's assembler makes of PTX, as text (SASS), and what the assembler
/// reports of registers and spills, as comments. Runs programs of NVIDIA's that are no part of
/// Nereid: ptxas, and nvdisasm or cuobjdump, as PATH has them. Throws Error(Environment) where one
/// is missing or fails. A driver may make other code of the same PTX.
std::string disassemble(const std::string &ptx, const target::NvidiaTarget &target);

} // namespace nereid::backend::nvptx
