// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/llvm/LaneBuilder.h"
#include "target/CpuTarget.h"

namespace nereid::backend {

/// `count` lanes of a mask from `begin` on, compared anew where that is as cheap. LLVM keeps a
/// mask that is wider than a register as packed bytes or words, which a machine without mask
/// registers has to compare, pack, take apart and widen; a compare of one register's lanes is
/// the mask that its masked moves take. For accesses to elements of `elementBytes`.
llvm::Value *sliceMask(LaneBuilder &lanes, const target::CpuTarget &cpu, llvm::Value *mask,
                       unsigned begin, unsigned count, unsigned elementBytes);

} // namespace nereid::backend
