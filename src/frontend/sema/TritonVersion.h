// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which version's language is meant, where versions of Triton differ. What differs is listed in
// triton_versions.def.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace nereid::sema {

struct TritonVersion {
  int major, minor;
  std::string_view release; // "3.8.0", as programs ask for it

  auto operator<=>(const TritonVersion &other) const {
    return major != other.major ? major <=> other.major : minor <=> other.minor;
  }
  bool operator==(const TritonVersion &other) const { return (*this <=> other) == 0; }
};

struct TritonDifference {
  std::string_view name;
  bool holds; // in the version that is meant
};

/// All that are known, the oldest first.
std::span<const TritonVersion> tritonVersions();

/// "3.8", also with what comes after it: "3.8.1"; null if it is not known.
const TritonVersion *findTritonVersion(std::string_view text);

/// What NEREID_TRITON_VERSION says, or the newest whose own tests pass. It is looked up once: code
/// for two versions does not meet in a process. What names no version counts as not said; who
/// starts a process refuses it.
const TritonVersion &tritonVersion();

/// Rows of the table, for the version that is meant.
std::span<const TritonDifference> tritonDifferences();
std::optional<bool> findTritonDifference(std::string_view name);

} // namespace nereid::sema
