// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/ClockRecords.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace nereid::backend::nvptx {

/// For who reads or launches the PTX by other means: a line of comment for each number that a
/// record may have.
///
///   // clock 4: await_tile of the others, kernel.py:12:9 to line 14
void printClocks(llvm::ArrayRef<runtime::ClockSite> sites, llvm::raw_ostream &out);

} // namespace nereid::backend::nvptx
