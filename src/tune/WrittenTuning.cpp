// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The configurations that stand above a kernel in its file.
#include "frontend/emit/Evaluate.h"
#include "frontend/parse/TuningParser.h"
#include "jit/Boundary.h"
#include "jit/State.h"
#include "jit/launch/Binding.h"
#include "nereid/tune.h"
#include "support/Diagnostics.h"

namespace nereid {
namespace {

using sema::ConstantValue;

std::vector<std::string> namesOf(const ast::Expr &list, const emit::Value &value) {
  const auto *tuple = value.as<emit::Tuple>();
  std::vector<std::string> names;
  for (size_t i = 0; tuple && i < tuple->elements.size(); ++i) {
    const auto *constant = tuple->elements[i].as<ConstantValue>();
    const auto *text = constant ? std::get_if<std::string>(constant) : nullptr;
    if (!text)
      fail(list.range, DiagnosticId::expected, "a list of names");
    names.push_back(*text);
  }
  if (!tuple)
    fail(list.range, DiagnosticId::expected, "a list of names");
  return names;
}

unsigned countOf(const emit::ConfigItem &option) {
  const auto *count = std::get_if<sema::Integer>(&option.value);
  if (!count || *count < 1 || *count > 1024)
    fail(option.range, DiagnosticId::argument_value, option.name, "Config", "a number of 1 or more",
         sema::toString(option.value));
  return static_cast<unsigned>(*count);
}

Configuration toConfiguration(const emit::ConfigValues &config) {
  Configuration result;
  for (const emit::ConfigItem &item : config.values)
    result.values.push_back({item.name, jit::toArgument(item.value)});
  for (const emit::ConfigItem &option : config.options) {
    bool isNone = std::holds_alternative<std::monostate>(option.value);
    if (option.name == "num_warps")
      result.tuning.warps = countOf(option);
    else if (option.name == "num_stages")
      result.tuning.pipelineStages = countOf(option);
    else if (option.name == "maxnreg" && !isNone)
      result.tuning.maxRegisters = countOf(option);
  }
  return result;
}

} // namespace

WrittenTuning writtenTuning(const Kernel &kernel) {
  const auto &declaration = detail::KernelState::of(kernel).declaration;
  if (!declaration)
    return {};
  const driver::SourceModule &source = *declaration->source();
  const ast::Function &function = declaration->function();
  const ast::Module &module = source.tree.moduleOf(function);
  return jit::atBoundary([&] {
    ast::WrittenTuning written = parseTuning(source.file, function);
    WrittenTuning result;
    auto evaluated = [&](const ast::Expr &expr) {
      return namesOf(expr, emit::evaluate(expr, module, source.modules));
    };
    try {
      if (written.failure)
        throw SourceError(*written.failure);
      for (const emit::ConfigValues &config :
           emit::evaluateConfigs(written, module, source.modules))
        result.configurations.push_back(toConfiguration(config));
      if (written.key)
        result.key = evaluated(*written.key);
      if (written.restored)
        result.restored = evaluated(*written.restored);
    } catch (const SourceError &error) {
      result.failure = jit::toError(error.diagnostic).what();
    }
    for (const ast::WrittenHeuristic &heuristic : written.heuristics)
      result.heuristics.push_back({heuristic.name, heuristic.expression});
    for (SourceRange range : written.unread) {
      auto [line, column] = range.file->position(range.begin);
      result.unread.push_back(range.file->name() + ':' + std::to_string(line) + ':' +
                              std::to_string(column));
    }
    return result;
  });
}

} // namespace nereid
