// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/names/Advice.h"

#include "frontend/sema/Builtins.h"

namespace nereid::names {

std::vector<DiagnosticNote> suggestion(const std::string &name,
                                       const std::vector<std::string> &candidates) {
  std::string closest = closestName(name, candidates);
  if (closest.empty())
    return {};
  return {{{}, "did you mean '" + closest + "'?"}};
}

std::string spellingInKernels(const std::string &name) {
  constexpr std::string_view language = "triton.language";
  auto dtype = parseDType(name);
  bool isDType = dtype && nereid::name(*dtype) == name;
  if (isDType || sema::findFunction(language, name))
    return "write tl." + name;
  if (std::string_view here = sema::spellingHere(name); !here.empty())
    return "write " + std::string(here);
  if (const auto *missing = sema::findMissingFunction(language, name))
    return missing->instead.empty() ? "tl." + name + " is not supported yet"
                                    : "write " + std::string(missing->instead);
  return {};
}

void failWithNotes(std::vector<DiagnosticNote> notes, Diagnostic diagnostic) {
  diagnostic.notes.insert(diagnostic.notes.end(), notes.begin(), notes.end());
  throw SourceError(std::move(diagnostic));
}

} // namespace nereid::names
