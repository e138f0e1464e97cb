// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes whose objects are tuples with names, and those of Python's enum.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/parse/TokenCursor.h"

#include <memory>

namespace nereid {

/// Reads the class at the cursor if it is of NamedTuple or enum, or `isAggregate` because its
/// decorator says so. Null, and the cursor where it was, if it is none or cannot be read.
std::unique_ptr<ast::Record> parseRecord(TokenCursor &cursor, bool isAggregate);

/// Whether the class is one of enum: its fields are its members.
bool isEnumeration(const ast::Record &record);

} // namespace nereid
