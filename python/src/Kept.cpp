// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a dispatcher remembers, for who bounds what all of them keep (nereid/kept.py).
#include "Dispatcher.h"

namespace nereid::python {

nb::list Dispatcher::uses() const {
  nb::list list;
  for (const auto &[key, entry] : kernels)
    list.append(nb::make_tuple(entry.compiled, entry.lastUse));
  return list;
}

void Dispatcher::forget(nb::handle compiled) {
  std::vector<Entry> gone; // what goes may run Python, which may launch
  for (auto known = kernels.begin(); known != kernels.end();) {
    auto entry = known++;
    if (entry->second.compiled.is(compiled)) {
      gone.push_back(std::move(entry->second));
      kernels.erase(entry);
    }
  }
}

} // namespace nereid::python
