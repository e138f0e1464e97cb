// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/Artifact.h"

#include <memory>
#include <span>
#include <string>

namespace nereid::jit {

/// runtime::deserialize, with what is wrong as an Error(Environment): "NAME is truncated".
std::shared_ptr<const runtime::Artifact> readArtifact(std::span<const uint8_t> bytes,
                                                      const std::string &name);

} // namespace nereid::jit
