// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/nv/Nv.h"
#include "runtime/Artifact.h"

namespace nereid::backend::nvptx {

/// What a launch makes the tensor maps of these boxes (nv.box) from, in their order.
void describeBoxes(llvm::ArrayRef<mlir::Operation *> boxes, runtime::CudaCode &code);

} // namespace nereid::backend::nvptx
