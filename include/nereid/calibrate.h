// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast the GPU at hand is: the figures that `nereid analyze` predicts times from, measured by
// small kernels of our own (docs/profile.md).
//
//   nereid::Calibration calibration = nereid::calibrate(nereid::Device::open("cuda"));
//   std::cout << nereid::toText(calibration);      // beside those of the table
//   nereid::analyze(kernel, grid, arguments, {.card = "here.card"}); // where toCard() was written
#pragma once

#include "nereid/device.h"

#include <string>
#include <vector>

namespace nereid {

struct Calibration {
  struct Figure {
    std::string name; ///< "memory_reached"
    std::string unit; ///< "GB/s"
    double measured = 0;
    double table = 0; ///< of the card that the table has for it; 0: it has none
    std::string meaning;
  };
  std::string device; ///< "NVIDIA H200"
  std::string target; ///< "sm_90a"
  std::string card;   ///< of the table, the one that is compared with; empty: it has none
  std::vector<Figure> figures;
};

/// Takes some seconds, and up to a gigabyte of the GPU's memory. Throws Error(Usage) for a device
/// that is no GPU, and for one of whose SMs nothing is known.
NEREID_API Calibration calibrate(const Device &device);

/// A table, as `nereid calibrate` prints it.
NEREID_API std::string toText(const Calibration &calibration);
/// The file that AnalyzeOptions::card may name.
NEREID_API std::string toCard(const Calibration &calibration);

} // namespace nereid
