// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/Compiler.h"
#include "nereid/nereid.h"
#include "runtime/DiskCache.h"
#include "runtime/Executable.h"

#include <functional>
#include <memory>
#include <optional>

namespace nereid::jit {

/// The cache that a device keeps its kernels in; none if it is switched off.
std::optional<runtime::DiskCache> openDiskCache(const DeviceOptions &options);

using LoadArtifact =
    std::function<std::unique_ptr<runtime::Executable>(const runtime::Artifact &artifact)>;

/// The kernel that `load` makes of what `cache` has for the request, or else of what is compiled,
/// which the cache then keeps. What the cache gives is used only if it is whole, answers this very
/// request and loads. Without a cache (null) everything is compiled.
std::unique_ptr<runtime::Executable> compileOrFetch(const driver::KernelRequest &request,
                                                    const backend::CompileOptions &options,
                                                    const runtime::DiskCache *cache,
                                                    const LoadArtifact &load);

} // namespace nereid::jit
