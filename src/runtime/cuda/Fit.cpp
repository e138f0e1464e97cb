// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Fit.h"

#include "runtime/GridText.h"

namespace nereid::runtime::cuda {
namespace {

std::string text(int64_t number) { return std::to_string(number); }

} // namespace

bool canMakeCode(const DeviceProperties &device, const CudaCode &code) {
  bool isFit = code.isForOneSm ? code.ptxSm == device.sm() : code.ptxSm <= device.sm();
  return !code.ptx.empty() && isFit;
}

CodeForm chooseForm(const DeviceProperties &device, const CudaCode &code) {
  // Machine code runs within its major version, from its minor version on.
  bool isCubinFit =
      code.isForOneSm ? code.cubinSm == device.sm()
                      : code.cubinSm / 10 == device.smMajor && code.cubinSm % 10 <= device.smMinor;
  if (!code.cubin.empty() && isCubinFit)
    return CodeForm::Cubin;
  return canMakeCode(device, code) ? CodeForm::Ptx : CodeForm::None;
}

std::string whyNoForm(const DeviceProperties &device, const CudaCode &code) {
  if (chooseForm(device, code) != CodeForm::None)
    return {};
  int sm = code.ptx.empty() ? code.cubinSm : code.ptxSm;
  std::string target = "sm_" + text(sm) + (code.isForOneSm ? "a" : "");
  return "was compiled for " + target + ", which " + device.fullName() +
         " cannot run; compile it for sm_" + text(device.sm());
}

std::string whyUnfit(const DeviceProperties &device, const FunctionAttributes &function,
                     const LaunchShape &shape) {
  int64_t shared = int64_t(shape.sharedBytes) + function.sharedBytes;
  if (shared > device.sharedPerBlock)
    return "needs " + text(shared) + " bytes of shared memory per block; " + device.fullName() +
           " has " + text(device.sharedPerBlock) +
           "; smaller tiles or fewer stages (num_stages) need less";
  if (shape.threads > static_cast<uint32_t>(device.threadsPerBlock))
    return "needs blocks of " + text(shape.threads) + " threads; " + device.fullName() + " has " +
           text(device.threadsPerBlock) + "; num_warps of " + text(device.threadsPerBlock / 32) +
           " or less works";
  if (shape.threads > static_cast<uint32_t>(function.threadsPerBlock))
    return "needs " + text(function.registers) + " registers in each of " + text(shape.threads) +
           " threads; " + device.fullName() + " has " + text(device.registersPerBlock) +
           " per block, enough for " + text(function.threadsPerBlock) +
           " threads; smaller tiles or a smaller num_warps need less";
  if (shape.blocksInCluster() > 1 && !device.hasClusters)
    return "is made for clusters of " + text(shape.blocksInCluster()) + " blocks; " +
           device.fullName() + " has none, they came with sm_90; num_ctas of 1 works";
  return {};
}

std::string whyUnfitCluster(const DeviceProperties &device, const LaunchShape &shape, int largest) {
  if (shape.blocksInCluster() <= static_cast<uint32_t>(largest))
    return {};
  return "is made for clusters of " + text(shape.blocksInCluster()) + " blocks; " +
         device.fullName() + " has clusters of up to " + text(largest) +
         " such blocks; a smaller num_ctas works";
}

bool canOverlapLaunches(const DeviceProperties &device) {
  constexpr int firstDriver = 12030; // whose graphs have such edges
  return device.driver >= firstDriver;
}

std::string whyUnfitGrid(const DeviceProperties &device, GridExtent grid) {
  const std::array<uint32_t, 3> extents = {grid.x, grid.y, grid.z};
  for (size_t i = 0; i < 3; ++i)
    if (extents[i] > static_cast<uint32_t>(device.grid[i]))
      return device.fullName() + " has grids up to (" + text(device.grid[0]) + ", " +
             text(device.grid[1]) + ", " + text(device.grid[2]) +
             "); a program can do the work of several in a loop";
  return {};
}

} // namespace nereid::runtime::cuda
