// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "layout/SharedLayout.h"
#include "target/NvidiaTarget.h"

namespace nereid::backend::nvptx {

/// Which of ldmatrix and stmatrix code for the target may use.
inline layout::MatrixInstructions matricesOf(const target::NvidiaTarget &target) {
  return {.load = true, .store = target.hasMatrixStores};
}

} // namespace nereid::backend::nvptx
