// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a GPU's hardware counters say of a launch, as ncu reads them, beside what is predicted.
#pragma once

#include "nereid/analyze.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::command {

/// ncu's values by metric, in bytes and microseconds where a unit says of what; or why there are
/// none, in words that follow "not counted: ".
struct NcuReport {
  std::map<std::string, double> values;
  std::string whyNot;
};

/// Runs ncu, which PATH has to have, on `nereid run` with these words behind it.
NcuReport countByNcu(const std::vector<std::string> &runWords);
/// What ncu --csv --page raw has printed, with the program's output around it.
NcuReport readNcu(std::string_view output);

struct CountedOnGpu {
  std::string kernel, device;
  Grid grid;
  struct Row {
    std::string key, name;
    std::optional<double> predicted, counted;
  };
  std::vector<Row> rows; ///< of gpu_counters.def; those of which neither is known are left out
  std::string notCounted, notPredicted; ///< why, or empty
};

/// `analysis` may be missing.
std::vector<CountedOnGpu::Row> rowsOf(const Analysis *analysis, const NcuReport &report);

std::string toText(const CountedOnGpu &counted);
std::string toJson(const CountedOnGpu &counted);

} // namespace nereid::command
