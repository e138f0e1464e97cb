// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All families together, for the generated declarations and the reference page.
include "dialect/tile/ProgramOps.td"
include "dialect/tile/ThreadOps.td"
include "dialect/tile/ShapeOps.td"
include "dialect/tile/NumberOps.td"
include "dialect/tile/MemoryOps.td"
include "dialect/tile/MatrixOps.td"
include "dialect/tile/ReductionOps.td"
include "dialect/tile/AtomicOps.td"
include "dialect/tile/AssemblyOps.td"
include "dialect/tile/DebugOps.td"
