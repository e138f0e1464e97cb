// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are marked core.extern or core.builtin, and what upstream's compiler hands them.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit {

/// What extern functions get as `_semantic`: the class of that name, which can be handed on.
constexpr std::string_view upstreamBuilder = "upstream Triton's builder";
/// Whether an extern function's parameter is that.
bool isBuilderName(std::string_view parameter);
/// Takes it away from arguments by name of what is no extern function.
void dropBuilder(const Value &callee, std::vector<Emitter::CallArgument> &arguments);

} // namespace nereid::emit
