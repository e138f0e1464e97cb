// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace nereid::analyzer {

/// Of each row that the copy engine moves, the addresses of the first and the last element that
/// exist, one after the other, and which rows do.
struct BoxPointers {
  mlir::Value pointer, mask;
};

/// Of nv.fetch, nv.send and nv.fetch_row; nothing of other operations. `op` is the copy of
/// `original`, whose types have their layouts.
std::optional<BoxPointers> pointersOf(mlir::Operation *op, mlir::Operation *original,
                                      mlir::OpBuilder &builder, mlir::Location loc);
/// How many copies one such operation asks the engine for; 0 of other operations.
uint64_t boxesOf(mlir::Operation *op);

} // namespace nereid::analyzer
