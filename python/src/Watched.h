// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value of Python's that a compiled kernel depends on, compared at each launch.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

namespace nereid::python {

namespace nb = nanobind;

struct Watched;
/// Shared, since Python runs while it is looked through, and may set another.
using WatchedList = std::shared_ptr<const std::vector<Watched>>;

struct Watched {
  /// From tuples (container, keys, has_entries, [] or [expected], notice): the value at the first
  /// key of a container that has entries, or at its attribute of that name otherwise, and then
  /// attribute by attribute; without keys, the contents of the container.
  static WatchedList listOf(const nb::list &reads);

  /// Whether it is sure to mean the same still. No more is said where it is not.
  bool isAsBefore() const;

  nb::object container;
  std::vector<nb::object> keys;
  bool isInDictionary, hasEntries;
  nb::object expected; ///< not valid: nothing
  /// Called without arguments where something else is found; may raise.
  nb::object notice;

private:
  nb::object now() const;
};

/// Tells of those that are not as before, until `list` is another.
void check(const WatchedList &list);

} // namespace nereid::python
