// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/EnvironmentVariables.h"

#include "nereid/environment.h"
#include "nereid/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <initializer_list>

namespace nereid {

static constexpr EnvironmentVariable variables[] = {
#define VARIABLE(name, kind, values, fallback, page, meaning)                                      \
  {#name, EnvironmentVariable::Kind::kind, values, fallback, meaning},
#include "nereid/environment.def"
};

const char *readVariable(KnownVariable variable) {
  return std::getenv(variables[static_cast<size_t>(variable)].name.data());
}

const char *readFilledVariable(KnownVariable variable) {
  const char *value = readVariable(variable);
  return value && *value ? value : nullptr;
}

std::optional<uint64_t> numberIn(std::string_view text) {
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || end != text.end() || number >= uint64_t(1) << 40)
    return std::nullopt;
  return number;
}

uint64_t readNumber(KnownVariable variable) {
  const char *text = readVariable(variable);
  std::optional<uint64_t> given = text ? numberIn(text) : std::nullopt;
  return given ? *given : *numberIn(variables[static_cast<size_t>(variable)].fallback);
}

static bool isOneOf(std::string_view text, std::initializer_list<const char *> words) {
  return std::any_of(words.begin(), words.end(), [&](const char *word) {
    return llvm::StringRef(text).equals_insensitive(word);
  });
}

bool meansYes(std::string_view text) { return isOneOf(text, {"1", "true", "on", "yes", "y"}); }

/// Whether the variable's reader takes the text for what the table says.
static bool isTaken(const EnvironmentVariable &variable, std::string_view text) {
  switch (variable.kind) {
  case EnvironmentVariable::Kind::Switch:
    return meansYes(text) || isOneOf(text, {"0", "false", "off", "no", "n"});
  case EnvironmentVariable::Kind::Number:
    return numberIn(text).has_value();
  case EnvironmentVariable::Kind::OneOf: {
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(variable.values).split(words, ", ");
    return llvm::is_contained(words, llvm::StringRef(text));
  }
  case EnvironmentVariable::Kind::Text:
    break;
  }
  return true;
}

static std::string acceptedBy(const EnvironmentVariable &variable) {
  if (variable.kind == EnvironmentVariable::Kind::Number)
    return "must be a whole number (" + std::string(variable.values) + ")";
  const bool isSwitch = variable.kind == EnvironmentVariable::Kind::Switch;
  return "must be one of " + std::string(variable.values) +
         (isSwitch ? ", or 0, false, off, no" : "");
}

std::vector<std::string> environmentMistakes() {
  std::vector<std::string> mistakes;
  for (const EnvironmentVariable &variable : variables) {
    const std::string name(variable.name);
    std::optional<std::string> text = readVariableNamed(name);
    if (text && !text->empty() && !isTaken(variable, *text))
      mistakes.push_back(name + " is '" + printable(*text) + "', and " + acceptedBy(variable));
  }
  return mistakes;
}

std::optional<std::string> readVariableNamed(const std::string &name) {
  const char *value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::span<const EnvironmentVariable> environmentVariables() { return variables; }

std::optional<std::string> environmentVariable(std::string_view name) {
  for (const EnvironmentVariable &variable : variables)
    if (variable.name == name)
      return readVariableNamed(std::string(name));
  throw Error(Error::Kind::Usage, "no variable '" + std::string(name) +
                                      "' of the environment; environmentVariables() lists them");
}

} // namespace nereid
