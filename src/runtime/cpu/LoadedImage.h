// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Artifact.h"

#include <cstddef>

namespace nereid::runtime::cpu {

/// A code image in executable memory of this process, as long as this object lives.
class LoadedImage {
public:
  /// Throws ArtifactError if the image asks for a function that there is not, std::bad_alloc if
  /// there is no memory, and std::system_error if the system does not let it be executable.
  explicit LoadedImage(const CodeImage &image);
  ~LoadedImage();
  LoadedImage(const LoadedImage &) = delete;
  LoadedImage &operator=(const LoadedImage &) = delete;

  const void *code() const { return begin; }
  void *entry() const { return begin + entryOffset; }
  /// Whole pages.
  size_t bytes() const { return mapped; }

private:
  std::byte *begin = nullptr;
  size_t mapped = 0;
  uint64_t entryOffset;
};

} // namespace nereid::runtime::cpu
