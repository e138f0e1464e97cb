// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Conversion.h"

#include "support/Check.h"

#include <algorithm>
#include <bit>

namespace nereid::layout {
namespace {

constexpr double SelectCost = 0.5, PackCost = 0.5, WarpBarrierCost = 24, BlockBarrierCost = 40;

/// Putting elements into 32-bit words, or taking them out.
double packCost(size_t elements, unsigned elementBytes) {
  const size_t words = (elements * elementBytes + 3) / 4;
  return words < elements ? PackCost * double(elements - words) : 0;
}

double costOf(const ShufflePlan &plan, unsigned elementBytes) {
  const unsigned wordElements = unsigned(plan.words[0].size());
  const double wordsOfElement = elementBytes > 4 ? elementBytes / 4 : 1;
  double cost = SelectCost * wordsOfElement *
                (plan.before.support() * double(plan.words.size()) +
                 plan.after.support() * double(plan.received));
  for (const ShufflePlan::Shuffle &shuffle : plan.shuffles)
    cost += plan.staysInLane(shuffle) ? 0 : wordsOfElement;
  return cost + double(plan.words.size() + plan.received) * packCost(wordElements, elementBytes);
}

double costOf(const SharedPlan &plan, unsigned elementBytes) {
  double cost =
      plan.path.totalWavefronts() + (plan.withinWarps ? WarpBarrierCost : BlockBarrierCost);
  for (const SharedAccess *access : {&plan.path.write, &plan.path.read})
    for (const SharedAccess::Step &step : access->steps)
      cost += packCost(step.registers.size(), elementBytes);
  return cost;
}

/// The renaming that the plan is, if it is no more than that.
std::optional<std::vector<unsigned>> renaming(const ShufflePlan &plan) {
  const auto moves = [&](const auto &shuffle) { return !plan.staysInLane(shuffle); };
  if (plan.before.support() || plan.after.support() ||
      std::any_of(plan.shuffles.begin(), plan.shuffles.end(), moves))
    return std::nullopt;
  std::vector<unsigned> wordOf(plan.received), source;
  for (const ShufflePlan::Shuffle &shuffle : plan.shuffles)
    wordOf[shuffle.to] = shuffle.from;
  for (const ShufflePlan::Result &result : plan.results)
    source.push_back(plan.words[wordOf[result.word]][result.element]);
  return source;
}

void check(const LinearLayout &source, const LinearLayout &target, unsigned elementBytes) {
  NEREID_CHECK(source.outputs() == target.outputs(), "both layouts are of the same tile");
  NEREID_CHECK(source.bases(Lane).size() == target.bases(Lane).size() &&
                   source.bases(Warp).size() == target.bases(Warp).size(),
               "both layouts have as many threads");
  NEREID_CHECK(source.isSurjective() && target.isSurjective(), "every element is held somewhere");
  NEREID_CHECK(std::has_single_bit(elementBytes) && elementBytes <= 8, "elements of 1 to 8 bytes");
}

SharedPlan planShared(const LinearLayout &source, const LinearLayout &target, unsigned elementBytes,
                      MatrixInstructions allowed, bool withinWarps) {
  const DistinctRegisters distinct = distinctRegisters(target);
  std::vector<unsigned> results;
  for (unsigned index : distinct.indexOf)
    results.push_back(distinct.kept[index]);
  return {chooseSharedPath(source, target, elementBytes, allowed),
          (uint64_t(1) << source.outputBits()) * elementBytes, withinWarps, std::move(results)};
}

} // namespace

Conversion planConversion(const LinearLayout &source, const LinearLayout &target,
                          unsigned elementBytes, ConversionOptions options) {
  check(source, target, elementBytes);
  if (source == target)
    return {NoConversion{}, 0};
  auto shuffles = planShuffles(source, target, elementBytes);
  if (shuffles) {
    if (auto names = renaming(*shuffles)) {
      bool same = source.bases(Register).size() == target.bases(Register).size();
      for (unsigned r = 0; same && r < names->size(); ++r)
        same = (*names)[r] == r;
      if (same)
        return {NoConversion{}, 0};
      return {RenameRegisters{std::move(*names)}, 0};
    }
  }
  SharedPlan shared =
      planShared(source, target, elementBytes, options.matrices, shuffles.has_value());
  const double sharedCost = costOf(shared, elementBytes);
  if (shuffles && options.allowShuffles)
    if (const double cost = costOf(*shuffles, elementBytes); cost <= sharedCost)
      return {std::move(*shuffles), cost};
  return {std::move(shared), sharedCost};
}

} // namespace nereid::layout
