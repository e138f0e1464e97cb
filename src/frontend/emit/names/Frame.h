// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/emit/names/Scope.h"
#include "support/Source.h"

#include "mlir/IR/Location.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace nereid::emit {

namespace threads {
struct OpenRecursion;
} // namespace threads

/// One function being traced: the kernel, or an inlined callee.
struct Frame {
  const ast::Module &module;
  const Frame *caller = nullptr;
  SourceRange callRange = {};
  std::optional<mlir::Location> callSite = {}; // nothing in the kernel itself
  bool isLibrary = false;
  /// Outside kernels, where Python would compute: numbers stay Python's own, and what no constant
  /// can be is a mistake.
  bool isHost = false;
  /// Module-level names have the values that they have at this offset: at the end, except for what
  /// is evaluated while the module runs.
  uint32_t before = UINT32_MAX;
  /// Null while the module itself is evaluated.
  const ast::Function *function = nullptr;
  /// In the library: the function that the author called, and which of its arguments each parameter
  /// here was handed.
  struct Origin {
    std::string name;
    SourceRange range;
  };
  std::string calledName = {};
  std::map<std::string, Origin> origins = {};
  Scope scope = {};
  /// The names whose values a break or continue of the innermost loop hands on; null outside loops.
  const std::set<std::string> *handedOn = nullptr;
  /// What ends the body and stands in no text.
  const ast::Stmt *end = nullptr;
  /// Of a function inside of another: the call of that.
  const Frame *around = nullptr;
  /// A statement that may have returned was gone round.
  bool isResultUnknown = false;
  /// In kernels of threads, what the parameters are given, in their order.
  std::vector<Value> given = {};
  /// Of a function that the run calls from within itself, which is being made a loop.
  const threads::OpenRecursion *recursion = nullptr;
};

} // namespace nereid::emit
