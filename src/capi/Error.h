// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The edge of the C interface: what is thrown inside becomes a status and an error outside.
#pragma once

#include "nereid-c/nereid.h"
#include "nereid/error.h"

#include <utility>

namespace nereid::capi {

/// Turns the exception being handled into its status and, unless `error` is null, an error.
nereid_status reportException(nereid_error **error) noexcept;

/// Runs `act`, whatever it throws.
template <typename F> nereid_status guard(nereid_error **error, F &&act) noexcept {
  if (error)
    *error = nullptr;
  try {
    std::forward<F>(act)();
    return NEREID_OK;
  } catch (...) {
    return reportException(error);
  }
}

/// The pointer, which must not be null; `what` says what it should have been.
template <typename T> T *require(T *pointer, const char *what) {
  if (!pointer)
    throw Error(Error::Kind::Usage, std::string("a null pointer is no ") + what);
  return pointer;
}

/// Runs `make` and puts what it makes into `*place`, null if it throws.
template <typename Handle, typename F>
nereid_status guardMaking(Handle **place, nereid_error **error, F &&make) {
  if (place)
    *place = nullptr;
  return guard(error, [&] {
    require(place, "place for a handle");
    *place = new Handle{std::forward<F>(make)()};
  });
}

} // namespace nereid::capi
