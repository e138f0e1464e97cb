// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Peers.h"

#include "runtime/cuda/Context.h"
#include "runtime/cuda/Pointer.h"
#include "runtime/cuda/Results.h"

namespace nereid::runtime::cuda {

std::string Peers::whyNoAccess(Context &from, unsigned ordinal) {
  std::lock_guard lock(mutex);
  std::weak_ptr<Context> &slot = reached[ordinal];
  if (slot.lock())
    return {};
  std::shared_ptr<Context> peer = Context::open(ordinal);
  const Driver &driver = from.driver();
  OutsideCapture outside(from);
  int canAccess = 0;
  from.call(driver.deviceCanAccessPeer, &canAccess, from.device(), peer->device());
  if (!canAccess)
    return "the driver connects the two in no way that kernels could use";
  const auto &enable = driver.ctxEnablePeerAccess;
  CUresult result = from.attempt(enable, peer->handle(), 0u);
  // Another library of this process may have done it.
  if (result && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
    if (meaningOf(result).effect != Effect::Call)
      from.fail(enable.symbol, result);
    return driver.describe(enable.symbol, result);
  }
  slot = peer;
  return {};
}

std::string whyNoAccess(Context &from, const PointerInfo &info, CUdeviceptr address) {
  const Driver &driver = from.driver();
  if (!info.isPlain && driver.memGetAccess) {
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, from.device()};
    unsigned long long flags = 0;
    // A failure: it was not mapped.
    if (!from.attempt(driver.memGetAccess, &flags, &here, address))
      return flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                 ? ""
                 : "who mapped the memory gave that device no access (cuMemSetAccess)";
  }
  return from.peers().whyNoAccess(from, info.ordinal);
}

} // namespace nereid::runtime::cuda
