// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Driver.h"

#include "Batch.h"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

namespace nereid::fuzz {
namespace {

struct Options {
  std::string kind, input;
  uint64_t seed = 1, first = 0, count = std::numeric_limits<uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
  std::filesystem::path reproducers = ".";
};

/// Nothing if an argument is not understood.
std::optional<Options> readOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (value.empty())
      return std::nullopt;
    if (name == "--kind")
      options.kind = value;
    else if (name == "--input")
      options.input = value;
    else if (name == "--seed")
      options.seed = std::stoull(value);
    else if (name == "--first")
      options.first = std::stoull(value);
    else if (name == "--count")
      options.count = std::stoull(value);
    else if (name == "--seconds")
      options.seconds = std::stod(value);
    else if (name == "--reproducers")
      options.reproducers = value;
    else
      return std::nullopt;
  }
  bool isBounded = options.seconds < std::numeric_limits<double>::infinity() ||
                   options.count < std::numeric_limits<uint64_t>::max() || !options.input.empty();
  return isBounded ? std::optional(options) : std::nullopt;
}

int explainUsage(const char *program, std::span<const KindRow> kinds) {
  std::fprintf(stderr,
               "%s [--kind KIND] [--seed N] (--seconds S | --count N) [--first N] [--reproducers "
               "DIR]\n%s [--kind KIND] --input FILE\n",
               program, program);
  for (const KindRow &kind : kinds)
    std::fprintf(stderr, "  %-11s %s\n", kind.name, kind.meaning);
  return 2;
}

const KindRow *findKind(const std::string &name, std::span<const KindRow> kinds) {
  if (name.empty() && kinds.size() == 1)
    return &kinds[0];
  for (const KindRow &kind : kinds)
    if (kind.name == name)
      return &kind;
  return nullptr;
}

/// What every run counts.
class Run {
public:
  Run(const KindRow &kind, const Options &options) : kind(kind), options(options) {}

  int run() {
    auto start = std::chrono::steady_clock::now();
    std::chrono::duration<double> elapsed(0);
    uint64_t next = options.first, end = options.first + std::min(options.count, ~options.first);
    for (; next < end && elapsed.count() < options.seconds && faults < mostFaults;
         elapsed = std::chrono::steady_clock::now() - start) {
      Batch batch(kind, options.seed, next, std::min(end, next + mutantsInBatch),
                  options.seconds - elapsed.count());
      BatchResult result = batch.run();
      accepted += result.accepted;
      refused += result.refused;
      if (result.slowestSeconds > slowestSeconds) {
        slowestSeconds = result.slowestSeconds;
        slowest = result.slowest;
      }
      next = result.next;
      if (!result.fault.empty())
        report(next++, result);
    }
    std::printf("%s: seed %" PRIu64 ", %" PRIu64 " mutants in %.0f s: %" PRIu64
                " accepted, %" PRIu64 " refused, %" PRIu64 " faults; the slowest, %" PRIu64
                ", took %.2f s\n",
                kind.name, options.seed, accepted + refused + faults, elapsed.count(), accepted,
                refused, faults, slowest, slowestSeconds);
    return faults || !accepted || !refused ? 1 : 0;
  }

  int replay() {
    std::ifstream file(options.input, std::ios::binary);
    std::string input{std::istreambuf_iterator<char>(file), {}};
    if (!file)
      return std::fprintf(stderr, "cannot read %s\n", options.input.c_str()), 2;
    Outcome outcome = kind.make()->attempt(input);
    std::printf("%s: %s\n", options.input.c_str(),
                outcome == Outcome::Accepted ? "accepted" : "refused");
    return 0;
  }

private:
  static constexpr uint64_t mutantsInBatch = 5000;
  static constexpr uint64_t mostFaults = 20;

  void report(uint64_t mutant, const BatchResult &result) {
    ++faults;
    std::filesystem::path path =
        options.reproducers / ("fault-" + std::string(kind.name) + '-' +
                               std::to_string(options.seed) + '-' + std::to_string(mutant));
    std::ofstream(path, std::ios::binary) << result.input;
    std::printf("%s: mutant %" PRIu64 " %s\n  again: --kind %s --input %s\n%s", kind.name, mutant,
                result.fault.c_str(), kind.name, path.c_str(), result.printed.c_str());
    std::fflush(stdout);
  }

  const KindRow &kind;
  const Options &options;
  uint64_t accepted = 0, refused = 0, faults = 0, slowest = 0;
  double slowestSeconds = 0;
};

} // namespace

int runFuzzer(int argc, char **argv, std::span<const KindRow> kinds) {
  std::optional<Options> options = readOptions(argc, argv);
  const KindRow *kind = options ? findKind(options->kind, kinds) : nullptr;
  if (!kind)
    return explainUsage(argv[0], kinds);
  Run run(*kind, *options);
  return options->input.empty() ? run.run() : run.replay();
}

} // namespace nereid::fuzz
