// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/PolicyRow.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace nereid::backend::gpu {

/// The numbers of policy.def, as they are or as somebody who tries others has set them. A back end
/// has its own besides.
struct Policy {
#define POLICY(name, value, least, most, unit, why) unsigned name = value;
#include "backend/gpu/policy.def"

  /// False if there is no such row.
  bool set(llvm::StringRef name, unsigned value);
  std::vector<PolicyRow> rows() const;
};

} // namespace nereid::backend::gpu
