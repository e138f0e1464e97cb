// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/predict/Roofline.h"

namespace nereid::analyzer {

/// Of shared memory, what an SM's banks give in a cycle.
static constexpr double wavefrontBytes = 128;

static void addCeilings(Analysis &analysis, const target::Card &card, const KernelCosts &costs) {
  const double cycles = card.clockHertz * card.multiprocessors;
  auto add = [&](const char *name, bool isOfBytes, double rate, double bytes = 0) {
    if (!isOfBytes || bytes > 0)
      analysis.ceilings.push_back({name, isOfBytes, rate, bytes});
  };
  add("memory", true, card.memoryPeak, double(analysis.memoryBytes));
  add("L2", true, card.l2Rate, double(analysis.l2Bytes));
  add("shared memory", true, wavefrontBytes * cycles, costs.sharedWavefronts * wavefrontBytes);
  if (costs.tensorFlops > 0)
    add("tensor cores", false, card.tensorFlops * cycles);
  add("FMA", false, 2 * card.fmaLanes * cycles);
  if (costs.doubleLanes > 0)
    add("f64", false, 2 * card.doubleLanes * cycles);
  if (costs.specialLanes > 0)
    add("special functions", false, card.specialLanes * cycles);
}

void addRoofline(Analysis &analysis, const target::Card &card, const KernelCosts &costs) {
  const double cycles = card.clockHertz * card.multiprocessors;
  analysis.peakBytes = card.memoryPeak;
  analysis.peakFlops =
      costs.tensorFlops > 0 ? card.tensorFlops * cycles : 2 * card.fmaLanes * cycles;
  analysis.flops += costs.elementFlops;
  addCeilings(analysis, card, costs);
  analysis.intensity = analysis.memoryBytes ? analysis.flops / double(analysis.memoryBytes) : 0;
  for (Analysis::Product &product : analysis.products) {
    const double rate = product.instruction == "fma" ? 2 * card.fmaLanes : card.tensorFlops;
    product.seconds = product.flops / (rate * cycles);
  }
}

} // namespace nereid::analyzer
