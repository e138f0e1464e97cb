// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/Specialize.h"
#include "frontend/emit/Evaluate.h"

#include "frontend/sema/Promotion.h"
#include "jit/launch/Binding.h"
#include "jit/launch/Signature.h"
#include "nereid/specialize.h"
#include "support/Diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

using namespace nereid;
using jit::SpecializedArguments;
using sema::ConstantValue;
using sema::Integer;
using sema::RuntimeParameter;

namespace {

constexpr const char *specializeText = R"(
import triton
import triton.language as tl

WIDTH = tl.constexpr(64)

@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr, k: tl.int64 = 3, scale: "fp16" = 1.0,
           MODE: tl.constexpr = "add", SIZE: tl.constexpr = WIDTH * 2, flag=None):
    pass
)";

class Specialize : public testing::Test {
protected:
  SpecializedArguments specialize(const Arguments &arguments) {
    return jit::specialize(declaration, arguments);
  }
  Diagnostic diagnosticOf(const Arguments &arguments) {
    try {
      specialize(arguments);
    } catch (const SourceError &error) {
      return error.diagnostic;
    }
    ADD_FAILURE() << "no mistake was found";
    return {};
  }
  const ConstantValue &constant(const SpecializedArguments &result, size_t index) {
    return std::get<ConstantValue>(result.specialization.parameters[index]);
  }
  RuntimeParameter runtime(const SpecializedArguments &result, size_t index) {
    return std::get<RuntimeParameter>(result.specialization.parameters[index]);
  }

  std::shared_ptr<const driver::SourceModule> source = driver::parse("test.py", specializeText);
  jit::Declaration declaration{source, *source->tree.function("kernel")};
  Device device = Device::open();
  Array x = device.zeros(DType::Float32, {100}), y = device.zeros(DType::Int8, {10});
};

RuntimeParameter scalar(DType type, bool isDivisible = false) {
  return {{type, false}, isDivisible};
}

TEST_F(Specialize, ArraysBecomePointers) {
  SpecializedArguments result = specialize({{"x", x}, {"y", y}, {"n", 5}, {"BLOCK", 64}});
  EXPECT_EQ(runtime(result, 0), (RuntimeParameter{{DType::Float32, true}, true}));
  EXPECT_EQ(runtime(result, 1), (RuntimeParameter{{DType::Int8, true}, true}));
  EXPECT_EQ(result.slots[0].bits, reinterpret_cast<uint64_t>(x.data()));
  EXPECT_EQ(result.slots[0].extentBytes, 400u);
  EXPECT_TRUE(result.specialization.isNoAlias);
}

TEST_F(Specialize, NamesComeInAnyOrder) {
  Arguments arguments = {{"BLOCK", 64}, {"k", 7}, {"n", 5}, {"x", x}, {"y", y}}; // sorted
  SpecializedArguments first = specialize(arguments);
  EXPECT_EQ(first.slots[0].bits, reinterpret_cast<uint64_t>(x.data()));
  EXPECT_EQ(first.slots[2].bits, 5u);
  EXPECT_EQ(first.slots[3].bits, 7u);
  auto byName = [](const NamedArgument &a, const NamedArgument &b) { return a.name < b.name; };
  while (std::next_permutation(arguments.begin(), arguments.end(), byName)) {
    SpecializedArguments other = specialize(arguments);
    ASSERT_EQ(other.specialization, first.specialization);
    for (size_t i = 0; i < first.slots.size(); ++i)
      ASSERT_EQ(other.slots[i].bits, first.slots[i].bits);
  }
}

TEST_F(Specialize, UnalignedArraysAreNotDivisible) {
  Array part = device.borrow(static_cast<char *>(x.data()) + 4, DType::Float32, {4});
  EXPECT_FALSE(
      runtime(specialize({{"x", part}, {"y", y}, {"n", 5}, {"BLOCK", 64}}), 0).isDivisibleBy16);
}

TEST_F(Specialize, OverlapIsNoticed) {
  Array part = device.borrow(static_cast<char *>(x.data()) + 396, DType::Float32, {1});
  Array after = device.borrow(static_cast<char *>(x.data()) + 400, DType::Float32, {1});
  Array none = device.borrow(x.data(), DType::Float32, {0});
  auto isNoAlias = [&](Array second) {
    return specialize({{"x", x}, {"y", second}, {"n", 5}, {"BLOCK", 1}}).specialization.isNoAlias;
  };
  EXPECT_FALSE(isNoAlias(part));
  EXPECT_FALSE(isNoAlias(x));
  EXPECT_TRUE(isNoAlias(after));
  EXPECT_TRUE(isNoAlias(none));
}

TEST_F(Specialize, DecoratorsSayWhatIsNotSpecialized) {
  struct {
    const char *decorators;
    bool isNumber, isMultiple, isAligned; // n of 1, n of 32, x
  } cases[] = {
      {"@triton.jit", false, true, true},
      {"@triton.jit(do_not_specialize=['n'])", true, false, true},
      {"@triton.jit(debug=True, do_not_specialize=(\"x\", \"n\"), noinline=False)", true, false,
       false},
      {"@triton.jit(do_not_specialize=[1])", true, false, true},
      {"@triton.jit(do_not_specialize_on_alignment=['n', 0])", false, false, false},
      {"@triton.jit(do_not_specialize=[name for name in 'ab'])", false, true, true},
      {"@triton.jit(do_not_specialize={'n': 1})", false, true, true},
      {"@triton.jit(do_not_specialize=['other'])", false, true, true},
      {"@triton.autotune([], key=[\n'n'])\n@triton.jit(\n    do_not_specialize=[\n    'n'],\n)",
       true, false, true}};
  for (const auto &each : cases) {
    std::string text = "@triton.jit(do_not_specialize=['n', 'x'])\ndef other(n, x): pass\n" +
                       std::string(each.decorators) + "\ndef k(x, n): pass\n";
    auto module = driver::parse("test.py", text);
    jit::Declaration kernel{module, *module->tree.function("k")};
    auto one = jit::specialize(kernel, {{"x", x}, {"n", 1}}),
         many = jit::specialize(kernel, {{"x", x}, {"n", 32}});
    EXPECT_EQ(one.specialization.parameters[1].index() == 0, each.isNumber) << each.decorators;
    EXPECT_EQ(one.slots.size(), each.isNumber ? 2u : 1u) << each.decorators;
    EXPECT_EQ(runtime(many, 1), scalar(DType::Int32, each.isMultiple)) << each.decorators;
    EXPECT_EQ(runtime(many, 0).isDivisibleBy16, each.isAligned) << each.decorators;
  }
}

TEST_F(Specialize, IntegersTakeTheSmallestTypeThatFits) {
  auto typeOf = [&](Argument value) {
    return specialize({{"x", x}, {"y", y}, {"n", value}, {"BLOCK", 1}})
        .specialization.parameters[2];
  };
  EXPECT_EQ(std::get<RuntimeParameter>(typeOf(5)), scalar(DType::Int32));
  EXPECT_EQ(std::get<RuntimeParameter>(typeOf(0)), scalar(DType::Int32, true));
  EXPECT_EQ(std::get<RuntimeParameter>(typeOf(-32)), scalar(DType::Int32, true));
  EXPECT_EQ(std::get<RuntimeParameter>(typeOf(int64_t(1) << 31)), scalar(DType::Int64, true));
  EXPECT_EQ(std::get<RuntimeParameter>(typeOf(~uint64_t(0))), scalar(DType::UInt64));
  EXPECT_EQ(std::get<ConstantValue>(typeOf(1)), ConstantValue(Integer(1)));
  EXPECT_EQ(std::get<RuntimeParameter>(typeOf(true)), scalar(DType::Int1));
  EXPECT_EQ(std::get<RuntimeParameter>(typeOf(1.0)), scalar(DType::Float32));
  EXPECT_EQ(std::get<ConstantValue>(typeOf(nullptr)), ConstantValue());
  EXPECT_EQ(std::get<ConstantValue>(typeOf("text")), ConstantValue(std::string("text")));
}

TEST_F(Specialize, SlotsAreZeroExtended) {
  auto result = specialize({{"x", x}, {"y", y}, {"n", -2}, {"BLOCK", 1}});
  EXPECT_EQ(result.slots[2].bits, 0xfffffffeu);
  result = specialize({{"x", x}, {"y", y}, {"n", -0.5}, {"BLOCK", 1}});
  EXPECT_EQ(result.slots[2].bits, 0xbf000000u);
}

TEST_F(Specialize, AnnotationsOverride) {
  auto result = specialize({{"x", x}, {"y", y}, {"n", 2}, {"BLOCK", 1}, {"k", 1}, {"scale", 2}});
  EXPECT_EQ(runtime(result, 4), scalar(DType::Int64));
  EXPECT_EQ(runtime(result, 5), scalar(DType::Float16));
  EXPECT_EQ(result.slots.back().bits, 0x4000u);
  EXPECT_EQ(diagnosticOf({{"x", x}, {"y", y}, {"n", 2}, {"BLOCK", 1}, {"k", 0.5}}).id,
            DiagnosticId::argument_type);
  EXPECT_EQ(diagnosticOf({{"x", x}, {"y", y}, {"n", 2}, {"BLOCK", 1}, {"k", x}}).id,
            DiagnosticId::argument_type);
  EXPECT_EQ(diagnosticOf({{"x", x}, {"y", y}, {"n", 2}, {"BLOCK", 1}, {"k", ~uint64_t(0)}}).id,
            DiagnosticId::argument_value);
}

TEST_F(Specialize, DefaultsAreFolded) {
  auto result = specialize({{"x", x}, {"y", y}, {"n", 2}, {"BLOCK", 32}});
  EXPECT_EQ(runtime(result, 4), scalar(DType::Int64));
  EXPECT_EQ(constant(result, 6), ConstantValue(std::string("add")));
  EXPECT_EQ(constant(result, 7), ConstantValue(Integer(128)));
  EXPECT_EQ(constant(result, 8), ConstantValue());
  Constants constants = jit::constexprIntegers(declaration, result.specialization);
  EXPECT_EQ(constants["BLOCK"], 32);
  EXPECT_EQ(constants["SIZE"], 128);
  EXPECT_THROW(constants["n"], Error);
}

TEST_F(Specialize, MistakesAreDiagnosedAtTheParameter) {
  Diagnostic missing = diagnosticOf({{"x", x}, {"y", y}, {"BLOCK", 1}});
  EXPECT_EQ(missing.id, DiagnosticId::missing_argument);
  EXPECT_EQ(missing.range.text(), "n");
  Diagnostic constexprMissing = diagnosticOf({{"x", x}, {"y", y}, {"n", 1}});
  EXPECT_EQ(constexprMissing.id, DiagnosticId::missing_constexpr);
  EXPECT_NE(constexprMissing.render().find("test.py:8:"), std::string::npos);
  EXPECT_EQ(diagnosticOf({{"x", x}, {"y", y}, {"n", 1}, {"BLOCK", x}}).id,
            DiagnosticId::constexpr_not_constant);
  EXPECT_EQ(diagnosticOf({{"x", x}, {"x", x}, {"y", y}, {"n", 1}, {"BLOCK", 1}}).id,
            DiagnosticId::duplicate_argument);
  Diagnostic unknown = diagnosticOf({{"x", x}, {"y", y}, {"n", 1}, {"BLOK", 1}});
  EXPECT_EQ(unknown.id, DiagnosticId::unknown_argument);
  EXPECT_NE(unknown.render().find("did you mean 'BLOCK'"), std::string::npos) << unknown.render();
}

TEST_F(Specialize, KeysDifferWhenCodeDoes) {
  struct Call {
    Argument n, block;
  };
  std::vector<Call> calls = {
      {2, 64},   {3, 64},   {16, 64},    {2, 65},      {1, 1},         {2, true},
      {2, 1},    {2, 1.0},  {2, "None"}, {2, nullptr}, {2, 0.0},       {2, -0.0},
      {2, NAN},  {2, NAN},  {2, "64"},   {2, 0},       {2, false},     {2, "d"},
      {2, "sd"}, {true, 1}, {2.0, 1},    {nullptr, 1}, {1LL << 40, 1}, {2, DType::Float32}};
  std::vector<sema::Specialization> made;
  for (const Call &call : calls)
    made.push_back(
        specialize({{"x", x}, {"y", y}, {"n", call.n}, {"BLOCK", call.block}}).specialization);
  int equal = 0;
  for (size_t i = 0; i < made.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      EXPECT_EQ(made[i] == made[j], made[i].key() == made[j].key()) << i << " and " << j;
      if (made[i] == made[j]) {
        ++equal;
        EXPECT_EQ(made[i].hash(), made[j].hash());
      }
    }
  EXPECT_EQ(equal, 2); // 2 and 3 as numbers, the two NaNs
}

ConstantValue defaultOf(const std::string &expression) {
  auto parsed = driver::parse("test.py", "import triton\n@triton.jit\ndef f(c=" + expression +
                                             "):\n    pass\n");
  const ast::Function &function = *parsed->tree.function("f");
  return emit::evaluateDefault(parsed->tree, function, function.parameters[0], parsed->modules);
}

TEST(Default, InfinityAndNanAreWrittenAsInPython) {
  EXPECT_EQ(std::get<double>(defaultOf("float('inf')")), INFINITY);
  EXPECT_EQ(std::get<double>(defaultOf("-float('inf')")), -INFINITY);
  EXPECT_EQ(std::get<double>(defaultOf("float(' -2.5')")), -2.5);
  EXPECT_EQ(std::get<double>(defaultOf("float(3)")), 3.0);
  EXPECT_TRUE(std::isnan(std::get<double>(defaultOf("float('nan')"))));
  EXPECT_THROW(defaultOf("float('one')"), SourceError);
}

TEST(Default, IntegersHave64Bits) {
  EXPECT_EQ(std::get<Integer>(defaultOf("18446744073709551615")), Integer(UINT64_MAX));
  EXPECT_THROW(defaultOf("18446744073709551616"), SourceError);
}

// The ladder of rules, against what it means in wider numbers

using specialize::Number;
using specialize::SpecializedNumber;

struct RandomNumber {
  Number number;
  Integer integer; // of no float
};

RandomNumber randomNumber(std::mt19937_64 &random) {
  auto near = [&](uint64_t around) { return around + random() % 5 - 2; };
  switch (random() % 4) {
  case 0:
    return {Number::of(bool(random() % 2)), 0};
  case 1:
    return {Number::of(std::ldexp(double(random() % 100) - 50, int(random() % 40) - 4)), 0};
  case 2: {
    auto value = static_cast<int64_t>(near(uint64_t(random() % 2 ? 1 : -1) << random() % 64));
    return {Number::of(value), value};
  }
  default:
    uint64_t value = near(uint64_t(1) << random() % 64);
    return {Number::of(value), Integer(value)};
  }
}

TEST(Ladder, GivesEachNumberTheFirstTypeThatHoldsIt) {
  std::mt19937_64 random(46);
  for (int i = 0; i < 20000; ++i) {
    RandomNumber given = randomNumber(random);
    specialize::ParameterRules rules{random() % 2 == 0, random() % 2 == 0};
    SpecializedNumber result = specialize::specializeNumber(rules, given.number);
    using Outcome = SpecializedNumber::Outcome;
    if (given.number.kind == Number::Kind::Boolean) {
      EXPECT_EQ(result.type, DType::Int1);
      EXPECT_FALSE(result.isMultipleOf16);
    } else if (given.number.kind == Number::Kind::Float) {
      EXPECT_EQ(result.type, DType::Float32);
      EXPECT_EQ(std::bit_cast<float>(static_cast<uint32_t>(result.bits)),
                static_cast<float>(given.number.real));
    } else if (given.integer == 1 && rules.knowsOne) {
      EXPECT_EQ(result.outcome, Outcome::Constant);
    } else {
      Integer value = given.integer, one = 1;
      DType wanted = value >= -(one << 31) && value < one << 31   ? DType::Int32
                     : value >= -(one << 63) && value < one << 63 ? DType::Int64
                                                                  : DType::UInt64;
      EXPECT_EQ(result.type, wanted);
      EXPECT_EQ(result.outcome, Outcome::Runtime);
      EXPECT_EQ(result.isMultipleOf16, rules.knowsMultiples && value % 16 == 0);
      EXPECT_EQ(result.bits, static_cast<uint64_t>(value) &
                                 (wanted == DType::Int32 ? 0xffffffff : ~uint64_t(0)));
    }
  }
}

TEST(Ladder, ConvertsToTheTypeOfAnAnnotationOrRefuses) {
  std::mt19937_64 random(48);
  const auto types = allDTypes();
  for (int i = 0; i < 20000; ++i) {
    RandomNumber given = randomNumber(random);
    DType type = types[random() % types.size()];
    SpecializedNumber result = specialize::specializeNumber({.number = type}, given.number);
    using Outcome = SpecializedNumber::Outcome;
    bool isInteger = given.number.kind == Number::Kind::Integer;
    if (!isFloat(type) && given.number.kind == Number::Kind::Float) {
      EXPECT_EQ(result.outcome, Outcome::NeedsInteger);
    } else if (!isFloat(type) && isInteger) {
      EXPECT_EQ(result.outcome == Outcome::Runtime, sema::fits(given.integer, type))
          << name(type) << ' ' << sema::toString(ConstantValue(given.integer));
    } else {
      EXPECT_EQ(result.outcome, Outcome::Runtime);
    }
    EXPECT_EQ(result.type, type);
  }
}

ArgumentType randomType(std::mt19937_64 &random) {
  auto flag = [&] { return random() % 2 == 0; };
  ArgumentType type{flag() ? DType::Float32 : DType::Int32, flag(), flag()};
  for (uint64_t rank = random() % 3; type.isPointer && rank > 0; --rank)
    type.blockShape.push_back(flag() ? 16 : 32);
  type.padsWithNan = !type.blockShape.empty() && flag();
  if (type.isPointer && type.blockShape.empty() && flag()) {
    type.dimensions = 1 + random() % 2;
    type.isContiguous = flag();
  }
  return type;
}

/// A launch's key and that of compiled code tell the same lists of types apart.
TEST(Ladder, KeysAreEqualForEqualTypesAndNoOthers) {
  std::mt19937_64 random(4648);
  size_t equal = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<ArgumentType> lists[2];
    std::string keys[2];
    sema::Specialization specializations[2];
    for (int side = 0; side < 2; ++side)
      for (uint64_t count = random() % 3; count > 0; --count) {
        ArgumentType type = side && count <= lists[0].size() && random() % 4
                                ? lists[0][lists[0].size() - count]
                                : randomType(random);
        lists[side].push_back(type);
        specialize::appendKey(keys[side], type);
        specializations[side].parameters.push_back(jit::toRuntimeParameter(type));
      }
    bool areEqual = lists[0] == lists[1];
    equal += areEqual && !lists[0].empty();
    EXPECT_EQ(keys[0] == keys[1], areEqual);
    EXPECT_EQ(specializations[0].key() == specializations[1].key(), areEqual);
    EXPECT_EQ(specializations[0] == specializations[1], areEqual);
  }
  EXPECT_GT(equal, 1000u);
}

} // namespace
