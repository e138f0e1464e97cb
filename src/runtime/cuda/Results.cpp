// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Results.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace nereid::runtime::cuda {

ResultMeaning meaningOf(CUresult result) {
  static constexpr struct {
    CUresult number;
    ResultMeaning meaning;
  } rows[] = {
#define RESULT(number, name, effect, text) {number, {Effect::effect, text}},
#include "runtime/cuda/results.def"
  };
  for (const auto &row : rows)
    if (row.number == result)
      return row.meaning;
  return {};
}

std::string explainDeviceFiles(const std::string &directory) {
  std::string control = directory + "/nvidiactl";
  if (access(control.c_str(), F_OK) != 0)
    return "there is no " + control +
           ": the kernel module is not loaded, or this container was given no GPU";
  if (access(control.c_str(), R_OK | W_OK) != 0)
    return control + " cannot be opened: " + std::strerror(errno) +
           "; this user needs permission to read and write it";
  return {};
}

} // namespace nereid::runtime::cuda
