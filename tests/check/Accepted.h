// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that the checker accepts, and the operations they become: rows of tables.
#pragma once

#include "EmitKernel.h"

#include <gtest/gtest.h>

#include <ostream>

namespace nereid::test {

struct Accepted {
  const char *name;
  const char *text;
  /// Texts that the IR holds, in this order; one that starts with "~" must not come after the last.
  std::vector<std::string> pieces;
  Signature signature = {"*f32", "i32", "u32", "f32", "=16"};
};

inline std::ostream &operator<<(std::ostream &out, const Accepted &accepted) {
  return out << accepted.name;
}

inline std::string nameOf(const testing::TestParamInfo<Accepted> &info) { return info.param.name; }

/// The text is the body of a kernel with p, n, u, f and B, where x holds 16 floats.
class AcceptBody : public testing::TestWithParam<Accepted> {};
/// The text is a module.
class AcceptModule : public testing::TestWithParam<Accepted> {};

} // namespace nereid::test
