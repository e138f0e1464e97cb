// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "target/NvidiaTarget.h"

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace nereid::backend::nvptx {

/// What stands between `atom.global.` and its operands, for a tile.atomic_rmw or tile.atomic_cas:
/// "max.s32". Nothing if the target has no such instruction, or for any other operation.
std::optional<std::string> atomicInstruction(mlir::Operation *op,
                                             const target::NvidiaTarget &target);

} // namespace nereid::backend::nvptx
