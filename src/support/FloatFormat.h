// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The float formats as types, for code that is written once for all of them: how an element is
// read, and how a number is rounded (to nearest even) to one.
#pragma once

#include "support/Float16.h"

#include <cstdint>

namespace nereid {

/// `Format` is Half or BFloat. Elements are read as float, which holds them exactly.
template <typename Format> struct SmallFloat {
  using Storage = uint16_t;
  static float load(Storage bits) { return Format::widen(bits); }
  static Storage round(double value) { return Format::round(value); }
};

template <typename T> struct NativeFloat {
  using Storage = T;
  static T load(Storage value) { return value; }
  static Storage round(double value) { return static_cast<T>(value); }
};

} // namespace nereid
