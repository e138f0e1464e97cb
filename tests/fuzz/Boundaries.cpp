// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever comes from outside ends as a result or as an Error: docs/fuzzing.md.
#include "Driver.h"
#include "Kinds.h"

int main(int argc, char **argv) {
  using namespace nereid::fuzz;
  constexpr KindRow kinds[] = {
      {"signatures", "signatures, definitions, grids, stages and options to compile",
       signatureKind},
      {"commands", "whole command lines", commandKind},
      {"values", "arguments as the command line reads them, .npy files among them", valueKind},
      {"launches", "arrays, descriptors and arguments of the C++ interface", launchKind},
      {"assembly", "inline assembly: PTX and x86", assemblyKind},
      {"cache", "the cache's directory", cacheKind},
      {"records", "tuning records in files", recordKind},
      {"artifacts", "compiled kernels in files", artifactKind},
      {"redis", "what a Redis server answers", redisKind},
      {"calls", "sequences of calls of the C interface", callKind},
  };
  return runFuzzer(argc, argv, kinds);
}
