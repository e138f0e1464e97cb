// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs random kernels on the interpreter and on the compiled CPU back end and holds their results
// against each other.
//
//   generate_kernels --seed 1 --seconds 3600            the long run: as many as fit into an hour
//   generate_kernels --seed 1 --count 500               what `make test` does
//   generate_kernels --seed 1 --first 42 --count 1 --print
//
// Kernels are source text, so that the whole way from the parser to machine code is walked. Each
// runs on the device "check", which must find nothing to report, and on "cpu" with one thread and
// two.
//
// What must be equal: integers exactly. Floats bit by bit too, except that a NaN equals any other:
// + - * / %, sqrt, ceil, floor, casts, minimum, maximum and comparisons round in one way only, and
// products are never fused into sums. Where the order of a sum is open (sum, dot), the numbers
// added lie on a grid, multiples of 2^-f of bounded size, so that every order gives the exact sum.
// Functions like exp may differ in the last bits; their results go only through multiplications,
// selections and shapes into arrays of their own, and are compared with a tolerance.
#include "Differential.h"
#include "Generator.h"
#include "Shrink.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace nereid::generate;

namespace {

struct Options {
  uint64_t seed = 1;
  int64_t first = 0, count = 500;
  int64_t seconds = 0;  // 0: as many as `count` says
  unsigned threads = 0; // 0: one a core
  bool printsAll = false, keepsGoing = false;
};
Options options;

/// The kernels being tested, for the case that one ends the whole process.
constexpr unsigned mostThreads = 64;
std::atomic<int64_t> current[mostThreads];

void reportCrash(int signal) {
  char line[128];
  for (std::atomic<int64_t> &index : current) {
    if (index < 0)
      continue;
    int length = std::snprintf(
        line, sizeof line,
        "crashed during: generate_kernels --seed %llu --first %lld --count 1 --print\n",
        static_cast<unsigned long long>(options.seed), static_cast<long long>(index.load()));
    if (write(STDERR_FILENO, line, static_cast<size_t>(length)) < 0)
      break;
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

class Run {
public:
  int all();

private:
  void work(unsigned worker);
  void test(const Differential &differential, int64_t index);
  void report(int64_t index, const Kernel &original, const Kernel &shrunk, const Outcome &outcome);
  bool isOver(int64_t index) const;
  void showProgress(bool isEnd);

  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  std::atomic<int64_t> next{options.first}, tested = 0, failures = 0;
  std::mutex output;
};

bool Run::isOver(int64_t index) const {
  if (failures && !options.keepsGoing)
    return true;
  if (options.seconds > 0)
    return Clock::now() - start > std::chrono::seconds(options.seconds);
  return index >= options.first + options.count;
}

Kernel kernelOf(int64_t index) {
  Random mixer(options.seed * 0x2545f4914f6cdd1d + static_cast<uint64_t>(index));
  return Generator(mixer.next()).generate();
}

void Run::report(int64_t index, const Kernel &original, const Kernel &shrunk,
                 const Outcome &outcome) {
  std::lock_guard lock(output);
  std::string source = original.source();
  std::printf("FAILED: kernel %lld of seed %llu: %s\n%s\n%s\n", static_cast<long long>(index),
              static_cast<unsigned long long>(options.seed), outcome.details.c_str(),
              shrunk.source().c_str(), shrunk.launch().c_str());
  std::printf("(shrunk; before, it had %zu lines)\n",
              static_cast<size_t>(std::ranges::count(source, '\n')));
  std::printf("again: generate_kernels --seed %llu --first %lld --count 1 --print\n\n",
              static_cast<unsigned long long>(options.seed), static_cast<long long>(index));
  std::fflush(stdout);
}

void Run::test(const Differential &differential, int64_t index) {
  Kernel kernel = kernelOf(index);
  if (options.printsAll) {
    std::lock_guard lock(output);
    std::printf("# kernel %lld\n%s\n%s\n", static_cast<long long>(index), kernel.source().c_str(),
                kernel.launch().c_str());
    std::fflush(stdout);
  }
  Outcome outcome = differential.run(kernel);
  ++tested;
  if (outcome.failure.empty())
    return;
  ++failures;
  Kernel shrunk = shrink(kernel, [&](const Kernel &candidate) {
    return differential.run(candidate).failure == outcome.failure;
  });
  report(index, kernel, shrunk, differential.run(shrunk));
}

void Run::showProgress(bool isEnd) {
  if (!isatty(STDERR_FILENO))
    return;
  auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start);
  std::fprintf(stderr, "\r%lld kernels, %lld failures, %lld s%s", static_cast<long long>(tested),
               static_cast<long long>(failures), static_cast<long long>(passed.count()),
               isEnd ? "\n" : "");
}

void Run::work(unsigned worker) {
  Differential differential;
  for (;;) {
    int64_t index = next++;
    if (isOver(index))
      break;
    current[worker] = index;
    test(differential, index);
    if (worker == 0)
      showProgress(false);
  }
  current[worker] = -1;
}

int Run::all() {
  for (std::atomic<int64_t> &index : current)
    index = -1;
  unsigned number =
      options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::min(number, mostThreads); ++i)
    workers.emplace_back([this, i] { work(i); });
  for (std::thread &worker : workers)
    worker.join();
  showProgress(true);
  std::printf("%lld kernels, %lld failures\n", static_cast<long long>(tested),
              static_cast<long long>(failures));
  return failures ? 1 : 0;
}

constexpr const char *usage = "usage: generate_kernels [--seed N] [--first N] [--count N | "
                              "--seconds N] [--threads N] [--print]\n"
                              "                        [--keep-going]\n";

/// False if the command line is not understood.
bool readOptions(int argc, char **argv) {
  const option known[] = {
      {"seed", required_argument, nullptr, 's'},    {"first", required_argument, nullptr, 'f'},
      {"count", required_argument, nullptr, 'c'},   {"seconds", required_argument, nullptr, 'n'},
      {"threads", required_argument, nullptr, 't'}, {"print", no_argument, nullptr, 'p'},
      {"keep-going", no_argument, nullptr, 'k'},    {}};
  for (int letter; (letter = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    char *end = nullptr;
    uint64_t number = optarg ? std::strtoull(optarg, &end, 10) : 0;
    if (optarg && (end == optarg || *end))
      return false;
    switch (letter) {
    case 's':
      options.seed = number;
      break;
    case 'f':
      options.first = static_cast<int64_t>(number);
      break;
    case 'c':
      options.count = static_cast<int64_t>(number);
      break;
    case 'n':
      options.seconds = static_cast<int64_t>(number);
      break;
    case 't':
      options.threads = static_cast<unsigned>(number);
      break;
    case 'p':
      options.printsAll = true;
      break;
    case 'k':
      options.keepsGoing = true;
      break;
    default:
      return false;
    }
  }
  return optind == argc;
}

} // namespace

int main(int argc, char **argv) {
  if (!readOptions(argc, argv)) {
    std::fputs(usage, stderr);
    return 2;
  }
  for (int signal : {SIGSEGV, SIGABRT, SIGILL, SIGFPE, SIGBUS})
    std::signal(signal, reportCrash);
  try {
    return Run().all();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "generate_kernels: %s\n", error.what());
    return 2;
  }
}
