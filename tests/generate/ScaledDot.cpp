// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of tiles in the block-scaled formats: each 32 elements share a power of two.
#include "Generator.h"

namespace nereid::generate {

namespace {

struct ScaledFormat {
  const char *name;
  DType dtype; // whose bits the operand holds
};

constexpr ScaledFormat scaledFormats[] = {{"e4m3", DType::Float8E4M3FN},
                                          {"e5m2", DType::Float8E5M2},
                                          {"bf16", DType::BFloat16},
                                          {"fp16", DType::Float16}};
constexpr int64_t elementsPerScale = 32;

} // namespace

/// An operand of `rows` times `columns`, of which the second or the first dimension is summed over.
Generator::ScaledOperand Generator::scaledOperand(int64_t rows, int64_t columns, bool isLeft) {
  ScaledOperand operand;
  bool isScaled = true;
  if (random.chance(30)) { // two elements in each byte: at most 6, in halves
    Shape packed = isLeft ? Shape{rows, columns / 2} : Shape{rows / 2, columns};
    operand = {expression({DType::UInt8, packed}, 1).text, "e2m1", Accuracy::grid(6, 1)};
  } else {
    const ScaledFormat &format = random.pick(scaledFormats);
    Expression value = expression({format.dtype, {rows, columns}}, 1, Demand::Grid);
    bool isByte = bitWidth(format.dtype) == 8;
    operand = {isByte ? "(" + value.text + ").to(tl.uint8, bitcast=True)" : value.text, format.name,
               value.accuracy};
    isScaled = isByte || random.chance(50);
  }
  operand.scale = "None";
  if (isScaled) { // 1/2, 1, 2 or 4
    Shape shape =
        isLeft ? Shape{rows, columns / elementsPerScale} : Shape{columns, rows / elementsPerScale};
    operand.scale = "((" + expression({DType::UInt8, shape}, 1).text + " & 3) + 126)";
    operand.accuracy = productOf(operand.accuracy, Accuracy::grid(4, 1));
  }
  return operand;
}

void Generator::scaledDot() {
  auto size = [&] { return random.pick({1, 2, 5, 8, 16, 17, 32}); };
  int64_t m = size(), n = size(), k = elementsPerScale * random.between(1, 2);
  ScaledOperand lhs = scaledOperand(m, k, true), rhs = scaledOperand(k, n, false);
  ValueType type{DType::Float32, {m, n}};
  Accuracy accuracy = times(productOf(lhs.accuracy, rhs.accuracy), k).in(type.dtype);
  if (!accuracy.onGrid)
    return; // too large to be exact; the loads before may stay
  std::string name = freshName("d");
  emit({name + " = tl.dot_scaled(" + lhs.text + ", " + lhs.scale + ", '" + lhs.format + "', " +
            rhs.text + ", " + rhs.scale + ", '" + rhs.format + "')",
        {},
        {}});
  accuracy.mayBeProduct = true;
  scope.push_back({name, type, accuracy});
}

} // namespace nereid::generate
