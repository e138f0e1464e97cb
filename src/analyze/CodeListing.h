// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX, or machine code as nvdisasm prints it, as instructions in basic blocks and loops.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::analyzer {

/// Who executes an instruction: units.def.
enum class InstructionUnit {
#define UNIT(member, name, meaning) member,
#include "nereid/units.def"
};

struct Instruction {
  InstructionUnit unit;
  unsigned site = 0; // CodeSites' number; 0: none is known
  /// That a warp takes for it which has its scheduler for itself; 0: the code does not say it.
  unsigned cycles = 0;
};

/// Instructions that are run one after the other.
struct CodeBlock {
  std::vector<Instruction> instructions;
  int loop = -1; // the innermost, of CodeListing::loops
  /// How often one after the other a warp waits for what it loads of memory, where the block
  /// follows itself. Of machine code; whatever else the warp does takes no time.
  unsigned waits = 0;
  bool isDead = false; // nothing leads there: what fills the code's end
};

struct CodeLoop {
  unsigned first; // the block that it begins with
  int outer = -1;
  unsigned depth = 1; // of loops around it, itself among them
};

struct CodeListing {
  std::vector<CodeBlock> blocks; // in the order of the text
  std::vector<CodeLoop> loops;
  unsigned depthOf(int loop) const { return loop < 0 ? 0 : loops[loop].depth; }
};

CodeListing readPtx(llvm::StringRef text);
CodeListing readMachineCode(llvm::StringRef text);

} // namespace nereid::analyzer
