// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that one launch leaves to the next.
#pragma once

#include <cstddef>
#include <utility>

namespace nereid::python {

/// A container that begins empty, with the memory of one of its kind that has ended: what each
/// launch fills is asked for once. A launch within a launch has its own. All lives and dies under
/// the interpreter's lock.
template <typename Container> class Reused : public Container {
public:
  Reused() : Container(std::exchange(spare(), {})) {}
  Reused(Reused &&) = default;
  Reused &operator=(Reused &&) = default;
  ~Reused() {
    constexpr size_t most = 4096; // a launch of thousands of arguments is a rare one
    if (this->capacity() <= spare().capacity() || this->capacity() > most)
      return;
    this->clear();
    spare() = std::move(static_cast<Container &>(*this));
  }

private:
  /// Never destroyed: launches may come while the process ends.
  static Container &spare() {
    static Container &container = *new Container();
    return container;
  }
};

} // namespace nereid::python
