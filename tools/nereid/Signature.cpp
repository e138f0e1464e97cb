// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Signature.h"

#include "GridExpression.h"
#include "Value.h"
#include "frontend/emit/Evaluate.h"
#include "frontend/sema/Annotation.h"
#include "jit/Binding.h"

#include <optional>
#include <vector>

namespace nereid::command {
namespace {

/// Splits at commas that are in no brackets and no quotes.
std::vector<std::string> splitEntries(const std::string &text) {
  std::vector<std::string> entries(text.empty() ? 0 : 1);
  char quote = 0;
  int depth = 0;
  for (char c : text) {
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    depth += !quote && (c == '(' || c == '[');
    depth -= !quote && (c == ')' || c == ']');
    if (c == ',' && !quote && depth <= 0)
      entries.emplace_back();
    else
      entries.back() += c;
  }
  return entries;
}

std::string trim(const std::string &text) {
  size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::optional<sema::RuntimeParameter> parseRuntime(std::string text) {
  bool isDivisible = text.ends_with(":16");
  if (isDivisible)
    text.resize(text.size() - 3);
  std::optional<sema::ScalarType> type = sema::parseTypeName(text);
  if (!type)
    return std::nullopt;
  return sema::RuntimeParameter{*type, isDivisible};
}

std::variant<sema::RuntimeParameter, sema::ConstantValue> parseEntry(const Assignment &entry,
                                                                     bool isConstexpr) {
  if (std::optional<sema::RuntimeParameter> runtime = parseRuntime(entry.text)) {
    if (!isConstexpr)
      return *runtime;
    if (!runtime->type.isPointer && !runtime->isDivisibleBy16)
      return sema::ConstantValue(runtime->type);
    throw Error(Error::Kind::Usage, entry.name + "=" + entry.text + ": '" + entry.name +
                                        "' is a constexpr and takes a constant");
  }
  if (entry.text.empty())
    throw Error(Error::Kind::Usage, entry.name + "=: a type or a constant is missing");
  if (entry.text.starts_with('*'))
    throw Error(Error::Kind::Usage, entry.name + "=" + entry.text +
                                        ": no such pointer; accepted is *" +
                                        "DTYPE or *DTYPE:16 with one of " + acceptedDTypes());
  return GridExpression("signature of " + entry.name, entry.text).evaluate(NoArguments());
}

} // namespace

sema::Specialization parseSignature(const driver::SourceModule &source,
                                    const ast::Function &function, const std::string &text) {
  std::vector<Assignment> entries;
  std::vector<std::string> names;
  for (const std::string &entry : splitEntries(text)) {
    Assignment assignment = parseAssignment(trim(entry), "NAME=TYPE or NAME=CONSTANT");
    entries.push_back({assignment.name, trim(assignment.text)});
    names.push_back(assignment.name);
  }
  std::vector<std::optional<size_t>> bound = jit::bindNames(function, names);
  sema::Specialization specialization;
  for (size_t i = 0; i < bound.size(); ++i) {
    const ast::Parameter &parameter = function.parameters[i];
    if (bound[i])
      specialization.parameters.push_back(parseEntry(
          entries[*bound[i]], sema::readAnnotation(parameter.annotation.get()).isConstexpr));
    else
      specialization.parameters.push_back(
          emit::evaluateDefault(source.tree, function, parameter, source.modules));
  }
  // As in nearly every launch; a kernel for arrays that overlap is rarely what one wants to read.
  specialization.isNoAlias = true;
  return specialization;
}

} // namespace nereid::command
