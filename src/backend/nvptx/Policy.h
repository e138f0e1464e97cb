// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/gpu/Policy.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace nereid::backend::nvptx {

/// The numbers of policy.def, beside those of all GPUs.
struct Policy : gpu::Policy {
#define POLICY(name, value, least, most, unit, why) unsigned name = value;
#include "backend/nvptx/policy.def"

  /// False if there is no such row.
  bool set(llvm::StringRef name, unsigned value);
  std::vector<PolicyRow> rows() const;
};

} // namespace nereid::backend::nvptx
