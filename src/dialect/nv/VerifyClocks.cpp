// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/nv/Verify.h"
#include "support/Clocks.h"

using namespace mlir;

namespace nereid::nv {

LogicalResult ClockOp::verify() {
  if (!parseClock({getWhat().data(), getWhat().size()}))
    return emitOpError("clocks.def has no '") << getWhat() << "'";
  return success();
}

} // namespace nereid::nv
