// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Boundary.h"

#include "llvm/ADT/StringRef.h"

namespace nereid::jit {

Error toError(const Diagnostic &diagnostic) {
  bool isFile = diagnostic.id == DiagnosticId::file_unreadable;
  return Error(isFile ? Error::Kind::Environment : Error::Kind::Source,
               llvm::StringRef(diagnostic.render()).rtrim('\n').str());
}

} // namespace nereid::jit
