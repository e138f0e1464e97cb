// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/EnvironmentVariables.h"

#include "nereid/environment.h"
#include "nereid/error.h"

#include <charconv>
#include <cstdlib>

namespace nereid {

static constexpr EnvironmentVariable variables[] = {
#define VARIABLE(name, values, fallback, page, meaning) {#name, values, fallback, meaning},
#include "nereid/environment.def"
};

const char *readVariable(KnownVariable variable) {
  return std::getenv(variables[static_cast<size_t>(variable)].name.data());
}

const char *readFilledVariable(KnownVariable variable) {
  const char *value = readVariable(variable);
  return value && *value ? value : nullptr;
}

static std::optional<uint64_t> bytesOfMebibytes(std::string_view text) {
  uint64_t mebibytes = 0;
  auto [end, error] = std::from_chars(text.begin(), text.end(), mebibytes);
  if (error != std::errc() || end != text.end() || mebibytes >= uint64_t(1) << 40)
    return std::nullopt;
  return mebibytes << 20;
}

size_t readMebibytes(KnownVariable variable) {
  const char *text = readVariable(variable);
  std::optional<uint64_t> given = text ? bytesOfMebibytes(text) : std::nullopt;
  return given ? *given : *bytesOfMebibytes(variables[static_cast<size_t>(variable)].fallback);
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
