// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floats that no machine knows (SOFTWARE_FLOAT_DTYPE of nereid/dtypes.def): tile IR holds them
// as integers of their width, and what computes with them is written out here.
#pragma once

#include "frontend/emit/tiles/TileBuilder.h"

namespace nereid::emit {

/// Whether tile IR has no type for it.
bool isSoftwareFloat(DType type);

/// The code of a number, as a conversion at run time would give it.
uint64_t softwareFloatBits(double number, DType type);
double softwareFloatValue(uint64_t bits, DType type);

/// A software float, exactly, as float32.
Tensor widenSoftwareFloat(TileBuilder &tiles, const Tensor &value, SourceRange range);
/// A wider float as a software float, rounded once.
Tensor narrowToSoftwareFloat(TileBuilder &tiles, const Tensor &value, DType type,
                             SourceRange range);

} // namespace nereid::emit
