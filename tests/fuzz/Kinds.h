// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Kind.h"

namespace nereid::fuzz {

std::unique_ptr<Kind> artifactKind();
std::unique_ptr<Kind> assemblyKind();
std::unique_ptr<Kind> cacheKind();
std::unique_ptr<Kind> callKind();
std::unique_ptr<Kind> commandKind();
std::unique_ptr<Kind> launchKind();
std::unique_ptr<Kind> recordKind();
std::unique_ptr<Kind> redisKind();
std::unique_ptr<Kind> signatureKind();
std::unique_ptr<Kind> valueKind();

} // namespace nereid::fuzz
