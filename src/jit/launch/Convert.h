// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Array elements as double and back.
#pragma once

#include "nereid/DType.h"

#include <cstddef>

namespace nereid::jit {

/// 64-bit integers are rounded to nearest even.
double loadElement(DType type, const void *element);

/// Rounds once, to nearest even. Integers saturate and turn NaN to 0; int1 is value != 0.
void storeElement(DType type, void *element, double value);

/// The same as loadElement and storeElement for `count` elements that lie next to each other.
void loadElements(DType type, const void *elements, size_t count, double *values);
void storeElements(DType type, void *elements, size_t count, const double *values);

} // namespace nereid::jit
