// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/RandomLayout.h"

#include <algorithm>

namespace nereid::layout::test {

unsigned below(Random &random, unsigned bound) { return unsigned(random() % bound); }

Spaces randomSpaces(Random &random, const std::vector<std::string> &names, unsigned bits) {
  Spaces spaces;
  for (const std::string &name : names)
    spaces.push_back({name, 0});
  while (bits-- > 0)
    ++spaces[below(random, unsigned(names.size()))].bits;
  return spaces;
}

LinearLayout randomLayout(Random &random, Spaces inputs, Spaces outputs) {
  std::vector<Vector> bases(totalBits(inputs));
  for (Vector &basis : bases)
    basis = random() & ((Vector(1) << totalBits(outputs)) - 1);
  return LinearLayout(std::move(inputs), std::move(outputs), std::move(bases));
}

LinearLayout randomInvertible(Random &random, Spaces inputs, Spaces outputs) {
  while (true)
    if (LinearLayout layout = randomLayout(random, inputs, outputs); layout.isInvertible())
      return layout;
}

LinearLayout randomDistributed(Random &random, Mix mix, const Shape &shape, unsigned warpBits,
                               unsigned copies) {
  const Spaces tile = tileSpaces(shape);
  const unsigned bits = totalBits(tile), threadBits = LaneBits + warpBits;
  std::vector<Vector> bases;
  while (Subspace(bases).dimension() < bits) {
    bases.clear();
    for (unsigned bit = 0; bit < bits; ++bit)
      bases.push_back(mix == Mix::Units ? Vector(1) << bit : random() & ((Vector(1) << bits) - 1));
    if (!bits)
      break;
  }
  const unsigned places = std::max(threadBits, bits) + copies;
  while (bases.size() < places)
    bases.push_back(mix == Mix::Units || !bits ? 0 : random() & ((Vector(1) << bits) - 1));
  std::shuffle(bases.begin(), bases.end(), random);
  const std::span<const Vector> all = bases;
  return distributed(shape, all.subspan(threadBits), all.first(LaneBits),
                     all.subspan(LaneBits, warpBits));
}

} // namespace nereid::layout::test
