// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/TritonVersion.h"

#include "support/EnvironmentVariables.h"

#include <string>

namespace nereid::sema {

/// The newest whose tests were run from outside with the result that docs/conformance.md tells.
constexpr std::string_view defaultTritonVersion = "3.8";

std::span<const TritonVersion> tritonVersions() {
  static constexpr TritonVersion versions[] = {
#define VERSION(major, minor, release) {major, minor, release},
#include "frontend/sema/triton_versions.def"
  };
  return versions;
}

const TritonVersion *findTritonVersion(std::string_view text) {
  for (const TritonVersion &version : tritonVersions()) {
    std::string name = std::to_string(version.major) + '.' + std::to_string(version.minor);
    if (text == name || text.starts_with(name + '.'))
      return &version;
  }
  return nullptr;
}

const TritonVersion &tritonVersion() {
  static const TritonVersion &meant = [&]() -> const TritonVersion & {
    const char *said = readVariable(KnownVariable::NEREID_TRITON_VERSION);
    const TritonVersion *found = said ? findTritonVersion(said) : nullptr;
    return found ? *found : *findTritonVersion(defaultTritonVersion);
  }();
  return meant;
}

std::span<const TritonDifference> tritonDifferences() {
  static const TritonDifference differences[] = {
#define SINCE(name, major, minor, asker, meaning)                                                  \
  {#name, tritonVersion() >= TritonVersion{major, minor, {}}},
#include "frontend/sema/triton_versions.def"
  };
  return differences;
}

std::optional<bool> findTritonDifference(std::string_view name) {
  for (const TritonDifference &difference : tritonDifferences())
    if (difference.name == name)
      return difference.holds;
  return std::nullopt;
}

} // namespace nereid::sema
