// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a kernel that is right is not as fast as it might be, as far as the compiler knows: each
// place where it declined a better form, with the reason (docs/remarks.md).
//
//   nereid::CompileOptions options{.target = "sm_90a"};
//   for (const nereid::Remark &remark : nereid::remarks(kernel, signature, options))
//     std::cerr << remark.report;
#pragma once

#include "nereid/compile.h"

#include <string>
#include <vector>

namespace nereid {

/// Compiles and gives what the compiler remarks, in the order of the text. Nothing is taken from
/// the cache of compiled kernels, whose entries have no places. (CompileOptions::remarks has the
/// same of a compilation that is wanted for its code.)
NEREID_API std::vector<Remark> remarks(const Kernel &kernel, const Signature &signature,
                                       const CompileOptions &options = {});
/// The same for what a launch with these arguments is compiled for.
NEREID_API std::vector<Remark> remarksFor(const Kernel &kernel, const Arguments &arguments,
                                          const CompileOptions &options = {});

} // namespace nereid
