// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/PendingFile.h"

#include "nereid/error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace nereid::files {
namespace {

[[noreturn]] void failWriting(const std::string &path, const std::string &reason) {
  throw Error(Error::Kind::Environment, "cannot write " + path + ": " + reason);
}

/// mkstemp makes files for their owner only; this is what any other program would make.
void applyUsualMode(int descriptor) {
  mode_t mask = umask(0);
  umask(mask);
  // A file system without modes does no harm.
  (void)fchmod(descriptor, 0666 & ~mask);
}

constexpr int mostLinks = 40; // as many as Linux follows

} // namespace

std::string followLinks(const std::string &path) {
  std::error_code error;
  std::filesystem::path target = path;
  // One by one: what the last one points at need not be there yet.
  for (int links = 0; std::filesystem::is_symlink(target, error); ++links) {
    if (links == mostLinks)
      failWriting(path, std::strerror(ELOOP));
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  std::filesystem::path resolved = std::filesystem::weakly_canonical(target, error);
  return error ? target.string() : resolved.string();
}

void requireWritable(const std::string &path) {
  std::error_code error;
  std::filesystem::path resolved = followLinks(path);
  auto status = std::filesystem::status(resolved, error);
  if (!std::filesystem::status_known(status)) // the name is too long, say
    failWriting(path, error.message());
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    failWriting(path, "it exists and is not a regular file");
  std::filesystem::path directory = resolved.parent_path();
  const char *place = directory.empty() ? "." : directory.c_str();
  if (access(place, W_OK | X_OK) != 0)
    failWriting(path, std::string("directory ") + place + ": " + std::strerror(errno));
}

PendingFile::PendingFile(const std::string &target) : path(followLinks(target)) {
  requireWritable(target);
  // Not the name with something behind it: that may be the longest that there can be.
  std::filesystem::path directory = std::filesystem::path(path).parent_path();
  temporary = (directory.empty() ? "." : directory.string()) + "/.nereid-XXXXXX";
  int descriptor = mkstemp(temporary.data());
  if (descriptor < 0)
    failWriting(path, std::string("mkstemp: ") + std::strerror(errno));
  applyUsualMode(descriptor);
  file = fdopen(descriptor, "wb");
  if (!file) {
    close(descriptor);
    unlink(temporary.c_str());
    fail("fdopen");
  }
}

PendingFile::PendingFile(PendingFile &&other) noexcept
    : path(std::move(other.path)), temporary(std::exchange(other.temporary, {})),
      file(std::exchange(other.file, nullptr)) {}

PendingFile::~PendingFile() {
  if (file)
    std::fclose(file);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

void PendingFile::fail(const char *call) const {
  failWriting(path, std::string(call) + ": " + std::strerror(errno));
}

void PendingFile::write(const void *data, size_t bytes) {
  if (bytes && std::fwrite(data, 1, bytes, file) != bytes)
    fail("write");
}

void PendingFile::finish() {
  if (std::fclose(std::exchange(file, nullptr)) != 0)
    fail("close");
}

void PendingFile::commit() {
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    fail("rename");
  temporary.clear();
}

void writeWhole(const std::string &path, std::string_view text) {
  PendingFile file(path);
  file.write(text.data(), text.size());
  file.finish();
  file.commit();
}

} // namespace nereid::files
