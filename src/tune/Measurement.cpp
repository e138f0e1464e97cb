// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nereid/tune.h"

#include <algorithm>
#include <cmath>

namespace nereid {

Measurement::Measurement(std::vector<double> times) : given(std::move(times)), sorted(given) {
  if (sorted.empty())
    throw Error(Error::Kind::Usage, "a measurement without times says nothing");
  std::sort(sorted.begin(), sorted.end());
}

double Measurement::quantile(double share) const {
  if (!(share >= 0 && share <= 1))
    throw Error(Error::Kind::Usage,
                "quantile " + std::to_string(share) + ": a share from 0 to 1 is accepted");
  double place = share * static_cast<double>(sorted.size() - 1);
  auto low = static_cast<size_t>(std::floor(place));
  size_t high = std::min(low + 1, sorted.size() - 1);
  return std::lerp(sorted[low], sorted[high], place - static_cast<double>(low));
}

double Measurement::spread() const {
  double middle = median();
  return middle > 0 ? (quantile(0.8) - quantile(0.2)) / middle : 0;
}

Timing summarize(const Measurement &measurement) {
  return {measurement.median(), measurement.quantile(0.2), measurement.quantile(0.8),
          measurement.times().size()};
}

} // namespace nereid
