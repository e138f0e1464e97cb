// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels may ask of types.
#include "frontend/names/TypeFacts.h"
#include "frontend/names/PythonModules.h"
#include "frontend/parse/Parser.h"

#include "llvm/Support/Casting.h"

#include <gtest/gtest.h>

namespace nereid::test {
namespace {

/// "16", "float32", "(4, 8)", with "()" behind what is a method; "none" for what there is not.
template <typename Type> std::string fact(Type type, const std::string &name) {
  auto found = names::factOf(type, name);
  if (!found)
    return "none";
  const auto *shape = std::get_if<sema::Shape>(&found->value);
  std::string text =
      shape ? sema::toString(*shape) : sema::toString(std::get<sema::ConstantValue>(found->value));
  return text + (found->isMethod ? "()" : "");
}

TEST(TypeFacts, OfNumbers) {
  sema::ScalarType half{DType::Float16}, signedByte{DType::Int8};
  EXPECT_EQ(fact(half, "itemsize"), "2");
  EXPECT_EQ(fact(half, "fp_mantissa_width"), "10");
  EXPECT_EQ(fact(half, "is_floating"), "True()");
  EXPECT_EQ(fact(half, "is_fp16"), "True()");
  EXPECT_EQ(fact(half, "is_fp32"), "False()");
  EXPECT_EQ(fact(half, "int_signedness"), "none");
  EXPECT_EQ(fact(signedByte, "get_int_max_value"), "127()");
  EXPECT_EQ(fact(signedByte, "get_int_min_value"), "-128()");
  EXPECT_EQ(fact(sema::ScalarType{DType::UInt8}, "get_int_max_value"), "255()");
  EXPECT_EQ(fact(half, "is_no_type"), "none");
}

TEST(TypeFacts, OfPointersAndTiles) {
  sema::ScalarType pointer{DType::Float16, /*isPointer=*/true};
  EXPECT_EQ(fact(pointer, "itemsize"), "8");
  EXPECT_EQ(fact(pointer, "element_ty"), "float16");
  EXPECT_EQ(fact(pointer, "is_ptr"), "True()");
  EXPECT_EQ(fact(pointer, "is_floating"), "False()");
  sema::ValueType tile{{DType::Float32}, {4, 8}};
  EXPECT_EQ(fact(tile, "shape"), "(4, 8)");
  EXPECT_EQ(fact(tile, "get_block_shapes"), "(4, 8)()");
  EXPECT_EQ(fact(tile, "is_block"), "True()");
  EXPECT_EQ(fact(tile.with({DType::Int32}), "itemsize"), "4");
  EXPECT_EQ(fact(sema::ValueType{{DType::Float32}, {}}, "get_block_shapes"), "none");
}

/// The limit that a module's first constant asks for.
std::string limit(const std::string &text) {
  SourceFile file("test.py", "A = " + text + "\n");
  ast::Module module = parseModule(file);
  const auto *asked = llvm::dyn_cast<ast::Attribute>(module.bindings.front().value.get());
  auto found = asked ? names::limitOfType(*asked) : std::nullopt;
  return found ? sema::toString(*found) : "none";
}

TEST(TypeFacts, OfOtherPackagesTypes) {
  EXPECT_EQ(limit("torch.iinfo(torch.int8).min"), "-128");
  EXPECT_EQ(limit("torch.finfo(torch.float16).max"), "65504.0");
  EXPECT_EQ(limit("torch.finfo(torch.float8_e4m3fn).max"), "448.0");
  EXPECT_EQ(limit("torch.iinfo(torch.float16).max"), "none");
}

} // namespace
} // namespace nereid::test
