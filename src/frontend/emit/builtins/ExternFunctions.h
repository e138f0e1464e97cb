// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are marked core.extern or core.builtin, and what upstream's compiler hands them.
#pragma once

#include "frontend/emit/Emitter.h"

namespace nereid::emit {

/// What extern functions get as `_semantic`: the class of that name, which can be handed on.
constexpr std::string_view upstreamBuilder = "upstream Triton's builder";
/// What its `builder.options` are.
constexpr std::string_view upstreamOptions = "upstream Triton's options";
/// Of both what has a meaning here: a barrier, which machine is compiled for, how many warps.
std::optional<Value> builderAttribute(Emitter &emitter, const ClassReference &object,
                                      std::string_view name);
/// Whether an extern function's parameter is that.
bool isBuilderName(std::string_view parameter);
/// Takes it away from arguments by name of what is no extern function.
void dropBuilder(const Value &callee, std::vector<Emitter::CallArgument> &arguments);

} // namespace nereid::emit
