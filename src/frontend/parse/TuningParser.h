// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ast/WrittenTuning.h"
#include "support/Source.h"

namespace nereid {

/// Reads the decorators of `function`, which stands in `file`. Configurations may stand in the
/// decorator, in a list of the module that it names, or in a function that only returns one. What
/// only a running Python would know of them is their failure; elsewhere it is a SourceError.
ast::WrittenTuning parseTuning(const SourceFile &file, const ast::Function &function);

} // namespace nereid
