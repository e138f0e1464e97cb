// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// This program decides what names mean, and has nothing of MLIR.
#include <gtest/gtest.h>

#include <link.h>

#include <string>
#include <vector>

namespace nereid::test {
namespace {

TEST(Names, AreUnderstoodWithoutMlir) {
  std::vector<std::string> libraries;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *found) {
        static_cast<std::vector<std::string> *>(found)->push_back(info->dlpi_name);
        return 0;
      },
      &libraries);
  ASSERT_FALSE(libraries.empty());
  for (const std::string &library : libraries)
    EXPECT_EQ(library.find("MLIR"), std::string::npos) << library;
}

} // namespace
} // namespace nereid::test
