// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "interpret/events/LineEvents.h"

#include <gtest/gtest.h>

namespace nereid::interpret {
namespace {

/// "1@3: a=7 b='x' ": program, line, variables.
class Lines final : public LineListener {
public:
  void reaches(mlir::Location location, ProgramId program,
               llvm::ArrayRef<VariableView> variables) override {
    std::string text = std::to_string(program.x) + "@" +
                       std::to_string(llvm::cast<mlir::FileLineColRange>(location).getStartLine()) +
                       ":";
    for (const VariableView &variable : variables) {
      int32_t number = 0;
      if (variable.type)
        std::memcpy(&number, variable.elements.data(), sizeof number);
      text += " " + variable.name.str() + "=" +
              (variable.type ? std::to_string(number) : variable.constant.str());
    }
    seen.push_back(text);
  }

  std::vector<std::string> seen;
};

TEST(LineEvents, TellOfEachLineAndOfTheVariablesOfItsFunction) {
  Lines lines;
  KernelRun().run(R"(
    #kernel1 = loc("k.py":11:1)
    #kernel2 = loc("k.py":12:1)
    #call = loc("k.py":13:1)
    #parameter = loc(callsite("k.py":5:9 at #call))
    #inner = loc(callsite("k.py":6:1 at #call))
    #after = loc("k.py":14:1)
    func.func @k() {
      %x = tile.program_id 0 loc(#kernel1)
      tile.variable "x" = %x : i32 statement loc(#kernel1)
      tile.variable "B" constant "64" statement loc(#kernel2)
      tile.variable "x" constant "'text'" loc(#parameter)
      %y = arith.addi %x, %x : i32 loc(#inner)
      tile.variable "y" = %y : i32 statement loc(#inner)
      tile.variable "B" statement loc(#after)
      return
    })",
                  {2}, {.lines = &lines});
  EXPECT_EQ(lines.seen,
            (std::vector<std::string>{"0@11:", "0@12: x=0", "0@13: B=64 x=0", "0@6: x='text'",
                                      "0@14: B=64 x=0", "1@11:", "1@12: x=1", "1@13: B=64 x=1",
                                      "1@6: x='text'", "1@14: B=64 x=1"}));
}

} // namespace
} // namespace nereid::interpret
