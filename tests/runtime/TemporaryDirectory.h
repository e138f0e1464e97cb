// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace nereid::test {

/// A directory of its own for one test, gone with it.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nereid-XXXXXX").string();
    root = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(root); }
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

  std::string path(const std::string &name) const { return (root / name).string(); }
  void write(const std::string &name, const std::string &text) const {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }

private:
  std::filesystem::path root;
};

} // namespace nereid::test
