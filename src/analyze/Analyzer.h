// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/CompileOptions.h"
#include "driver/Compiler.h"
#include "nereid/analyze.h"
#include "support/KernelArguments.h"
#include "target/Card.h"

#include <span>

namespace nereid::analyzer {

struct Request {
  driver::KernelRequest kernel;
  /// For one of NVIDIA's GPUs.
  backend::CompileOptions options;
  target::Card card;
  std::span<const ArgumentSlot> arguments;
  GridExtent grid;
  uint64_t programs = 0;     // to run; 0: as many as take about a second
  uint64_t mostAccesses = 0; // AnalyzeOptions
  bool isL2Dirty = false;    // AnalyzeOptions
};

/// Compiles, counts and predicts. The author's mistakes leave as SourceError.
Analysis analyze(const Request &request);

} // namespace nereid::analyzer
