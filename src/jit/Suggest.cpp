// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Suggest.h"

#include "support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid::jit {

std::string suggest(std::string_view name, const std::vector<std::string> &candidates,
                    std::string_view plural, std::string_view singular) {
  if (std::string closest = closestName(name, candidates); !closest.empty())
    return "did you mean '" + closest + "'?";
  if (candidates.empty())
    return "there are no " + std::string(plural);
  std::string_view noun = candidates.size() == 1 ? singular : plural;
  return "the " + std::string(noun) + (candidates.size() == 1 ? " is " : " are ") +
         llvm::join(candidates, ", ");
}

} // namespace nereid::jit
