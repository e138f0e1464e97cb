// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's failures that would be mistakes of ours.
#pragma once

#include "support/Check.h"

#include "llvm/Support/Error.h"

namespace nereid::backend {

template <typename T> T require(llvm::Expected<T> value, const char *what) {
  if (!value)
    checkFailed(what, __FILE__, __LINE__, llvm::toString(value.takeError()));
  return std::forward<T>(*value);
}

inline void require(llvm::Error error, const char *what) {
  if (error)
    checkFailed(what, __FILE__, __LINE__, llvm::toString(std::move(error)));
}

} // namespace nereid::backend
