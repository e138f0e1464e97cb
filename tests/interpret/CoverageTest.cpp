// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operation of the tile dialect has an evaluator or is listed here. Of other dialects, those
// have one that the front end or a pass makes (scripts/check_tables finds evaluators beyond that).
// Some test of this program runs each evaluator.
#include "KernelRun.h"
#include "interpret/operations/OperationTable.h"

#include <gtest/gtest.h>
#include <set>

namespace nereid::interpret {
namespace {

const std::set<std::string> notInterpreted = {"tile.yield",     // a terminator; its parent reads it
                                              "tile.assembly"}; // machine code

bool isInterpreted(mlir::RegisteredOperationName name) {
  return OperationTable::get().find(name) != nullptr;
}

std::set<std::string> operationsOfKernels() {
  std::set<std::string> names;
  for (mlir::RegisteredOperationName name : testContext().getRegisteredOperations()) {
    llvm::StringRef dialect = name.getDialectNamespace();
    bool isArithmetic = dialect == "arith" || dialect == "math";
    if (dialect == "tile" || (isArithmetic && isInterpreted(name)))
      names.insert(name.getStringRef().str());
  }
  return names;
}

TEST(Coverage, NamesEveryOperationThatIsNotInterpreted) {
  std::set<std::string> missing;
  for (const std::string &name : operationsOfKernels())
    if (!OperationTable::get().find(mlir::OperationName(name, &testContext())))
      missing.insert(name);
  EXPECT_GT(operationsOfKernels().size(), 60u);
  EXPECT_EQ(missing, notInterpreted);
}

/// Asks after the last test what they have run, unless only some of them were wanted.
class EveryOperationIsRun : public testing::Environment {
  void TearDown() override {
    const testing::UnitTest &program = *testing::UnitTest::GetInstance();
    if (program.test_to_run_count() != program.total_test_count())
      return;
    for (const std::string &name : operationsOfKernels())
      EXPECT_TRUE(operationsRun().contains(name) || notInterpreted.contains(name))
          << "no test runs " << name;
  }
};

[[maybe_unused]] const auto *const asksAtTheEnd =
    testing::AddGlobalTestEnvironment(new EveryOperationIsRun);

} // namespace
} // namespace nereid::interpret
