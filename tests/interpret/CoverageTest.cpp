// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operation of the tile dialect has an evaluator or is listed here. Of other dialects, those
// have one that the front end or a pass makes; scripts/check_tables finds evaluators beyond that.
#include "KernelRun.h"
#include "interpret/OperationTable.h"

#include <gtest/gtest.h>
#include <set>

namespace nereid::interpret {

TEST(Coverage, NamesEveryOperationThatIsNotInterpreted) {
  const std::set<std::string> expected = {"tile.yield"}; // a terminator; its parent reads it
  std::set<std::string> missing;
  size_t known = 0;
  for (mlir::RegisteredOperationName name : testContext().getRegisteredOperations()) {
    if (name.getDialectNamespace() != "tile")
      continue;
    ++known;
    if (!OperationTable::get().find(name))
      missing.insert(name.getStringRef().str());
  }
  EXPECT_GT(known, 15u);
  EXPECT_EQ(missing, expected);
}

} // namespace nereid::interpret
