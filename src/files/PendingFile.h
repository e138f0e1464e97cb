// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace nereid::files {

/// A file that appears whole or not at all: written beside its place under another name, and moved
/// there by commit(). Failures are Errors that name the call.
class PendingFile {
public:
  explicit PendingFile(const std::string &path);
  ~PendingFile();
  PendingFile(PendingFile &&other) noexcept;
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;

  void write(const void *data, size_t bytes);
  /// All data is on its way to the disk and the file closed; only the name is missing.
  void finish();
  void commit();

private:
  [[noreturn]] void fail(const char *call) const;

  std::string path, temporary;
  std::FILE *file = nullptr;
};

/// Writes such a file.
void writeWhole(const std::string &path, std::string_view text);

/// The path of the file that `path` stands for: a symbolic link stays, and what it points at is
/// made or replaced.
std::string followLinks(const std::string &path);

/// Throws Error(Environment) if `path` names something that a file cannot be moved over, or lies
/// where none can be made.
void requireWritable(const std::string &path);

} // namespace nereid::files
