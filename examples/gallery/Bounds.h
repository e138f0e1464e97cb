// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a result may be from its reference, element by element: what the roundings of the
// operation in float32 add up to. A result of a narrower type is rounded once more, which Trial
// knows.
#pragma once

#include "References.h"

namespace nereid::gallery::bound {

/// What a function of the C library's vector half may be off (docs/decisions/0006-libmvec.md), in
/// roundings: it promises four steps, and a rounding costs half a step.
constexpr int function = 8;

/// The roundings that a sum of so many products is worth. In the worst case they are as many as the
/// terms; but they are as often up as down, and grow with the root of that (Higham and Mary, A new
/// approach to probabilistic rounding error analysis, 2019). The inputs are random and seeded.
double roundingsOfSum(int64_t terms);

/// Each element is the product of so many roundings.
Doubles relative(const Doubles &reference, double roundings);
/// Each element is a sum of so many products; `sizes` is the sum of their absolute values. What
/// each product loses comes besides.
Doubles sum(const Doubles &sizes, int64_t terms, double productRoundings = 0);
Values absolute(const Values &x);

Doubles softmaxRows(const Doubles &reference, const Values &x, int64_t cols);
Doubles rmsNormRows(const Doubles &reference, int64_t cols);
reference::LayerNorm layerNormRows(const reference::LayerNorm &reference, const Values &x,
                                   const Values &weight, const Values &bias);
/// One where the roundings may lead across an integer, at which the grey is cut; else none.
Doubles grey(const Values &planes);

} // namespace nereid::gallery::bound
