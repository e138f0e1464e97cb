// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Doubts: why a lane of a value cannot be relied on (docs/checking.md).
#pragma once

#include "interpret/Interpreter.h"

#include <array>
#include <vector>

namespace nereid::interpret {

/// A set of kinds.
using DoubtKinds = uint8_t;
constexpr DoubtKinds only(DoubtKind kind) { return DoubtKinds(1u << unsigned(kind)); }
inline constexpr DoubtKinds allDoubts = 0xff;
/// What matters where a value decides something: which way a program goes, which lanes take part.
inline constexpr DoubtKinds decisionDoubts =
    only(DoubtKind::Undefined) | only(DoubtKind::DividedByZero);
/// What matters only where memory is reached with it.
inline constexpr DoubtKinds addressDoubts =
    only(DoubtKind::Wrapped) | only(DoubtKind::BrokenPromise);

/// The places where doubts began, numbered from 1 as they occur, so that a byte can say which it
/// is.
class DoubtSites {
public:
  struct Site {
    DoubtKind kind;
    mlir::Location location;
    unsigned bits; // of an element of the value there
  };
  /// The number of a place; `cached` is zero or what was given before. After 255 places, the last
  /// one of the kind stands for all others of it.
  uint8_t number(uint8_t &cached, const Site &site) {
    if (cached)
      return cached;
    if (sites.size() < 255) {
      sites.push_back(site);
      return cached = uint8_t(sites.size());
    }
    for (size_t i = sites.size(); i-- > 0;)
      if (sites[i].kind == site.kind)
        return cached = uint8_t(i + 1);
    return 0;
  }
  const Site &operator[](uint8_t number) const { return sites[number - 1]; }
  /// Whether the doubt with that number (0: none) is of one of the kinds.
  bool isOf(uint8_t number, DoubtKinds kinds) const {
    return number && (only((*this)[number].kind) & kinds);
  }

private:
  std::vector<Site> sites;
};

} // namespace nereid::interpret
