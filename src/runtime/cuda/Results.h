// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/cuda/Abi.h"

#include <string>

namespace nereid::runtime::cuda {

/// The driver's results that the code itself looks for.
enum : CUresult {
#define RESULT(number, name, effect, text) CUDA_ERROR_##name = number,
#include "runtime/cuda/results.def"
};

/// What a failed call leaves unusable.
enum class Effect { Call, Context, Process };

struct ResultMeaning {
  Effect effect = Effect::Call;
  const char *text = "";
};
/// results.def's row, or that of a call that merely failed.
ResultMeaning meaningOf(CUresult result);

/// Why the driver may see no device though its library is there, from the device files that it
/// needs, which lie in `directory`; empty if they are all right.
std::string explainDeviceFiles(const std::string &directory = "/dev");

} // namespace nereid::runtime::cuda
