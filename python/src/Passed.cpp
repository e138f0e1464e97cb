// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passed.h"

#include <algorithm>
#include <utility>

namespace nereid::python {

nb::tuple Passed::tuple(size_t first) const {
  nb::list list;
  for (size_t i = first; i < count; ++i)
    list.append(nb::handle(values[i]));
  return nb::tuple(list);
}

nb::dict Passed::dictionary() const {
  nb::dict dictionary;
  for (size_t i = 0; i < nameCount(); ++i)
    dictionary[name(i)] = named(i);
  return dictionary;
}

Unpacked::Unpacked(nb::args given, nb::kwargs givenNames)
    : args(std::move(given)), kwargs(std::move(givenNames)), names(kwargs.keys()) {
  for (nb::handle value : args)
    values.push_back(value.ptr());
  for (nb::handle name : names)
    values.push_back(PyDict_GetItemWithError(kwargs.ptr(), name.ptr()));
}

} // namespace nereid::python
