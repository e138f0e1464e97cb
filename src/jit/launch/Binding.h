// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs what a launch gives with what a kernel declares.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/sema/Constant.h"
#include "nereid/nereid.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid::jit {

/// "kernel 'add'"
std::string describe(const ast::Function &function);

/// For each parameter the index of the argument of its name, or nothing where its default stands.
/// Unknown, repeated and missing names are SourceErrors.
llvm::SmallVector<std::optional<size_t>, 16> bindNames(const ast::Function &function,
                                                       llvm::ArrayRef<llvm::StringRef> names);

/// What is given for a parameter: an argument, or for "pair.0" and "pair.1" the elements of a
/// tuple.
struct Given {
  std::optional<size_t> index = {}; // of the argument
  std::vector<Given> elements = {}; // where there is none
};

/// The same where names may be those of elements. Elements that cannot be those of one tuple are
/// Errors(Usage).
llvm::SmallVector<std::optional<Given>, 16> bindParts(const ast::Function &function,
                                                      llvm::ArrayRef<llvm::StringRef> names);

/// What is wrong with a descriptor of an array of such extents, if something is: kernels count its
/// elements in int32. `callee` is as describe() has it.
std::optional<Diagnostic> mistakeOfExtents(llvm::ArrayRef<int64_t> extents, SourceRange range,
                                           llvm::StringRef argument, llvm::StringRef callee);

/// The same of what it pads with: integers have no NaN.
std::optional<Diagnostic> mistakeOfPadding(DType dtype, bool padsWithNan, SourceRange range,
                                           llvm::StringRef argument, llvm::StringRef callee);

/// An argument that is no array, as a constant.
sema::ConstantValue toConstant(const Argument::Value &value);
/// The other way round. A pointer's type, which no argument can be, is none.
Argument toArgument(const sema::ConstantValue &value);

} // namespace nereid::jit
