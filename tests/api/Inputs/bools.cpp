// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the public interface that lies in the header, over a library that holds 5 bools: what
// a compiler makes of it depends on the compiler.
#include "nereid/nereid.h"

#include <cstdio>
#include <cstring>

namespace nereid {

std::string printable(std::string_view text) { return std::string(text); }

struct detail::ArrayState {
  static Array make() { return Array(std::make_shared<ArrayState>()); }
};
int64_t Array::size() const { return 5; }
void Array::requireElements(DType) const {}
void Array::copyTo(void *host) const {
  const bool held[5] = {true, false, false, true, true};
  std::memcpy(host, held, sizeof held);
}

} // namespace nereid

int main() {
  std::vector<bool> values = nereid::detail::ArrayState::make().toVector<bool>();
  for (bool value : values)
    std::printf("%d", value);
  std::printf("\n%d %d\n", int(nereid::cdiv(7, 2)), int(nereid::nextPowerOf2(5)));
  try {
    nereid::Argument(static_cast<const char *>(nullptr));
  } catch (const nereid::Error &error) {
    std::puts(error.what());
  }
}
