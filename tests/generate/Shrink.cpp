// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Shrink.h"

#include <chrono>
#include <optional>

namespace nereid::generate {
namespace {

enum class Change { Remove, KeepBody, KeepOtherwise, Replace };
constexpr Change changes[] = {Change::Remove, Change::KeepBody, Change::KeepOtherwise,
                              Change::Replace};

size_t count(const std::vector<Statement> &block) {
  size_t total = block.size();
  for (const Statement &statement : block)
    if (!statement.isWhole())
      total += count(statement.body) + count(statement.otherwise);
  return total;
}

/// Makes the change to the statement with this number, counting down while it walks. False if it
/// cannot be made.
bool apply(std::vector<Statement> &block, size_t &number, Change change);

bool applyHere(std::vector<Statement> &block, size_t at, Change change) {
  Statement statement = block[at];
  auto place = block.begin() + static_cast<int64_t>(at);
  if (statement.isPinned || (statement.isWhole() && change != Change::Remove))
    return false;
  if (change == Change::Replace) {
    if (statement.replacement.empty() || statement.replacement == statement.text)
      return false;
    place->text = statement.replacement;
    return true;
  }
  std::vector<Statement> kept = change == Change::KeepBody        ? statement.body
                                : change == Change::KeepOtherwise ? statement.otherwise
                                                                  : std::vector<Statement>();
  if (change != Change::Remove && kept.empty())
    return false;
  for (Statement &inner : kept) // what ends a loop need not stay outside of it
    inner.isPinned = false;
  place = block.erase(place);
  block.insert(place, kept.begin(), kept.end());
  return true;
}

bool apply(std::vector<Statement> &block, size_t &number, Change change) {
  for (size_t i = 0; i < block.size(); ++i) {
    if (number-- == 0)
      return applyHere(block, i, change);
    if (block[i].isWhole())
      continue;
    for (std::vector<Statement> *inner : {&block[i].body, &block[i].otherwise}) {
      if (number < count(*inner))
        return apply(*inner, number, change);
      number -= count(*inner);
    }
  }
  return false;
}

std::optional<Kernel> changed(const Kernel &kernel, size_t number, Change change) {
  Kernel result = kernel;
  if (!apply(result.body, number, change))
    return std::nullopt;
  return result;
}

template <typename Parameter>
Kernel without(Kernel kernel, std::vector<Parameter> Kernel::*parameters, size_t index) {
  (kernel.*parameters).erase((kernel.*parameters).begin() + static_cast<int64_t>(index));
  return kernel;
}

} // namespace

Kernel shrink(Kernel kernel, const std::function<bool(const Kernel &)> &stillFails) {
  int triesLeft = 600;
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  auto attempt = [&](const std::optional<Kernel> &candidate) {
    if (std::chrono::steady_clock::now() > end)
      triesLeft = 0;
    if (!candidate || triesLeft-- <= 0 || !stillFails(*candidate))
      return false;
    kernel = *candidate;
    return true;
  };
  Kernel single = kernel;
  single.grid = {1, 1, 1};
  attempt(single);
  for (bool isSmaller = true; isSmaller && triesLeft > 0;) {
    isSmaller = false;
    // From the end, so that what nothing uses any more goes before what it used.
    for (size_t number = count(kernel.body); number-- > 0;)
      for (Change change : changes)
        if (number < count(kernel.body) && attempt(changed(kernel, number, change)))
          isSmaller = true;
  }
  for (size_t i = kernel.arrays.size(); i-- > 0;)
    attempt(without(kernel, &Kernel::arrays, i));
  for (size_t i = kernel.scalars.size(); i-- > 0;)
    attempt(without(kernel, &Kernel::scalars, i));
  return kernel;
}

} // namespace nereid::generate
