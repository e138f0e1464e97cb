// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/PrintedFailure.h"

#include "nereid/error.h"
#include "runtime/GridText.h"

namespace nereid::runtime {

void PrintedFailure::raise(const std::string &kernel, GridExtent grid) const {
  std::string more = count > 1 ? "; " + std::to_string(count) + " assertions failed in all" : "";
  const auto &[x, y, z] = programId;
  throw Error(Error::Kind::Checked, text + ", in program " + gridText({x, y, z}) + " of " + kernel +
                                        " on a grid of " + gridText(grid) + more);
}

} // namespace nereid::runtime
