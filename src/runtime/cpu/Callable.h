// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What generated code may call: memory, printing, mathematics.
#pragma once

#include <cstdint>
#include <string>

namespace nereid::runtime::cpu {

/// The address of a function in this process: of the runtime, of libm ("expf") or of libmvec
/// ("_ZGVdN8v_expf"). Throws ArtifactError if there is none of that name.
uint64_t addressOfCallable(const std::string &symbol);

} // namespace nereid::runtime::cpu
