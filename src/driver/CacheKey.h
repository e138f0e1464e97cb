// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/Compiler.h"

#include <string>
#include <string_view>

namespace nereid::driver {

/// Which build of the compiler this is: changes with any of its sources and with LLVM.
std::string_view buildId();

/// The specialization without what the target's code does not depend on.
sema::Specialization relevantPart(sema::Specialization specialization,
                                  const backend::CompileOptions &options);

/// A name for the text of a kernel and of all that it mentions, whatever it is compiled for.
/// `withPlaces`: and where it stands.
std::string sourceKey(const SourceModule &source, const ast::Function &function,
                      bool withPlaces = false);

/// A name for what compile() gives for this request, 64 hexadecimal digits: of the text of the
/// kernel and of all that it calls, the specialization, the options and the build. Two requests
/// with one key have one artifact, but for the path that it names. What else a file holds makes no
/// difference, nor where it lies, unless assertions are checked, which say where they stand.
std::string cacheKey(const KernelRequest &request, const backend::CompileOptions &options);

} // namespace nereid::driver
