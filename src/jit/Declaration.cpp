// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Declaration.h"

#include "frontend/emit/Evaluate.h"

namespace nereid::jit {

Declaration::Declaration(std::shared_ptr<const driver::SourceModule> source,
                         const ast::Function &function)
    : module(std::move(source)), kernel(function),
      defaults(std::make_unique<Default[]>(function.parameters.size())) {
  for (const ast::Parameter &parameter : function.parameters)
    annotations.push_back(sema::readAnnotation(parameter.annotation.get()));
}

const sema::ConstantValue &Declaration::defaultOf(size_t parameter) const {
  Default &slot = defaults[parameter];
  std::call_once(slot.isEvaluated, [&] {
    slot.value =
        emit::evaluateDefault(module->tree, kernel, kernel.parameters[parameter], module->modules);
  });
  return slot.value;
}

} // namespace nereid::jit
