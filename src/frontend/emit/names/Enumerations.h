// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of Python's enum that stand outside kernels.
#pragma once

#include "frontend/emit/Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace nereid::emit {

/// The members of the class by name. Those of an IntEnum, IntFlag or StrEnum are their values; of
/// any other class they are objects with `value` and `name`, each equal to itself alone. One whose
/// value is no constant, or cannot be evaluated, is a mistake where it is used.
Value enumeration(const ast::Record &record, llvm::function_ref<Value(const ast::Expr &)> evaluate);

} // namespace nereid::emit
