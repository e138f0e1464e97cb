// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of element types (nereid/dtypes.def) as types of MLIR.
#pragma once

#include "nereid/DType.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace nereid::tile {

/// The type of a scalar in the language. The dialect's integers have no sign: `isSigned` gives them
/// one, where they are wider than a bit. Nothing for pointers and for types that the language
/// lacks.
std::optional<DType> dtypeOf(mlir::Type scalar, bool isSigned = true);

/// The reverse; signs are dropped, and software floats are integers of their width.
mlir::Type scalarOf(DType type, mlir::MLIRContext *context);

} // namespace nereid::tile
