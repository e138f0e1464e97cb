// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What @triton.autotune and @triton.heuristics say above a kernel, as far as a text says it without
// being run.
#pragma once

#include "frontend/ast/Ast.h"

#include <string>
#include <vector>

namespace nereid::ast {

/// triton.Config({"BLOCK": 64}, num_warps=4), in a list or with `for` behind it.
struct WrittenConfig {
  struct Item {
    std::string name;
    ExprPtr value;
  };
  /// for TARGET in ITERABLE if CONDITIONS
  struct Clause {
    ExprPtr target, iterable;
    ExprList conditions;
  };
  std::vector<Item> values;  // for parameters of the kernel
  std::vector<Item> options; // num_warps and the like
  std::vector<Clause> clauses;
  SourceRange range;
};

/// "NAME": lambda args: args["n"] % args["BLOCK"] == 0
struct WrittenHeuristic {
  std::string name;
  std::string expression; // with `n` for args["n"]; empty if it is not of this form
  SourceRange range;
};

struct WrittenTuning {
  std::vector<WrittenConfig> configs;
  /// Why these are not all, or not known; null if they are.
  std::shared_ptr<const Diagnostic> failure;
  std::vector<WrittenHeuristic> heuristics;
  ExprPtr key, restored; // lists of names; null if none are given
  /// Arguments that make no difference to what is tried first, and that only Python could follow:
  /// prune_configs_by.
  std::vector<SourceRange> unread;
};

} // namespace nereid::ast
