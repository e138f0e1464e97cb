// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/Tuning.h"

#include "backend/Backend.h"
#include "nereid/host.h"
#include "support/EnvironmentVariables.h"
#include "target/NvidiaTarget.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <bit>
#include <string>

namespace nereid::jit {

void requireTuning(const Tuning &tuning) {
  constexpr unsigned mostWarps = 32, lanes = 32;
  if (tuning.warps && !std::has_single_bit(tuning.warps))
    throw Error(Error::Kind::Usage,
                std::to_string(tuning.warps) + " warps: a power of two from 1 to 32 is accepted");
  if (tuning.warps > mostWarps)
    throw Error(Error::Kind::Environment, "a program of " + std::to_string(tuning.warps) +
                                              " warps needs blocks of " +
                                              std::to_string(tuning.warps * lanes) +
                                              " threads; a GPU has 1024 at most (32 warps)");
  if (tuning.pipelineStages > 16)
    throw Error(Error::Kind::Usage, std::to_string(tuning.pipelineStages) +
                                        " stages of a pipeline: 1 to 16 are accepted");
  if (tuning.maxRegisters && tuning.maxRegisters < 16)
    throw Error(Error::Kind::Usage, std::to_string(tuning.maxRegisters) +
                                        " registers of a thread: 16 and more are accepted");
}

Tuning tuningFor(const ast::Function &kernel, const Tuning &given) {
  requireTuning(given);
  Tuning tuning = given;
  tuning.maxRegisters = std::min(given.maxRegisters, target::mostRegistersPerThread());
  constexpr int64_t mostThreads = 1024, mostAlongZ = 64;
  const auto &[x, y, z, sharedBytes] = tuning.block;
  bool isGiven = x != 0;
  std::string name = "kernel '" + kernel.name + "'";
  if (!kernel.isOfThreads && isGiven)
    throw Error(Error::Kind::Usage,
                name + " is one of tiles, which has no block; a kernel of threads (@cuda.jit) has");
  if (!kernel.isOfThreads)
    return {tuning.warps, tuning.pipelineStages, tuning.maxRegisters, {}, tuning.isBrief};
  if (!isGiven)
    throw Error(Error::Kind::Usage, name + " says what one thread does: a launch needs a block, "
                                           "the number of threads along x, y and z");
  std::string text = "a block of " + std::to_string(x) + " x " + std::to_string(y) + " x " +
                     std::to_string(z) + " threads";
  if (x < 1 || y < 1 || z < 1)
    throw Error(Error::Kind::Usage, name + ": " + text + ": each extent is 1 or more");
  // One by one, so that no product overflows.
  if (x > mostThreads || y > mostThreads || z > mostAlongZ || x * y * z > mostThreads)
    throw Error(Error::Kind::Usage,
                name + ": " + text + ": 1024 in all are accepted, and 64 along z");
  if (sharedBytes < 0 || sharedBytes > target::mostSharedPerBlock())
    throw Error(Error::Kind::Usage, name + ": " + std::to_string(sharedBytes) +
                                        " bytes of shared memory for a block: 0 to " +
                                        std::to_string(target::mostSharedPerBlock()) +
                                        " are accepted");
  return tuning;
}

bool checksAsserts() {
  const char *text = readVariable(KnownVariable::TRITON_DEBUG);
  return text && meansYes(text);
}

std::vector<std::pair<std::string, unsigned>> policy() {
  std::vector<std::pair<std::string, unsigned>> choices;
  const char *said = readVariable(KnownVariable::NEREID_POLICY);
  if (!said)
    return choices;
  std::vector<backend::PolicyRow> rows;
  for (const backend::Backend *backend : backend::backends())
    llvm::append_range(rows, backend->policy());
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(said).split(words, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    auto [left, right] = word.split('=');
    std::string name = left.trim().str();
    unsigned value = 0;
    if (right.trim().getAsInteger(10, value))
      throw Error(Error::Kind::Usage,
                  "NEREID_POLICY: '" + word.str() + "' is not NAME=NUMBER, as delayed_rounds=3");
    if (std::string why = backend::whyNoChoice(rows, name, value); !why.empty())
      throw Error(Error::Kind::Usage, "NEREID_POLICY: " + why);
    choices.emplace_back(std::move(name), value);
  }
  return choices;
}

} // namespace nereid::jit
