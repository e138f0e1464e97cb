// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/NvidiaTarget.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::target {

static const std::vector<NvidiaTarget> &table() {
  static const std::vector<NvidiaTarget> rows = {
#define SM(name, ptx, warps, blocks, sharedSm, sharedBlock, registersSm, registersThread, wgmma,   \
           tma, stmatrix, fp8, overlap)                                                            \
  {{warpSize, warps, blocks, (sharedSm) * 1024, (sharedBlock) * 1024, registersSm,                 \
    registersThread},                                                                              \
   name,                                                                                           \
   ptx,                                                                                            \
   wgmma,                                                                                          \
   tma,                                                                                            \
   stmatrix,                                                                                       \
   fp8,                                                                                            \
   overlap},
#include "target/sm.def"
  };
  return rows;
}

unsigned NvidiaTarget::version() const {
  unsigned number = 0;
  llvm::StringRef digits = llvm::StringRef(sm).drop_front(3);
  digits.consumeInteger(10, number);
  return number;
}

std::optional<NvidiaTarget> findSm(llvm::StringRef name) {
  for (const NvidiaTarget &row : table())
    if (row.sm == name)
      return row;
  return std::nullopt;
}

std::vector<std::string> smNames() {
  std::vector<std::string> names;
  for (const NvidiaTarget &row : table())
    names.push_back(row.sm);
  return names;
}

static unsigned most(unsigned GpuMachine::*column) {
  unsigned found = 0;
  for (const NvidiaTarget &row : table())
    found = std::max(found, row.*column);
  return found;
}

unsigned mostSharedPerBlock() { return most(&GpuMachine::sharedPerBlock); }
unsigned mostRegistersPerThread() { return most(&GpuMachine::registersPerThread); }

std::optional<NvidiaTarget> smFor(unsigned major, unsigned minor) {
  std::optional<NvidiaTarget> best;
  for (const NvidiaTarget &row : table()) {
    bool isForIt = row.version() / 10 == major && row.version() % 10 <= minor;
    // Code for an "a" target runs on that very chip.
    bool isExact = row.sm.back() != 'a' || row.version() == major * 10 + minor;
    if (isForIt && isExact)
      best = row; // rows ascend
  }
  return best;
}

} // namespace nereid::target
