// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/devices/DeviceTable.h"

namespace nereid::jit {

/// What devices have in common whose memory is the host's.
class HostDevice : public OpenDevice {
public:
  std::string_view memoryName() const final { return "host"; }
  std::shared_ptr<runtime::Memory> allocate(size_t bytes) override {
    return runtime::allocateHost(bytes);
  }
  std::shared_ptr<runtime::Memory> borrow(void *address, size_t bytes) final {
    return runtime::borrowHost(address, bytes);
  }
};

} // namespace nereid::jit
