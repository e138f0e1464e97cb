// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Type promotion over every pair of element types, against tables written from the language's
// rules.
#include "frontend/sema/Promotion.h"

#include "support/Diagnostics.h"

#include <gtest/gtest.h>

#include <sstream>

namespace nereid::sema {
namespace {

constexpr DType order[] = {DType::Int1,   DType::Int8,    DType::Int16,    DType::Int32,
                           DType::Int64,  DType::UInt8,   DType::UInt16,   DType::UInt32,
                           DType::UInt64, DType::Float16, DType::BFloat16, DType::Float32,
                           DType::Float64};

// Columns as in `order`.
constexpr const char *arithmetic[] = {
    /* i1   */ "i1   i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f32  f64",
    /* i8   */ "i8   i8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f32  f64",
    /* i16  */ "i16  i16  i16  i32  i64  i16  u16  u32  u64  f16  f32  f32  f64",
    /* i32  */ "i32  i32  i32  i32  i64  i32  i32  u32  u64  f16  f32  f32  f64",
    /* i64  */ "i64  i64  i64  i64  i64  i64  i64  i64  u64  f16  f32  f32  f64",
    /* u8   */ "u8   u8   i16  i32  i64  u8   u16  u32  u64  f16  f32  f32  f64",
    /* u16  */ "u16  u16  u16  i32  i64  u16  u16  u32  u64  f16  f32  f32  f64",
    /* u32  */ "u32  u32  u32  u32  i64  u32  u32  u32  u64  f16  f32  f32  f64",
    /* u64  */ "u64  u64  u64  u64  u64  u64  u64  u64  u64  f16  f32  f32  f64",
    /* f16  */ "f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  f32  f64",
    /* bf16 */ "f32  f32  f32  f32  f32  f32  f32  f32  f32  f16  bf16 f32  f64",
    /* f32  */ "f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64",
    /* f64  */ "f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64",
};

// For / // and %; "-" is an error.
constexpr const char *division[] = {
    /* i1   */ "i1   -    -    -    -    u8   u16  u32  u64  f32  f32  f32  f64",
    /* i8   */ "-    i8   i16  i32  i64  -    -    -    -    f32  f32  f32  f64",
    /* i16  */ "-    i16  i16  i32  i64  -    -    -    -    f32  f32  f32  f64",
    /* i32  */ "-    i32  i32  i32  i64  -    -    -    -    f32  f32  f32  f64",
    /* i64  */ "-    i64  i64  i64  i64  -    -    -    -    f32  f32  f32  f64",
    /* u8   */ "u8   -    -    -    -    u8   u16  u32  u64  f32  f32  f32  f64",
    /* u16  */ "u16  -    -    -    -    u16  u16  u32  u64  f32  f32  f32  f64",
    /* u32  */ "u32  -    -    -    -    u32  u32  u32  u64  f32  f32  f32  f64",
    /* u64  */ "u64  -    -    -    -    u64  u64  u64  u64  f32  f32  f32  f64",
    /* f16  */ "f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64",
    /* bf16 */ "f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64",
    /* f32  */ "f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64",
    /* f64  */ "f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64",
};

/// The result's short name, "-" for mixed signs, "range" for a literal that does not fit, "refused"
/// for types that do not meet.
std::string promoted(PromotionOperand lhs, PromotionOperand rhs, bool isDivision) {
  try {
    return std::string(shortName(promote(lhs, rhs, isDivision, "+", {})));
  } catch (const SourceError &error) {
    DiagnosticId id = error.diagnostic.id;
    return id == DiagnosticId::mixed_signedness ? "-"
           : id == DiagnosticId::operand_types  ? "refused"
                                                : "range";
  }
}

void expectTable(const char *const (&table)[13], bool isDivision) {
  for (size_t row = 0; row < 13; ++row) {
    std::istringstream columns(table[row]);
    for (size_t column = 0; column < 13; ++column) {
      std::string expected;
      columns >> expected;
      EXPECT_EQ(promoted({{order[row]}}, {{order[column]}}, isDivision), expected)
          << name(order[row]) << " with " << name(order[column]);
    }
  }
}

TEST(Promotion, Arithmetic) { expectTable(arithmetic, false); }
TEST(Promotion, Division) { expectTable(division, true); }

struct LiteralRow {
  ConstantValue literal;
  const char *arithmetic, *division;
};

TEST(Promotion, Literals) {
  const LiteralRow rows[] = {
      //                      i1  i8    i16   i32   i64 u8    u16   u32   u64 f16 bf16 f32 f64
      {true, "i1  i8    i16   i32   i64 u8    u16   u32   u64 f16 bf16 f32 f64",
       "i1  i8    i16   i32   i64 u8    u16   u32   u64 f32 f32  f32 f64"},
      {Integer(2), "i32 i8    i16   i32   i64 u8    u16   u32   u64 f16 bf16 f32 f64",
       "-   i8    i16   i32   i64 u8    u16   u32   u64 f32 f32  f32 f64"},
      {Integer(-1), "i32 i8    i16   i32   i64 range range range range f16 bf16 f32 f64",
       "-   i8    i16   i32   i64 range range range range f32 f32 f32 f64"},
      {Integer(200), "i32 range i16   i32   i64 u8    u16   u32   u64 f16 bf16 f32 f64",
       "-   range i16   i32   i64 u8    u16   u32   u64 f32 f32  f32 f64"},
      {Integer(1) << 31, "u32 range range range i64 range range u32   u64 f16 bf16 f32 f64",
       "u32 range range range i64 range range u32   u64 f32 f32  f32 f64"},
      {Integer(1) << 32, "i64 range range range i64 range range range u64 f16 bf16 f32 f64",
       "-   range range range i64 range range range u64 f32 f32  f32 f64"},
      {0.5, "f32 f32   f32   f32   f32 f32   f32   f32   f32 f16 bf16 f32 f64",
       "f32 f32   f32   f32   f32 f32   f32   f32   f32 f32 f32  f32 f64"},
      {1e300, "f64 f64   f64   f64   f64 f64   f64   f64   f64 f16 bf16 f32 f64",
       "f64 f64   f64   f64   f64 f64   f64   f64   f64 f32 f32  f32 f64"},
  };
  for (const LiteralRow &row : rows)
    for (bool isDivision : {false, true}) {
      std::istringstream columns(isDivision ? row.division : row.arithmetic);
      for (DType type : order) {
        std::string expected;
        columns >> expected;
        PromotionOperand literal{{typeOfLiteral(row.literal)}, &row.literal};
        EXPECT_EQ(promoted(literal, {{type}}, isDivision), expected)
            << toString(row.literal) << " with " << name(type);
        EXPECT_EQ(promoted({{type}}, literal, isDivision), expected)
            << name(type) << " with " << toString(row.literal);
      }
    }
}

TEST(Promotion, FloatsOfEightBits) {
  constexpr DType e4 = DType::Float8E4M3FN, e5 = DType::Float8E5M2;
  for (bool isDivision : {false, true}) {
    EXPECT_EQ(promoted({{e4}}, {{e4}}, isDivision), "f8e4nv");
    EXPECT_EQ(promoted({{e5}}, {{e5}}, isDivision), "f8e5");
    EXPECT_EQ(promoted({{e4}}, {{e5}}, isDivision), "f16");
    EXPECT_EQ(promoted({{e4}}, {{DType::Float16}}, isDivision), isDivision ? "f32" : "f16");
    EXPECT_EQ(promoted({{DType::BFloat16}}, {{e5}}, isDivision), "f32");
    EXPECT_EQ(promoted({{e5}}, {{DType::Float32}}, isDivision), "f32");
    EXPECT_EQ(promoted({{DType::Float64}}, {{e4}}, isDivision), "f64");
    ConstantValue two = Integer(2), half = 0.5;
    EXPECT_EQ(promoted({{e4}}, {{DType::Int32}, &two}, isDivision), "f8e4nv");
    EXPECT_EQ(promoted({{DType::Float32}, &half}, {{e5}}, isDivision), "f8e5");
    for (DType integer : order)
      if (isInteger(integer))
        EXPECT_EQ(promoted({{e4}}, {{integer}}, isDivision), "refused") << name(integer);
  }
}

TEST(Promotion, TypesOfLiterals) {
  EXPECT_EQ(typeOfLiteral(false), DType::Int1);
  EXPECT_EQ(typeOfLiteral(Integer(INT32_MIN)), DType::Int32);
  EXPECT_EQ(typeOfLiteral(Integer(INT32_MAX)), DType::Int32);
  EXPECT_EQ(typeOfLiteral(Integer(UINT32_MAX)), DType::UInt32);
  EXPECT_EQ(typeOfLiteral(Integer(INT32_MIN) - 1), DType::Int64);
  EXPECT_EQ(typeOfLiteral(Integer(UINT32_MAX) + 1), DType::Int64);
  EXPECT_EQ(typeOfLiteral(Integer(UINT64_MAX)), DType::UInt64);
  EXPECT_EQ(typeOfLiteral(0.0), DType::Float32);
  EXPECT_EQ(typeOfLiteral(std::numeric_limits<double>::infinity()), DType::Float32);
  EXPECT_EQ(typeOfLiteral(std::numeric_limits<double>::quiet_NaN()), DType::Float32);
  EXPECT_EQ(typeOfLiteral(3.4e38), DType::Float32);
  EXPECT_EQ(typeOfLiteral(3.5e38), DType::Float64);
  EXPECT_EQ(typeOfLiteral(1e-40), DType::Float64);
}

TEST(Promotion, TwoLiterals) {
  ConstantValue one = Integer(1), half = 0.5;
  EXPECT_EQ(promoted({{DType::Int32}, &one}, {{DType::Float32}, &half}, false), "f32");
}

} // namespace
} // namespace nereid::sema
