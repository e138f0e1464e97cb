// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers of the kernel language: a counter and a seed determine every bit of them.
#include "Generator.h"

namespace nereid::generate {

bool Generator::hasRandomNumbers(const ValueType &type) {
  return type.dtype == DType::UInt32 || type.dtype == DType::Float32;
}

Expression Generator::randomNumbers(const ValueType &type, int depth, Demand) {
  std::string seed = helperDepth == 0 && random.chance(30)
                         ? "pid"
                         : std::to_string(random.pick<int64_t>({0, 1, 42, 123456789, 1LL << 40}));
  DType counter = random.pick({DType::Int32, DType::Int32, DType::UInt32, DType::Int64});
  std::string arguments = "(" + seed + ", " + expression({counter, type.shape}, depth).text;
  if (random.chance(20))
    arguments += ", n_rounds=" + std::to_string(random.between(1, 12));
  arguments += ")";
  std::string function = type.dtype == DType::Float32 ? "tl.rand" : "tl.randint";
  if (random.chance(50))
    return {function + arguments, type};
  return {function + "4x" + arguments + "[" + std::to_string(random.below(4)) + "]", type};
}

} // namespace nereid::generate
