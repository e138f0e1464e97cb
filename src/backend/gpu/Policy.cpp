// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/Policy.h"

namespace nereid::backend::gpu {

bool Policy::set(llvm::StringRef wanted, unsigned number) {
#define POLICY(name, value, least, most, unit, why)                                                \
  if (wanted == #name) {                                                                           \
    name = number;                                                                                 \
    return true;                                                                                   \
  }
#include "backend/gpu/policy.def"
  return false;
}

std::vector<PolicyRow> Policy::rows() const {
  return {
#define POLICY(name, value, least, most, unit, why) {#name, name, least, most, unit, why},
#include "backend/gpu/policy.def"
  };
}

} // namespace nereid::backend::gpu
