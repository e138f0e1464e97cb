// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/LaunchLog.h"

namespace nereid::runtime::cuda {

std::string KernelLabel::text() const { return "kernel '" + kernel + "' (" + source + ")"; }

void LaunchLog::add(const std::shared_ptr<const KernelLabel> &label, GridExtent grid,
                    CUstream stream) {
  std::lock_guard lock(mutex);
  launches[count_ % launches.size()] = {label, grid, stream, count_};
  ++count_;
}

uint64_t LaunchLog::count() const {
  std::lock_guard lock(mutex);
  return count_;
}

void LaunchLog::ended(CUstream stream, uint64_t count) {
  std::lock_guard lock(mutex);
  for (Launch &launch : launches)
    if (launch.stream == stream && launch.number < count)
      launch.label.reset();
}

std::vector<LaunchLog::Launch> LaunchLog::running() const {
  std::lock_guard lock(mutex);
  std::vector<Launch> result;
  for (size_t i = 0; i < launches.size(); ++i)
    if (const Launch &launch = launches[(count_ + i) % launches.size()]; launch.label)
      result.push_back(launch);
  return result;
}

} // namespace nereid::runtime::cuda
