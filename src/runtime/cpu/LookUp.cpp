// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/LookUp.h"

#include "support/Interruption.h"

#include <csetjmp>
#include <utility>

namespace nereid::runtime::cpu {

/// Where this thread goes on when it leaves generated code.
static thread_local std::jmp_buf *wayOut = nullptr;

void nereidLookUp(const LaunchContext *context) {
  if (wayOut && context->interruption && context->interruption->isRequested())
    std::longjmp(*wayOut, 1);
}

bool runUnlessLeft(const std::function<void()> &code) {
  std::jmp_buf here;
  std::jmp_buf *outer = std::exchange(wayOut, &here);
  bool isLeft = setjmp(here) != 0;
  if (!isLeft)
    code();
  wayOut = outer;
  return !isLeft;
}

} // namespace nereid::runtime::cpu
