// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tests look at the errors of the public interface.
#pragma once

#include "nereid/error.h"

#include <gtest/gtest.h>

#include <string>

namespace nereid::test {

/// The error that `act` must end with.
template <typename F> Error errorOf(F act) {
  try {
    act();
  } catch (const Error &error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return Error(Error::Kind::Internal, "");
}

/// Its message; it must be of `kind`.
template <typename F> std::string messageOf(Error::Kind kind, F act) {
  Error error = errorOf(act);
  EXPECT_EQ(error.kind(), kind) << error.what();
  return error.what();
}

} // namespace nereid::test
