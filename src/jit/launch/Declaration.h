// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/Compiler.h"
#include "frontend/sema/Annotation.h"
#include "frontend/sema/Constant.h"

#include <memory>
#include <mutex>
#include <vector>

namespace nereid::jit {

/// What a kernel says of its parameters, read once for all launches.
class Declaration {
public:
  Declaration(std::shared_ptr<const driver::SourceModule> source, const ast::Function &function);

  const std::shared_ptr<const driver::SourceModule> &source() const { return module; }
  const ast::Function &function() const { return kernel; }
  const sema::Annotation &annotation(size_t parameter) const { return annotations[parameter]; }
  /// Evaluated when it is first needed; a mistake in it is a SourceError each time. Any thread may
  /// ask.
  const sema::ConstantValue &defaultOf(size_t parameter) const;

  /// The run-time parameters that kernels were found to need as constants, at any time so far.
  std::vector<std::string> byValue() const;
  /// Adds to them; false if they were all known.
  bool addByValue(const std::vector<std::string> &names) const;

private:
  struct Default {
    std::once_flag isEvaluated;
    sema::ConstantValue value;
  };

  std::shared_ptr<const driver::SourceModule> module;
  const ast::Function &kernel;
  std::vector<sema::Annotation> annotations;
  std::unique_ptr<Default[]> defaults;
  mutable std::mutex mutex;
  mutable std::vector<std::string> neededByValue;
};

} // namespace nereid::jit
