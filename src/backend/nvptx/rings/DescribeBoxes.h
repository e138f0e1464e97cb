// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/nv/Nv.h"
#include "runtime/Artifact.h"

#include "llvm/Support/raw_ostream.h"

namespace nereid::backend::nvptx {

/// For who launches the PTX by other means: a line of comment for each tensor map that the entry
/// takes behind its other parameters. p2 is the kernel's third run-time parameter; numbers are of
/// elements, from the innermost dimension; strides from the second on.
///
///   // map: array p0 f16 offset 0 extents p5, 2147483648 strides p6 copied 64, 128 swizzle 128
///   // only if p3 is a multiple of 128
void printBoxes(const runtime::CudaCode &code, llvm::raw_ostream &out);

/// What a launch makes the tensor maps of these boxes (nv.box) from, in their order.
void describeBoxes(llvm::ArrayRef<mlir::Operation *> boxes, runtime::CudaCode &code);
/// What nvptx-assume-multiples found.
void describeMultiples(mlir::func::FuncOp kernel, runtime::CudaCode &code);

} // namespace nereid::backend::nvptx
