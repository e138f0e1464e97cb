// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions outside kernels: defaults, and what a command line asks.
#include "frontend/emit/Evaluate.h"
#include "frontend/parse/Parser.h"
#include "support/Diagnostics.h"

#include <gtest/gtest.h>

namespace nereid {
namespace {

/// What a caller may know: a number, a text and an array.
class Caller final : public sema::Environment {
public:
  std::optional<Definition> definition(std::string_view text) const override {
    if (text == "n")
      return sema::ConstantValue(sema::Integer(1000));
    if (text == "f(1)")
      return sema::ConstantValue("text");
    if (text == "x")
      return sema::ArrayFacts{{3, 4}, {4, 1}};
    return std::nullopt;
  }
  std::vector<std::string> definedNames() const override { return {"n", "x"}; }
};

/// The value as Python would print it, or the id of the mistake.
std::string evaluated(const std::string &text) {
  static const SourceFile file("module.py", "import triton, math\nfrom math import *\n"
                                            "import triton.language as tl\nN = 8\n"
                                            "@triton.jit\ndef f(x):\n  return x\n");
  static const ast::Module module = parseModule(file);
  SourceFile expression("expression", text);
  try {
    emit::Value value = emit::evaluate(*parseExpression(expression), module, Caller());
    const auto *constant = value.as<sema::ConstantValue>();
    return constant ? sema::toString(*constant) : emit::describe(value);
  } catch (const SourceError &error) {
    return std::string(nameOf(error.diagnostic.id));
  }
}

TEST(Evaluate, ComputesAsPythonDoes) {
  EXPECT_EQ(evaluated("2 + 6 if True else 1"), "8");
  EXPECT_EQ(evaluated("[i * N for i in range(3)][-1]"), "16");
  EXPECT_EQ(evaluated("0 < N <= 8 and not None"), "True");
  EXPECT_EQ(evaluated("triton.cdiv(n, 1024) + triton.next_power_of_2(n - 1)"), "1025");
  EXPECT_EQ(evaluated("min(3, max(1, 2)) + int(2.5) + len('ab')"), "6");
  EXPECT_EQ(evaluated("math.sqrt(2) * math.sqrt(2) > 2"), "True");
  EXPECT_EQ(evaluated("math.log2(N)"), "3.0");
  EXPECT_EQ(evaluated("math.log(8, 2) == 3 and math.gcd(12, 18) == 6"), "True");
  EXPECT_EQ(evaluated("math.ceil(-0.5), math.floor(-0.5)"), "a tuple of 2");
  EXPECT_EQ(evaluated("math.ceil(2.5)"), "3");
  EXPECT_EQ(evaluated("math.trunc(-2.5)"), "-2");
  EXPECT_EQ(evaluated("tl.constexpr(math.pi)"), "3.141592653589793");
  EXPECT_EQ(evaluated("(3, 6) >= (3, 4) and (3, 4) < (3, 4, 0) and not (2, 9) > (3,)"), "True");
  EXPECT_EQ(evaluated("('a', 1) <= ('a', 1) and ('a', 2) > ('a', 1)"), "True");
  EXPECT_EQ(evaluated("tl.float16"), "float16");
  EXPECT_EQ(evaluated("'a' + f'{N}'"), "'a8'");
}

TEST(Evaluate, TakesWhatTheCallerKnows) {
  EXPECT_EQ(evaluated("x.shape[0] * x.stride[-2] + n"), "1012");
  EXPECT_EQ(evaluated("x"), "an array");
  EXPECT_EQ(evaluated("f( 1 )"), "'text'");
}

TEST(Evaluate, RefusesWhatIsNone) {
  EXPECT_EQ(evaluated("nn"), "unknown_name");
  EXPECT_EQ(evaluated("x.size"), "unknown_attribute");
  EXPECT_EQ(evaluated("x.shape[2]"), "cannot_index");
  EXPECT_EQ(evaluated("math.sqrt(-1)"), "operand_type");
  EXPECT_EQ(evaluated("math.sqrt('a')"), "operand_type");
  EXPECT_EQ(evaluated("math.sqrt(1, 2)"), "too_many_arguments");
  EXPECT_EQ(evaluated("math.ceil(inf)"), "operand_type");
  EXPECT_EQ(evaluated("math.cbrt(1)"), "foreign_name");
  EXPECT_EQ(evaluated("1 // 0"), "constant_division_by_zero");
  EXPECT_EQ(evaluated("(1, 'a') < (1, 2)"), "operand_types");
  EXPECT_EQ(evaluated("f(2)"), "not_constexpr");
}

TEST(Evaluate, MakesNoOperations) {
  for (const sema::Builtin &row : sema::allBuiltins())
    for (std::string arguments :
         {"", "1", "1.5, 2", "'text'", "(4, 4), 1, tl.float32", "x", "'>0', 1"})
      for (std::string prefix : {"", "tl.", "tl.math.", "triton.", "(1)."}) {
        std::string text = prefix + std::string(row.name) + "(" + arguments + ")";
        EXPECT_NE(evaluated(text).find_first_not_of(' '), std::string::npos) << text;
      }
  EXPECT_EQ(evaluated("tl.exp(1.0)"), "not_constexpr");
  EXPECT_EQ(evaluated("tl.arange(0, 4)"), "not_constexpr");
  EXPECT_EQ(evaluated("print('a')"), "not_constexpr");
  EXPECT_EQ(evaluated("abs(-1)"), "1");
}

} // namespace
} // namespace nereid
