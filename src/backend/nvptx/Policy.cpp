// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/Policy.h"

namespace nereid::backend::nvptx {

bool Policy::set(llvm::StringRef wanted, unsigned number) {
#define POLICY(name, value, least, most, unit, why)                                                \
  if (wanted == #name) {                                                                           \
    name = number;                                                                                 \
    return true;                                                                                   \
  }
#include "backend/nvptx/policy.def"
  return gpu::Policy::set(wanted, number);
}

std::vector<PolicyRow> Policy::rows() const {
  std::vector<PolicyRow> all = gpu::Policy::rows();
#define POLICY(name, value, least, most, unit, why)                                                \
  all.push_back({#name, name, least, most, unit, why});
#include "backend/nvptx/policy.def"
  return all;
}

} // namespace nereid::backend::nvptx
