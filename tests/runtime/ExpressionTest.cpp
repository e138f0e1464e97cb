// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/expression.h"

#include <gtest/gtest.h>

using namespace nereid;

namespace {

template <typename F> std::string usageMistake(F act) {
  try {
    act();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), Error::Kind::Usage) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

Arguments someArguments() {
  Array x = Device::open("check").zeros(DType::Float32, {3, 5});
  return {{"n", 1000}, {"x", x}, {"B", 64}};
}

int64_t evaluate(const std::string &text) {
  return Expression(text, "--grid").evaluateIntegers(someArguments()).at(0);
}

TEST(Expression, Arithmetic) {
  EXPECT_EQ(evaluate("1 + 2 * 3"), 7);
  EXPECT_EQ(evaluate("(1 + 2) * 3"), 9);
  EXPECT_EQ(evaluate("-7 // 2"), -4);
  EXPECT_EQ(evaluate("-7 % 3"), 2);
  EXPECT_EQ(evaluate("cdiv(n, B)"), 16);
  EXPECT_EQ(evaluate("triton.cdiv(n, 1000)"), 1);
  EXPECT_EQ(evaluate("cdiv(-7, 2)"), -3);
  EXPECT_EQ(evaluate("next_power_of_2(n)"), 1024);
  EXPECT_EQ(evaluate("min(n, B, 3) + max(1, 2)"), 5);
  EXPECT_EQ(evaluate("x.shape[1] * x.stride[0] + x.shape[-2]"), 28);
}

TEST(Expression, MistakesHaveACaret) {
  std::string message = usageMistake([] { evaluate("cdiv(m, 64)"); });
  EXPECT_NE(message.find("--grid:1:6: error: unknown name 'm'"), std::string::npos) << message;
  EXPECT_NE(message.find("\n       ^"), std::string::npos) << message;
  for (const char *text :
       {"", "1 +", "cdiv(1)", "cdiv(1, 0)", "1 // 0", "1 % 0", "x", "x.shape[2]", "x.size[0]",
        "n.shape[0]", "1.5", "n / 2", "\"a\"", "foo(1)", "[", "lambda: 1", "x.shape[-3]",
        "next_power_of_2(9223372036854775807)", "99999999999999999999"})
    EXPECT_NE(usageMistake([&] { evaluate(text); }).find("error: "), std::string::npos) << text;
}

TEST(Expression, GridsHaveUpToThreeExtents) {
  Grid grid = Expression("2, 3").evaluateGrid();
  EXPECT_EQ(grid.x, 2);
  EXPECT_EQ(grid.y, 3);
  EXPECT_EQ(grid.z, 1);
  EXPECT_EQ(usageMistake([&] { Expression("1,2,3,4", "--grid").evaluateGrid(); }),
            "a grid has 1 to 3 extents, but --grid 1,2,3,4 has 4");
  usageMistake([&] { Expression("()").evaluateGrid(); });
}

TEST(Expression, DeepNestingIsDiagnosed) {
  usageMistake([] { evaluate(std::string(10000, '(') + "1" + std::string(10000, ')')); });
  usageMistake([] { evaluate(std::string(10000, '-') + "1"); });
}

TEST(Expression, ValuesOfEveryKind) {
  Arguments arguments = someArguments();
  auto valueOf = [&](const char *text) { return Expression(text).evaluate(arguments).get(); };
  EXPECT_EQ(std::get<int64_t>(valueOf("-9223372036854775807 - 1")), INT64_MIN);
  EXPECT_EQ(std::get<uint64_t>(valueOf("18446744073709551615")), UINT64_MAX);
  EXPECT_EQ(std::get<double>(valueOf("n / 16")), 62.5);
  EXPECT_EQ(std::get<bool>(valueOf("n > B")), true);
  EXPECT_EQ(std::get<std::string>(valueOf("'text'")), "text");
  EXPECT_EQ(std::get<DType>(valueOf("tl.float16")), DType::Float16);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(valueOf("None")));
  EXPECT_EQ(std::get<Array>(valueOf("x")).data(), std::get<Array>(arguments[1].value.get()).data());
  std::string message = usageMistake([&] { valueOf("tl.pointer_type(tl.int8)"); });
  EXPECT_NE(message.find("1:1: error: expected a value, not the type of a pointer"),
            std::string::npos)
      << message;
}

TEST(Expression, Definitions) {
  NamedArgument definition = parseDefinition("torch.version.hip is not None=True");
  EXPECT_EQ(definition.name, "torch.version.hip is not None");
  EXPECT_TRUE(std::get<bool>(definition.value.get()));
  definition = parseDefinition("f(a=1, b='=') == [c]=2 + 1");
  EXPECT_EQ(definition.name, "f(a=1, b='=') == [c]");
  EXPECT_EQ(std::get<int64_t>(definition.value.get()), 3);
  for (const char *text : {"", "=1", "N", "f(a=1", "N=", "N=m", "N=1=2"})
    usageMistake([&] { parseDefinition(text); });
  EXPECT_EQ(usageMistake([&] { parseDefinition("N", "--define"); }),
            "--define N is not of the form NAME=VALUE");
}

} // namespace
