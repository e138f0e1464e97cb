// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a diagnostic of a name says beside the mistake: what would be accepted.
#pragma once

#include "support/Diagnostics.h"

#include <string>
#include <vector>

namespace nereid::names {

/// "did you mean ...?", if one of the candidates is close enough.
std::vector<DiagnosticNote> suggestion(const std::string &name,
                                       const std::vector<std::string> &candidates);
/// How a kernel writes what `name` is called elsewhere (`np.exp`, `torch.matmul`); may be empty.
std::string spellingInKernels(const std::string &name);

[[noreturn]] void failWithNotes(std::vector<DiagnosticNote> notes, Diagnostic diagnostic);

} // namespace nereid::names
