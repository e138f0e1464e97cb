// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/Policy.h"

namespace nereid::backend::nvptx {

bool Policy::set(llvm::StringRef wanted, unsigned number) {
#define POLICY(name, value, unit, why)                                                             \
  if (wanted == #name) {                                                                           \
    name = number;                                                                                 \
    return true;                                                                                   \
  }
#include "backend/nvptx/policy.def"
  return false;
}

std::vector<PolicyRow> Policy::rows() const {
  return {
#define POLICY(name, value, unit, why) {#name, name, unit, why},
#include "backend/nvptx/policy.def"
  };
}

} // namespace nereid::backend::nvptx
