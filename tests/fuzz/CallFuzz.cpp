// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences of calls of the C interface, with null handles, numbers that are none of an
// enumeration's, options of other sizes, and handles released in any order. What a caller must
// vouch for is true.
#include "CallPools.h"
#include "Kinds.h"

#include <cstdlib>

namespace nereid::fuzz {
namespace {

class CallKind final : public Kind {
public:
  CallKind() {
    for (nereid_device *device : devices)
      require(device, "a device cannot be opened");
    require(kernels, "the kernels cannot be read");
  }
  ~CallKind() override {
    for (nereid_device *device : devices)
      nereid_device_release(device);
    nereid_module_release(kernels);
  }

  /// Where its numbers come from, and how many calls there are.
  std::string make(Random &random) override {
    return std::to_string(random.bits()) + ' ' + std::to_string(1 + random.below(14));
  }

  Outcome attempt(const std::string &input) override {
    char *rest = nullptr;
    Random random(std::strtoull(input.c_str(), &rest, 10), 0);
    CallPools pools(random, kernels);
    for (size_t calls = std::strtoull(rest, nullptr, 10); calls > 0; --calls)
      pools.call();
    return pools.hasFailed() ? Outcome::Refused : Outcome::Accepted;
  }

private:
  nereid_device *devices[2] = {CallPools::open("cpu", nullptr), CallPools::open("check", nullptr)};
  nereid_module *kernels = CallPools::makeKernels();
};

} // namespace

std::unique_ptr<Kind> callKind() { return std::make_unique<CallKind>(); }

} // namespace nereid::fuzz
