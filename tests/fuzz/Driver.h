// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program round a fuzzer (docs/fuzzing.md). Mutants are tried in a child process, many of them
// in each, so that one that ends it by a signal, or never ends, is named, kept in a file, and the
// run goes on with the next one.
#pragma once

#include "Kind.h"

#include <span>

namespace nereid::fuzz {

/// NAME --kind KIND --seed N (--seconds S | --count N) [--first N] [--reproducers DIR]
/// NAME --kind KIND --input FILE
/// A program with one kind needs no --kind. The exit code is 0 if there was no fault, and there
/// were both mutants that were accepted and some that were refused.
int runFuzzer(int argc, char **argv, std::span<const KindRow> kinds);

} // namespace nereid::fuzz
