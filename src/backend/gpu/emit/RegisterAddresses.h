// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of a thread's registers as few addresses and constant distances from them, which access
// instructions take as immediates.
#pragma once

#include "backend/llvm/LaneBuilder.h"

#include "mlir/IR/Value.h"

namespace nereid::backend::gpu {

class RegisterAddresses {
public:
  /// `pointers` holds the address in each register of `tile`, a pointer or a tile of pointers with
  /// a layout.
  RegisterAddresses(Builder &b, mlir::Value tile, llvm::ArrayRef<llvm::Value *> pointers);

  llvm::Value *operator[](unsigned reg);

private:
  Builder &b;
  llvm::ArrayRef<llvm::Value *> pointers;
  /// For each register another one, and how many bytes its address is behind that one's.
  llvm::SmallVector<std::pair<unsigned, int64_t>> places;
};

} // namespace nereid::backend::gpu
