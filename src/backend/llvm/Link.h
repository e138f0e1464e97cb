// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Artifact.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace nereid::backend {

/// An ELF object for x86-64 in one piece: sections end to end, what they say of each other filled
/// in, what they call listed by name. `entry` is the function that the image is for. The object is
/// position-independent code.
runtime::CodeImage link(llvm::MemoryBufferRef object, llvm::StringRef entry);

} // namespace nereid::backend
