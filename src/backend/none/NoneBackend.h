// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backend/Backend.h"

namespace nereid::backend {

/// A target that makes nothing: front end and passes run for it as for any other, and a launch does
/// nothing. It measures the middle alone, and shows that the middle assumes no machine.
std::unique_ptr<Backend> createNoneBackend();

} // namespace nereid::backend
