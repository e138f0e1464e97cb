// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel text to tile IR text, for the tests of the checker.
#pragma once

#include "frontend/ast/Ast.h"
#include "frontend/sema/Specialization.h"

#include <functional>
#include <string>
#include <vector>

namespace nereid::test {

/// Argument types, in order: "*f32", "*f32:16", "i32", "i32:16"; "=" and a Python literal or a
/// dtype for a constexpr ("=128", "=None", "='relu'", "=f32").
using Signature = std::vector<std::string>;

sema::Specialization specialize(const Signature &signature);

/// What came of compiling the last function of a text: IR, or the one diagnostic.
struct Outcome {
  std::string ir;
  std::string id; // of the diagnostic; empty if the kernel was accepted
  unsigned line = 0, column = 0;
  std::string message; // rendered, notes included
  bool isVerified = false;
  std::string types; // the listing of assignments
};

/// The text may leave out imports. Compiles its last function.
Outcome emitKernel(const std::string &text, const Signature &signature, bool withLocations = false);

/// The same for a text that may have no function; `signatureFor` is asked how its parameters are
/// typed.
Outcome tryKernel(const std::string &text,
                  const std::function<Signature(size_t parameters)> &signatureFor,
                  bool withLocations = false);

} // namespace nereid::test
