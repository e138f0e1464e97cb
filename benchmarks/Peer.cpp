// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Peer.h"

#include <algorithm>
#include <iterator>

namespace nereid::bench {
namespace {

/// OpenBLAS's names for what has no AVX2. The list is closed: new ones have it.
constexpr std::string_view before[] = {
    "Unknown",    "Generic",      "Katmai",      "Coppermine", "Northwood",  "Prescott",
    "Banias",     "Atom",         "Core2",       "Penryn",     "Dunnington", "Nehalem",
    "Athlon",     "Opteron",      "Barcelona",   "Nano",       "Bobcat",     "Bulldozer",
    "Piledriver", "Opteron_SSE3", "Sandybridge", "Steamroller"};

} // namespace

std::string refusePeer(std::string_view core, bool hasAvx2, bool hasAvx512) {
  if (!hasAvx2 || std::find(std::begin(before), std::end(before), core) == std::end(before))
    return {};
  std::string better = hasAvx512 ? "SkylakeX" : "Haswell";
  return "OpenBLAS runs its code for '" + std::string(core) + "', but this processor has " +
         (hasAvx512 ? "AVX-512" : "AVX2") +
         ": a ratio to that would flatter\nnote: name the code that it should run: "
         "OPENBLAS_CORETYPE=" +
         better + " make bench";
}

} // namespace nereid::bench
