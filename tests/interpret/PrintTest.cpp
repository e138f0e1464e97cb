// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include <gtest/gtest.h>

namespace nereid::interpret {

using Printed = std::vector<std::string>;

static Printed printed(const std::string &body, GridExtent grid = {}) {
  KernelRun run;
  return run.run("func.func @k() {\n" + body + "\nreturn\n}", grid).lines;
}

/// The line that `print(x)` gives for a constant.
static std::string inlined(const std::string &constant, const std::string &type,
                           const std::string &attributes = "", bool isSigned = true) {
  return printed("%x = arith.constant " + constant + " : " + type +
                 R"(
tile.print inline ["", ""] (%x : )" +
                 type + ") signed [" + (isSigned ? "true" : "false") + "] " + attributes)
      .at(0);
}

/// A print without values.
static std::string bare(const std::string &style, const std::string &text) {
  return "tile.print " + style + " [\"" + text + "\"] signed []";
}

TEST(Print, PutsTextsBetweenValues) {
  EXPECT_EQ(printed(R"(
      %pid = tile.program_id 0
      %i = tile.range 0 to 3 : tensor<3xi32>
      tile.print inline ["pid = ", " i = ", "!"] (%pid, %i : i32, tensor<3xi32>)
          signed [true, true])",
                    {2}),
            (Printed{"pid = [0] i = [0 1 2]!", "pid = [1] i = [0 1 2]!"}));
  EXPECT_EQ(printed(bare("inline", "hello")), Printed{"hello"});
}

TEST(Print, AlignsLikeNumpy) {
  EXPECT_EQ(inlined("dense<[1, -10, 100]>", "tensor<3xi32>"), "[  1 -10 100]");
  EXPECT_EQ(inlined("dense<[true, false]>", "tensor<2xi1>"), "[ True False]");
  EXPECT_EQ(inlined("dense<true>", "tensor<2xi1>"), "[ True  True]");
  EXPECT_EQ(inlined("dense<[[1, 2], [3, 40]]>", "tensor<2x2xi32>"), "[[ 1  2] [ 3 40]]");
  EXPECT_EQ(inlined("dense<[-1, 1]>", "tensor<2xi8>", "", false), "[255   1]");
  EXPECT_EQ(inlined("dense<[-1, 15]>", "tensor<2xi16>", "{hex}"), "[0xffff 0x000f]");
}

TEST(Print, WritesFloatsShortest) {
  EXPECT_EQ(inlined("dense<[1.0, 2.5]>", "tensor<2xf32>"), "[1.  2.5]");
  EXPECT_EQ(inlined("0.1", "f32"), "[0.1]");
  EXPECT_EQ(inlined("0.1", "f16"), "[0.1]");
  EXPECT_EQ(inlined("0.1", "bf16"), "[0.1]");
  EXPECT_EQ(inlined("0.33333333333333331", "f64"), "[0.33333333]");
  EXPECT_EQ(inlined("dense<[1.0e10, 1.5]>", "tensor<2xf32>"), "[1.0e+10 1.5e+00]");
  EXPECT_EQ(inlined("dense<0.0>", "tensor<2xf32>"), "[0. 0.]");
  EXPECT_EQ(inlined("dense<[0x7f800000, 0xff800000, 0x7fc00000]>", "tensor<3xf32>"),
            "[ inf -inf  nan]");
  EXPECT_EQ(inlined("dense<[-1.25, 10.0]>", "tensor<2xf64>"), "[-1.25 10.  ]");
}

TEST(Print, GivesALineForEachElement) {
  EXPECT_EQ(
      printed(R"(
      %a = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
      %b = arith.constant 1.5 : f32
      tile.print per_element [" a: ", " b: ", ""] (%a, %b : tensor<2x2xi32>, f32)
          signed [true, true])",
              {1, 2, 1}),
      (Printed{
          "pid (0, 0, 0) idx (0, 0) a: (operand 0) 1", "pid (0, 0, 0) idx (0, 1) a: (operand 0) 2",
          "pid (0, 0, 0) idx (1, 0) a: (operand 0) 3", "pid (0, 0, 0) idx (1, 1) a: (operand 0) 4",
          "pid (0, 0, 0) idx () b: (operand 1) 1.500000",
          "pid (0, 1, 0) idx (0, 0) a: (operand 0) 1", "pid (0, 1, 0) idx (0, 1) a: (operand 0) 2",
          "pid (0, 1, 0) idx (1, 0) a: (operand 0) 3", "pid (0, 1, 0) idx (1, 1) a: (operand 0) 4",
          "pid (0, 1, 0) idx () b: (operand 1) 1.500000"}));
  EXPECT_EQ(printed(bare("per_element", " here")), Printed{"pid (0, 0, 0) here"});
  EXPECT_EQ(printed(R"(
      %a = arith.constant 2.0e20 : f64
      %b = arith.constant -1 : i64
      tile.print per_element [" a: ", " b: ", ""] (%a, %b : f64, i64) signed [true, false] {debug})"),
            (Printed{"pid (0, 0, 0) idx () a: (operand 0) 200000000000000000000.000000",
                     "pid (0, 0, 0) idx () b: (operand 1) 18446744073709551615"}));
}

/// The lines of one tile, printed element by element.
static Printed elements(const std::string &value, const std::string &type,
                        const std::string &attributes = "") {
  return printed("      %x = arith.constant " + value + " : " + type +
                 "\n      tile.print per_element [\"\", \"\"] (%x : " + type + ") signed [true] " +
                 attributes);
}

TEST(Print, GivesColumnsOfIndicesAndNumbersAsPrintfDoes) {
  Printed lines = elements("dense<7>", "tensor<3x11xi8>", "{hex}");
  ASSERT_EQ(lines.size(), 33u);
  EXPECT_EQ(lines[9], "pid (0, 0, 0) idx (0,  9)0x07");
  EXPECT_EQ(lines[10], "pid (0, 0, 0) idx (0, 10)0x07");
  EXPECT_EQ(elements("dense<[true, false]>", "tensor<2xi1>"),
            (Printed{"pid (0, 0, 0) idx (0)1", "pid (0, 0, 0) idx (1)0"}));
  EXPECT_EQ(elements("dense<[0.1, -1.0e-9]>", "tensor<2xbf16>"),
            (Printed{"pid (0, 0, 0) idx (0)0.100098", "pid (0, 0, 0) idx (1)-0.000000"}));
  EXPECT_EQ(elements("dense<[0x7f800000, 0xff800000, 0x7fc00000]>", "tensor<3xf32>"),
            (Printed{"pid (0, 0, 0) idx (0)inf", "pid (0, 0, 0) idx (1)-inf",
                     "pid (0, 0, 0) idx (2)nan"}));
}

} // namespace nereid::interpret
