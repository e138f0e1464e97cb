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

/// What a device found out about an artifact when it loaded it, and the cache is to know, too.
using KeepArtifact = std::function<void(const runtime::Artifact &artifact)>;
using LoadArtifact = std::function<std::unique_ptr<runtime::Executable>(
    const runtime::Artifact &artifact, const KeepArtifact &keep)>;

/// The kernel that `load` makes of what `cache` has for the request, or else of what is compiled,
/// which the cache then keeps. What the cache gives is used only if it is whole, answers this very
/// request and loads. An artifact that `load` gives to `keep` takes the place of the one that it
/// got. Without a cache (null) everything is compiled.
std::unique_ptr<runtime::Executable> compileOrFetch(const driver::KernelRequest &request,
                                                    const backend::CompileOptions &options,
                                                    const runtime::DiskCache *cache,
                                                    const LoadArtifact &load);

/// The same without loading: what `cache` has for the request, or else what is compiled.
runtime::Artifact compileOrFetch(const driver::KernelRequest &request,
                                 const backend::CompileOptions &options,
                                 const runtime::DiskCache *cache);

/// For launches of which nothing is known that code could take for granted: without boxes, and
/// without multiples, whoever asked for some.
backend::CompileOptions plainOptions(backend::CompileOptions options);

} // namespace nereid::jit
