// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/none/NoneBackend.h"

namespace nereid::backend {

const Backend noneBackend = {
    "none",
    {},
    /*readsDivisibility=*/true,
    /*readsTuning=*/false,
    /*readsBrevity=*/false,
    /*policy=*/[] { return std::vector<PolicyRow>(); },
    /*passes=*/[] { return std::vector<std::string>(); },
    [](const CompileOptions &) { return std::string("none"); },
    [](tile::Kernel, const CompileOptions &, Dump &) { return runtime::Artifact(); },
};

} // namespace nereid::backend
