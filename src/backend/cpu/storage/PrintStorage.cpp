// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/cpu/storage/StoragePlan.h"

#include "dialect/tile/Tile.h"

#include "mlir/IR/AsmState.h"

using namespace mlir;

namespace nereid::backend::cpu {

void StoragePlan::print(func::FuncOp kernel, llvm::raw_ostream &out) const {
  AsmState names(kernel);
  auto printTile = [&](Value tile, llvm::StringRef origin) {
    if (!tile::isTile(tile.getType()))
      return;
    tile.printAsOperand(out, names);
    out << " " << origin << " " << tile.getType();
    if (isStored(tile))
      out << " stored at " << offsetOf(tile) << ", " << storedBytes(tile.getType()) << " bytes"
          << (isWrittenByReduction(tile) ? ", by the next reduction\n" : "\n");
    else
      out << " virtual\n";
  };
  out << kernel.getSymName() << ": " << scratchBytes() << " bytes of scratch memory\n";
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto working = temporaries.find(op); working != temporaries.end()) {
      const Allocation &memory = allocations[working->second];
      if (memory.bytes > 0)
        out << "working memory of " << op->getName() << " at " << memory.offset << ", "
            << memory.bytes << " bytes\n";
    }
    for (Value result : op->getResults())
      printTile(result, op->getName().getStringRef());
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        printTile(argument, "carried");
  });
}

} // namespace nereid::backend::cpu
