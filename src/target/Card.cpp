// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/Card.h"
#include "target/CardFile.h"

#include "support/Check.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace nereid::target {
namespace {

/// Of one SM in one cycle.
struct Rates {
  const char *sm;
  double fma, integer, f64, special, tensor, sectors;
};

struct Row {
  const char *name, *sm;
  unsigned multiprocessors;
  double megahertz, tensorShare, memory, share, l2Megabytes, l2Rate, latency, launch;
};

constexpr Rates rates[] = {
#define RATES(sm, fma, integer, f64, special, tensor, sectors)                                     \
  {sm, fma, integer, f64, special, tensor, sectors},
#define CARD(...)
#include "target/cards.def"
};

constexpr Row rows[] = {
#define RATES(...)
#define CARD(name, sm, count, megahertz, tensorShare, memory, share, l2, l2Rate, latency, launch)  \
  {name, sm, count, megahertz, tensorShare, memory, share, l2, l2Rate, latency, launch},
#include "target/cards.def"
};

const Rates *ratesOf(llvm::StringRef sm) {
  const auto *found = llvm::find_if(rates, [&](const Rates &r) { return sm == r.sm; });
  return found == std::end(rates) ? nullptr : found;
}

Card toCard(const Row &row) {
  const Rates *found = ratesOf(row.sm);
  NEREID_CHECK(found, "each card of cards.def has an SM with a row there");
  return {row.name,
          row.sm,
          row.multiprocessors,
          row.megahertz * 1e6,
          row.memory * 1e9,
          row.memory * 1e9 * row.share / 100,
          row.l2Rate * 1e9,
          row.l2Megabytes * 1e6,
          row.latency * 1e-9,
          row.launch * 1e-6,
          found->fma,
          found->integer,
          found->f64,
          found->special,
          found->tensor,
          row.tensorShare / 100,
          found->sectors};
}

} // namespace

std::optional<Card> cardOf(llvm::StringRef sm) {
  for (const Row &row : rows)
    if (sm == row.sm)
      return toCard(row);
  return std::nullopt;
}

std::optional<Card> findCard(llvm::StringRef name) {
  for (const Row &row : rows)
    if (name == row.name)
      return toCard(row);
  return std::nullopt;
}

std::vector<std::string> cardNames() {
  std::vector<std::string> names;
  for (const Row &row : rows)
    names.push_back(row.name);
  return names;
}

std::string cardNameIn(llvm::StringRef device) {
  const std::string name = device.lower();
  for (const std::string &known : cardNames()) {
    std::string spaced = known;
    std::replace(spaced.begin(), spaced.end(), '_', ' ');
    if (llvm::StringRef(name).contains(spaced))
      return known;
  }
  return {};
}

std::optional<Card> blankCard(llvm::StringRef sm) {
  const Rates *found = ratesOf(sm);
  if (!found)
    return std::nullopt;
  Card card{};
  card.sm = sm.str();
  card.fmaLanes = found->fma;
  card.integerLanes = found->integer;
  card.doubleLanes = found->f64;
  card.specialLanes = found->special;
  card.tensorFlops = found->tensor;
  card.sectors = found->sectors;
  return card;
}

} // namespace nereid::target
