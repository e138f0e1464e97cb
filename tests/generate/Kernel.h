// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Types.h"

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nereid::generate {

/// A line of the kernel, with the lines under it. Without a text: lines that only make sense
/// together, such as those that take a lock and give it back.
struct Statement {
  std::string text;
  std::vector<Statement> body, otherwise;
  /// A simpler line that defines the same names with the same types; empty if there is none.
  std::string replacement = {};
  /// Without this line a loop would not end.
  bool isPinned = false;

  bool isWhole() const { return text.empty(); }
};

/// What an array holds before the launch.
enum class Fill {
  Wild,    ///< every kind of number: extremes, infinities, NaNs, random bits
  Special, ///< NaNs, infinities, zeros of both signs and few others; of floats only
  Small,   ///< few small multiples of a power of two
  Units,   ///< -1, 0 and 1
  Zero,    ///< what counters and locks begin with
};

struct ArrayParameter {
  std::string name;
  DType dtype;
  int64_t size;
  Fill fill = Fill::Wild;
  /// The type in which a function computed what this array holds, rounded: its last bits the
  /// executors may choose. Nothing if all bits must agree.
  std::optional<DType> approximateIn = {};
  /// The parameter whose memory this one shares; empty if it has its own.
  std::string sharedWith = {};
  /// Where the parameter is a tensor descriptor: the array's shape and that of its blocks.
  Shape extents = {}, block = {};
  /// How many terms the sum has that an approximate result was divided by; none but for softmax.
  int64_t summands = 0;
};

struct ScalarParameter {
  std::string name, annotation;
  std::variant<bool, int64_t, double> value;
};

/// A generated kernel and its launch.
struct Kernel {
  /// Functions and classes that stand before the kernel: name and text. A text that begins with
  /// "def" is one of a jit function.
  std::vector<std::pair<std::string, std::string>> helpers;
  std::vector<ArrayParameter> arrays;
  std::vector<ScalarParameter> scalars;
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::vector<Statement> body;
  uint64_t dataSeed = 0;
  /// Whether tensor cores round factors of its products (float32 to tf32 or to parts of bfloat16),
  /// so that a GPU's results are others.
  bool roundsFactors = false;

  /// The module's source text; its kernel is called "kernel".
  std::string source() const;
  /// Arguments and grid, for people.
  std::string launch() const;
};

} // namespace nereid::generate
