// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that the checker refuses, each with the place of its diagnostic: rows of tables.
#pragma once

#include "EmitKernel.h"

#include <gtest/gtest.h>

#include <ostream>

namespace nereid::test {

struct Rejection {
  const char *id;
  const char *text; ///< "@@" stands before the character that the diagnostic points at
  /// Part of the rendered message, notes included; may be empty.
  const char *mentions = "";
};

inline std::ostream &operator<<(std::ostream &out, const Rejection &rejection) {
  return out << rejection.id << ":\n" << rejection.text;
}

/// The text is the body of a kernel with a float32 pointer, an int32, a uint32, a float32 and B
/// = 16.
class RejectBody : public testing::TestWithParam<Rejection> {};
/// The text is a module; its last function is the kernel, with a float32 pointer and an int32.
class RejectModule : public testing::TestWithParam<Rejection> {};

} // namespace nereid::test
