// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, means and products of more numbers of 16 bits than such a number can count. What is added
// is on the grid of float32, so that every order gives one sum, which is rounded once.
#include "Generator.h"
#include "Inputs.h"

namespace nereid::generate {

/// What is left of a number on float32's grid when it is rounded to the type.
static Accuracy roundedOnce(Accuracy accuracy, DType type) {
  accuracy = accuracy.in(DType::Float32);
  accuracy.bound *= 1 + 0x1p-7;
  return accuracy.in(type);
}

/// A long tile of numbers that can be added in any order.
Expression Generator::longTile(const ValueType &type) {
  if (random.chance(20)) { // 0.1 becomes a number with few digits in both types
    std::string value = random.pick({"1", "0.1", "0.5", "3"});
    int fraction = value == "0.1" ? 13 : 1;
    return {"tl.full(" + text(type.shape) + ", " + value + ", " + text(type.dtype) + ")", type,
            Accuracy::grid(value == "0.1" ? 1 : 3, fraction)};
  }
  Fill fill = random.pick({Fill::Small, Fill::Units});
  std::string array = addArray("a", type.dtype, elements(type.shape) + programs, fill).name;
  std::string load = "tl.load(" + array + " + (pid + " + localIndex(type.shape) + "))";
  Accuracy accuracy = accuracyOf(fill, type.dtype);
  if (random.chance(50)) // mostly of one sign, so that the sum grows
    return {"tl.abs(" + load + ")", type, accuracy};
  return {load, type, accuracy};
}

void Generator::longSum() {
  DType dtype = random.pick({DType::Float16, DType::BFloat16});
  int64_t length = random.pick({100, 257, 300, 512, 1000, 1024, 2048, 3000, 4096, 4096});
  Shape shape = {length};
  size_t axis = 0;
  if (length <= mostElements / 4 && random.chance(40)) {
    axis = static_cast<size_t>(random.below(2));
    shape.insert(shape.begin() + static_cast<int64_t>(1 - axis), random.between(1, 4));
  }
  ValueType type{dtype, shape};
  Expression source = longTile(type);
  Shape left = shape;
  left.erase(left.begin() + static_cast<int64_t>(axis));
  bool isWide = random.chance(15);
  ValueType result{isWide ? DType::Float32 : dtype, left};
  std::string name = define("v", source, false).name;
  std::string call = reduced("sum", name, axis, left, isWide ? ", dtype=tl.float32" : "");
  Accuracy accuracy = roundedOnce(times(source.accuracy, length), result.dtype);
  if (random.chance(30)) // a mean
    result.dtype = DType::Float32, accuracy = {}, call += " / " + std::to_string(length);
  define("v", {call, result, accuracy});
}

/// A product of powers of two, zeros and ones, few enough of them not to leave any type's range.
void Generator::longProduct() {
  DType dtype = random.pick({DType::Float16, DType::BFloat16, DType::Float32});
  int64_t length = random.pick({30, 64, 100, 257, 1000});
  constexpr int64_t mostFactors = 14;
  std::string step = std::to_string((length + mostFactors - 1) / mostFactors);
  std::string array =
      addArray("a", dtype, length + programs, bitWidth(dtype) == 16 ? Fill::Small : Fill::Units)
          .name;
  std::string index = localIndex({length});
  std::string source = "tl.where(" + index + " % " + step + " == 0, tl.load(" + array +
                       " + (pid + " + index + ")), 1)";
  declare("combine_multiply", "def combine_multiply(a, b):\n    return a * b\n");
  define("v", {"tl.reduce(" + source + ", 0, combine_multiply)", {dtype, {}}});
}

} // namespace nereid::generate
