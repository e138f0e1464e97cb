// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit {

/// The bounds of a run-time loop, as scf.for reads them: signed, with a positive step.
struct LoopBounds {
  Tensor lower, upper, step;
  DType variableType;
  bool isReversed = false;
  /// Whether it is, where only the run tells; null: it is known.
  mlir::Value isBackwards = {};
  Tensor first; // where a reversed loop starts, from which its counter is taken away
};

LoopBounds loopBounds(Emitter &emitter, const RangeValue &range, SourceRange where);
/// What the author's variable is while scf's counts.
Tensor loopVariable(Emitter &emitter, const LoopBounds &bounds, mlir::Value counter,
                    SourceRange where);
/// The variable's value in the last turn; in the first, if there was none.
Tensor lastTurn(Emitter &emitter, const LoopBounds &bounds, SourceRange where);

} // namespace nereid::emit
