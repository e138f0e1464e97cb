// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Environment.h"

namespace nereid::sema {

const Environment &Environment::none() {
  static const Environment empty;
  return empty;
}

} // namespace nereid::sema
