// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant folding against what Python prints for the same expressions.
#include "frontend/sema/Constant.h"
#include "EmitKernel.h"
#include "frontend/sema/Builtins.h"

#include <gtest/gtest.h>

#include <set>

namespace nereid::sema {
namespace {

struct Folded {
  const char *expression, *python;
};

std::ostream &operator<<(std::ostream &out, const Folded &folded) {
  return out << folded.expression;
}

class Folding : public testing::TestWithParam<Folded> {};

/// The expression reaches a static assertion's message, which shows it.
TEST_P(Folding, IsPythons) {
  std::string text = std::string("@triton.jit\ndef k():\n    v: tl.constexpr = ") +
                     GetParam().expression + "\n    tl.static_assert(False, f'<{v}>')\n";
  test::Outcome outcome = test::emitKernel(text, {});
  EXPECT_NE(outcome.message.find(std::string("<") + GetParam().python + ">"), std::string::npos)
      << outcome.message;
}

const Folded folded[] = {
    {"7 // 2", "3"},
    {"-7 // 2", "-4"},
    {"7 // -2", "-4"},
    {"-7 // -2", "3"},
    {"7 % 3", "1"},
    {"-7 % 3", "2"},
    {"7 % -3", "-2"},
    {"-7 % -3", "-1"},
    {"7 / 2", "3.5"},
    {"4 / 2", "2.0"},
    {"1 / 3", "0.3333333333333333"},
    {"-7.5 // 2", "-4.0"},
    {"-7.5 % 2", "0.5"},
    {"7.5 % -2", "-0.5"},
    {"1.0 // 0.1", "9.0"},
    {"1.0 % 0.1", "0.09999999999999995"},
    {"-0.0 // 1", "-0.0"},
    {"2 ** 10", "1024"},
    {"2 ** -1", "0.5"},
    {"-2 ** 2", "-4"},
    {"(-2) ** 3", "-8"},
    {"2.0 ** 0.5", "1.4142135623730951"},
    {"0 ** 0", "1"},
    {"1 ** 100000000000", "1"},
    {"(-1) ** 100000000001", "-1"},
    {"1 << 40", "1099511627776"},
    {"-5 >> 1", "-3"},
    {"-5 >> 100", "-1"},
    {"5 >> 100", "0"},
    {"6 & 3", "2"},
    {"6 | 3", "7"},
    {"6 ^ 3", "5"},
    {"-6 & 255", "250"},
    {"~5", "-6"},
    {"~True", "-2"},
    {"-True", "-1"},
    {"True + True", "2"},
    {"True & False", "False"},
    {"True ^ True", "False"},
    {"True | 2", "3"},
    {"not 0", "True"},
    {"not 'a'", "False"},
    {"not None", "True"},
    {"'a' + 'b'", "ab"},
    {"'ab' * 2", "abab"},
    {"'a' == 'a'", "True"},
    {"'a' < 'b'", "True"},
    {"'a' == 1", "False"},
    {"'b' in 'abc'", "True"},
    {"2 in (1, 2)", "True"},
    {"3 not in (1, 2)", "True"},
    {"1 == 1.0", "True"},
    {"1 == True", "True"},
    {"9007199254740993 == 9007199254740992.0", "False"},
    {"18446744073709551615 > 1e19", "True"},
    {"float('nan') == float('nan')", "False"},
    {"float('nan') != float('nan')", "True"},
    {"float('nan') < 1", "False"},
    {"1 < 2 < 3", "True"},
    {"1 < 3 < 2", "False"},
    {"1 is None", "False"},
    {"None is None", "True"},
    {"0 or 5", "5"},
    {"2 and 5", "5"},
    {"None or 'x'", "x"},
    {"1 if 0 else 2", "2"},
    {"0.1 + 0.2", "0.30000000000000004"},
    {"1e16", "1e+16"},
    {"1e15 + 0.5", "1000000000000000.5"},
    {"0.0001", "0.0001"},
    {"0.00001", "1e-05"},
    {"100.0", "100.0"},
    {"float('-inf')", "-inf"},
    {"1e400", "inf"},
    {"int(-3.7)", "-3"},
    {"int('12')", "12"},
    {"float('1.5')", "1.5"},
    {"bool('')", "False"},
    {"str(1.5) + 'x'", "1.5x"},
    {"len((1, 2, 3))", "3"},
    {"len('ä€x')", "3"},
    {"min(3, 1, 2)", "1"},
    {"max(1, 2.5)", "2.5"},
    {"abs(-2.5)", "2.5"},
    {"(1, 2, 3)[-1]", "3"},
    {"18446744073709551615", "18446744073709551615"},
    {"-9223372036854775808", "-9223372036854775808"},
    {"tl.float16", "fp16"},
    {"str(tl.bfloat16)", "bf16"},
    {"f'{tl.float32:}'", "fp32"},
    {"f'{tl.float32!r}'", "triton.language.float32"},
    {"f'{(tl.float64, 1)}'", "(triton.language.float64, 1)"},
    {"tl.int64.primitive_bitwidth", "64"},
    {"tl.float16 == tl.float16", "True"},
    {"tl.float16 == tl.float32", "False"},
    {"tl.uint8.is_int_signed()", "False"},
    {"tl.bfloat16.is_bf16()", "True"},
    {"tl.float16.is_fp16()", "True"},
    {"tl.float8e5.is_fp8()", "True"},
    {"tl.float8e5.is_fp8e5()", "True"},
    {"tl.float8e4nv.is_standard_floating()", "False"},
    {"tl.float8e4nv.name", "fp8e4nv"},
    {"tl.float8e4b8.name", "fp8e4b8"},
    {"tl.float8e4b15.name", "fp8e4b15"},
    {"tl.float8e5.name", "fp8e5"},
    {"tl.float8e5b16.name", "fp8e5b16"},
    {"tl.float16.name", "fp16"},
    {"tl.bfloat16.name", "bf16"},
    {"tl.float32.name", "fp32"},
    {"tl.float64.name == 'fp64'", "True"},
    {"tl.int1.name", "int1"},
    {"tl.uint16.name", "uint16"},
    {"tl.pointer_type(tl.float32).name", "pointer<fp32>"},
    {"tl.int8.get_int_max_value()", "127"},
    {"tl.uint64.get_int_max_value()", "18446744073709551615"},
    {"tl.int1.get_int_max_value()", "1"},
    {"tl.int64.get_int_min_value()", "-9223372036854775808"},
    {"tl.uint8.get_int_min_value()", "0"},
    {"tl.float16.kind() == tl.dtype.KIND.FLOATING", "True"},
    {"tl.int1.kind() == tl.dtype.KIND.BOOLEAN", "True"},
    {"tl.uint8.kind() == tl.dtype.KIND.INTEGRAL", "True"},
    {"tl.uint8.int_signedness == tl.dtype.SIGNEDNESS.UNSIGNED", "True"},
    {"tl.int32.int_signedness == tl.dtype.SIGNEDNESS.SIGNED", "True"},
    {"tl.int32.is_const()", "False"},
    {"tl.int32.is_block()", "False"},
    {"tl.TRITON_MAX_TENSOR_NUMEL", "1048576"},
    {"tl.float16.is_fp8()", "False"},
    {"tl.pointer_type(tl.int8).element_ty", "int8"},
    {"tl.pointer_type(tl.int8).is_const()", "False"},
    {"triton.next_power_of_2(1000)", "1024"},
    {"triton.cdiv(10, 3)", "4"},
    {"isinstance(3, tl.constexpr)", "True"},
    {"isinstance('a', str)", "True"},
    {"{1: 'a', 2: 'b'}[2]", "b"},
    {"{tl.float16: 'e5', tl.float32: 'e8',}[tl.float32]", "e8"},
    {"{'a': 1, 'a': 2}['a']", "2"},
    {"{(1, 'x'): 5}[(1, 'x')]", "5"},
    {"{1: 'a'}[True]", "a"},
    {"{1: 2}.get(3)", "None"},
    {"{1: 2}.get(3, 'other')", "other"},
    {"{'a': 1, 'b': 2}.items()", "(('a', 1), ('b', 2))"},
    {"[k + 1 for k in {5: 0, 7: 0}]", "(6, 8)"},
    {"tuple({'a': 1, 'b': 2}.values())", "(1, 2)"},
    {"len({1: 2, 3: 4})", "2"},
    {"len({1, 2, 2, 1})", "2"},
    {"3 in {1: 3}", "False"},
    {"1 in {1: 3}", "True"},
    {"2 not in {1, 2}", "False"},
    {"'yes' if {} else 'no'", "no"},
    {"'abc'.startswith('ab')", "True"},
    {"'abc'.endswith(('x', 'bc'))", "True"},
    {"'aBc'.upper() + 'aBc'.lower()", "ABCabc"},
    {"' a b '.strip() + '|' + 'xxaxx'.lstrip('x')", "a b|axx"},
    // By characters, not by bytes; blank is what is blank to Python.
    {"'\u00e8a\u00e9'.strip('\u00e9')", "\u00e8a"},
    {"'\u00e9\u00e8\u00e9'.lstrip('\u00e9') + '|' + '\u00e9\u00e8'.rstrip('\u00e8\u20ac')",
     "\u00e8\u00e9|\u00e9"},
    {"'\\u00a0\\u2003 \u00e4 \\u3000\\x1f'.strip()", "\u00e4"},
    {"'a\\u2003\u00e4\\x1cb\\u00a0'.split()", "('a', '\u00e4', 'b')"},
    {"''.strip() + ' '.strip() + 'x'.strip('')", "x"},
    {"' '.split()", "()"},
    {"'a,b,,c'.split(',')", "('a', 'b', '', 'c')"},
    {"' a  b '.split()", "('a', 'b')"},
    {"'-'.join(['a', 'b', 'c'])", "a-b-c"},
    {"'aXbX'.replace('X', 'yy')", "ayybyy"},
    {"'prefix'.removeprefix('pre').removesuffix('ix')", "f"},
    {"(1023).bit_length()", "10"},
    {"(-8).bit_length()", "4"},
    {"(255).bit_count()", "8"},
    {"f'{16:04d}'", "0016"},
    {"f'{1.5:.3f}'", "1.500"},
    {"f'{16:>6}'", "    16"},
    {"f'{16:#x}'", "0x10"},
    {"f'{1234567:,}'", "1,234,567"},
    {"f'{0.5:%}'", "50.000000%"},
    {"f'{\"a\":^5}'", "  a  "},
    {"f'{True:d}'", "1"},
    {"f'{True:>6}'", "     1"},
    {"f'{1e-7:g}'", "1e-07"},
    {"f'{16:+}'", "+16"},
    {"f'{3.14159:10.2f}'", "      3.14"},
    {"f'{-5:=6d}'", "-    5"},
    {"f'{12.5:08.3f}'", "0012.500"},
    {"f'{1.0:.3}'", "1.0"},
    {"f'{12345.678:,.1f}'", "12,345.7"},
    {"f'{255:08b}'", "11111111"},
    {"f'{255:X}'", "FF"},
    {"f'{-3:*<6}'", "-3****"},
    {"f'{2.5e20:e}'", "2.500000e+20"},
    {"f'{\"text\":.2}'", "te"},
    {"f'{65536:_x}'", "1_0000"},
    {"f'{1234:010,}'", "00,001,234"},
    {"f'{0.1:}'", "0.1"},
    {"f'{7: }'", " 7"},
    {"f'{-0.0:.1f}'", "-0.0"},
    {"f'{3!r:>4}'", "   3"},
    {"f'{100:.2e}'", "1.00e+02"},
    {"f'{\"é\":*>3}'", "**é"},
    {"f'{0:#o}'", "0o0"},
    {"f'{1e16:.3}'", "1e+16"},
    {"f'{123456.0:.3}'", "1.23e+05"},
    {"f'{12.0:.2}'", "1.2e+01"},
    {"f'{10.0:.2}'", "1e+01"},
    {"f'{1.0:.1}'", "1e+00"},
    {"f'{99.9:.2}'", "1e+02"},
    {"f'{123.0:.4}'", "123.0"},
    {"f'{0.0:.1}'", "0e+00"},
    {"f'{5.0:.3}'", "5.0"},
    {"f'{100.0:.3}'", "1e+02"},
};

/// What a function that computes constants gives for 7, or the mistake in it.
std::string computed(const std::string &body) {
  std::string text = "@triton.constexpr_function\ndef f(n):\n" + body +
                     "@triton.jit\ndef k():\n    v: tl.constexpr = f(7)\n"
                     "    tl.static_assert(False, f'<{v}>')\n";
  return test::emitKernel(text, {}).message;
}

TEST(ConstexprFunction, ComputesAsPythonDoes) {
  struct {
    const char *body, *python;
  } cases[] = {
      {"    return sum([i * i for i in range(n)])\n", "<91>"},
      {"    return sum(i for i in range(n) if i % 2) + sum([n], 93)\n", "<109>"},
      {"    return any(i == n for i in (1, 7))\n", "<True>"},
      {"    return all(i == n for i in (1, 7)), all(()), any([])\n", "<(False, True, False)>"},
      {"    return sorted([3, n, 1]) + sorted({'b': 1, 'a': 2}, reverse=True)\n",
       "<(1, 3, 7, 'b', 'a')>"},
      {"    d = {'a': n, 'b': {1: n + 1}}\n    return d['b'][1]\n", "<8>"},
      {"    ...\n    return n.bit_length()\n", "<3>"},
  };
  for (const auto &[body, python] : cases)
    EXPECT_NE(computed(body).find(python), std::string::npos) << body << computed(body);
}

TEST(ConstexprFunction, MistakesSayWhereAnyPythonRuns) {
  struct {
    const char *body, *mistake;
  } cases[] = {
      {"    return reversed(n)\n", "reversed"},
      {"    r = []\n    r.append(n)\n    return r\n", "append"},
      {"    return (lambda x: x)(n)\n", "lambda"},
      {"    return 'a'.casefold()\n", "casefold"},
      {"    return {i: i for i in (1, 2)}\n", "a comprehension of a dictionary or set"},
  };
  for (const auto &[body, mistake] : cases) {
    std::string message = computed(body);
    EXPECT_NE(message.find(mistake), std::string::npos) << message;
    EXPECT_NE(message.find("python -m nereid"), std::string::npos) << message;
    EXPECT_EQ(message.find("kernels have not"), std::string::npos) << message;
  }
  EXPECT_NE(computed("    return {1: 2, 'a': 3}[n]\n").find("there is no key 7"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Python, Folding, testing::ValuesIn(folded));

TEST(Specialization, KeysTellApart) {
  const test::Signature signatures[] = {
      {"i32"},     {"i64"},   {"u32"},   {"*i32"},    {"i32:16"},    {"*i32:16"},
      {"=1"},      {"=1.0"},  {"=True"}, {"='1'"},    {"=None"},     {"=f32"},
      {"='None'"}, {"=-0.0"}, {"=0.0"},  {"='a,=1'"}, {"='a'", "=1"}};
  std::set<std::string> keys;
  for (const test::Signature &signature : signatures)
    EXPECT_TRUE(keys.insert(test::specialize(signature).key()).second) << signature[0];
  sema::Specialization noAlias = test::specialize({"*f32"});
  std::string key = noAlias.key();
  EXPECT_EQ(key, test::specialize({"*f32"}).key());
  noAlias.isNoAlias = true;
  EXPECT_NE(key, noAlias.key());
}

TEST(Builtins, NamesAreUniqueInEachPlace) {
  for (std::string_view module : {"", "triton", "triton.language", "triton.language.math"}) {
    std::vector<std::string> names = functionNames(module);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << module;
  }
  EXPECT_EQ(findFunction("triton.language", "load")->parameters().size(), 8u);
  EXPECT_EQ(*findFunction("triton.language", "load")->parameters()[3].defaultText, "()");
  EXPECT_EQ(findFunction("triton.language", "print_if"), nullptr);
  EXPECT_NE(findMethod("sum"), nullptr);
}

} // namespace
} // namespace nereid::sema
