// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/Declaration.h"

#include "frontend/emit/Evaluate.h"

#include "llvm/ADT/STLExtras.h"

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
    slot.value = emit::evaluateDefault(module->tree.moduleOf(kernel), kernel,
                                       kernel.parameters[parameter], module->modules);
  });
  return slot.value;
}

std::vector<std::string> Declaration::byValue() const {
  std::lock_guard lock(mutex);
  return neededByValue;
}

bool Declaration::addByValue(const std::vector<std::string> &names) const {
  std::lock_guard lock(mutex);
  size_t before = neededByValue.size();
  for (const std::string &name : names)
    if (!llvm::is_contained(neededByValue, name))
      neededByValue.push_back(name);
  return neededByValue.size() > before;
}

} // namespace nereid::jit
