// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace nereid::command {

/// Sends what anybody prints to standard error instead, for as long as it lives: kernels while they
/// are compiled and run, times, the prompt.
class PrintsAside {
public:
  PrintsAside();
  PrintsAside(const PrintsAside &) = delete;
  PrintsAside &operator=(const PrintsAside &) = delete;
  ~PrintsAside();

private:
  int output;
};

} // namespace nereid::command
