// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OddPlaces.h"

#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace nereid::fuzz {

namespace fs = std::filesystem;

void putOddThing(unsigned which, const fs::path &path, const fs::path &other) {
  if (which < 6)
    removeThing(path);
  switch (which) {
  case 0:
    fs::create_directory(path);
    break;
  case 1:
    fs::create_symlink(path.parent_path() / "nowhere", path);
    break;
  case 2:
    fs::create_symlink(path, path);
    break;
  case 3:
    fs::create_symlink(other, path);
    break;
  case 4:
    mkfifo(path.c_str(), 0600);
    break;
  case 5:
    break;
  case 6:
    if (fs::is_regular_file(path)) // holds nothing where nothing was written
      fs::resize_file(path, uintmax_t(64) << 30);
    break;
  case 7:
    chmod(path.c_str(), 0);
    break;
  default:
    chmod(path.c_str(), 0666);
  }
}

void removeThing(const fs::path &path) {
  std::error_code error;
  fs::remove_all(path, error);
}

std::string readWhole(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeWhole(const fs::path &path, const std::string &bytes) {
  removeThing(path);
  std::ofstream(path, std::ios::binary) << bytes;
  chmod(path.c_str(), 0600);
}

} // namespace nereid::fuzz
