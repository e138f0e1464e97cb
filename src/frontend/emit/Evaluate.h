// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants outside kernels: the evaluator that traces kernels, where nothing becomes an operation.
// Mistakes leave as SourceError.
#pragma once

#include "frontend/ast/WrittenTuning.h"
#include "frontend/emit/Value.h"
#include "frontend/sema/Environment.h"

namespace nereid::emit {

/// The value of a parameter's default, as it is where its function is defined.
sema::ConstantValue evaluateDefault(const ast::Module &module, const ast::Function &function,
                                    const ast::Parameter &parameter,
                                    const sema::Environment &environment);

/// The value of an expression that stands at the end of `module`.
Value evaluate(const ast::Expr &expr, const ast::Module &module,
               const sema::Environment &environment);

struct ConfigItem {
  std::string name;
  sema::ConstantValue value;
  SourceRange range;
};
struct ConfigValues {
  std::vector<ConfigItem> values, options;
};
/// The configurations that the text writes out, as they are at the end of `module`.
std::vector<ConfigValues> evaluateConfigs(const ast::WrittenTuning &tuning,
                                          const ast::Module &module,
                                          const sema::Environment &environment);

/// The @triton.jit function of `module` that `name` stands for; null if it is none.
const ast::Function *findKernel(const ast::Module &module, const std::string &name,
                                const sema::Environment &environment);

} // namespace nereid::emit
