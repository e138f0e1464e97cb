// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What mma.sync and wgmma share: how factors stand in registers, and what their types are called.
#pragma once

#include "backend/llvm/LaneBuilder.h"

namespace nereid::backend::nvptx {

/// Lanes side by side in registers of 32 bits, the first in the low bits.
llvm::SmallVector<llvm::Value *, 4> fragmentWords(Builder &b, llvm::ArrayRef<llvm::Value *> lanes,
                                                  mlir::Type element);

/// "bf16"; f32 as "tf32".
llvm::StringRef fragmentTypeName(mlir::Type factor);

} // namespace nereid::backend::nvptx
