// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "nereid/nereid.h"

#include <gtest/gtest.h>

#include <string>

namespace nereid::test {

/// Whether a message says each of these.
template <typename... Parts>
testing::AssertionResult has(const std::string &text, const Parts &...parts) {
  for (const std::string &part : {std::string(parts)...})
    if (text.find(part) == std::string::npos)
      return testing::AssertionFailure() << "no '" << part << "' in: " << text;
  return testing::AssertionSuccess();
}

/// The message of the error that `act` must end with.
template <typename F> std::string messageOf(F &&act, Error::Kind kind = Error::Kind::Environment) {
  try {
    act();
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

} // namespace nereid::test
