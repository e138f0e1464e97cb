// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions by unit and line, of the machine code where it is there, else of PTX; weighed by how
// often the programs come by.
#pragma once

#include "analyze/CountLaunch.h"
#include "nereid/analyze.h"

namespace nereid::analyzer {

/// `blocks` run the launch's programs. Fills what the analysis has of instructions.
void countInstructions(const backend::nvptx::EmittedKernel &kernel, const LaunchCounts &counts,
                       uint64_t blocks, Analysis &analysis);

} // namespace nereid::analyzer
