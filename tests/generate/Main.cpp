// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs random kernels on the interpreter and on the compiled CPU back end and holds their results
// against each other.
//
//   generate_kernels --seed 1 --seconds 3600 --keep-going    the long run: all that fit
//   generate_kernels --seed 1 --count 1000                   what `make test` does
//   generate_kernels --seed 1 --first 42 --count 1 --print
//
// Kernels are source text, so that the whole way from the parser to machine code is walked. Each
// runs on the device "check", which must find nothing to report, and on "cpu" with one thread and
// two, for every CPU that --cpu names, or on the GPU that --gpu names ("cuda"; Differential.h says
// what differs there). With --brief CPUs run what is compiled quickly, of kernels that have little
// to do. Arrays lie between guards, which nothing may write.
//
// What must be equal: integers exactly. Floats bit by bit too, except that a NaN equals any other:
// + - * / %, sqrt, ceil, floor, casts, minimum, maximum and comparisons round in one way only, and
// products are never fused into sums. Where the order of a sum is open (sum, dot), the numbers
// added lie on a grid, multiples of 2^-f of bounded size, so that every order gives the exact sum.
// Functions like exp may differ in the last bits of the type that they compute in; their results go
// only through multiplications, selections and shapes into arrays of their own.
// Programs that hand data to one another compute what does not depend on the order in which they
// come (Handover.cpp).
#include "Run.h"

#include "nereid/nereid.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <getopt.h>
#include <ranges>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

using namespace nereid::generate;

namespace {

constexpr const char *usage = "usage: generate_kernels [--seed N] [--first N] [--count N | "
                              "--seconds N] [--jobs N] [--print]\n"
                              "                        [--keep-going] [--shrink N] [--cpu "
                              "NAME[,NAME...] [--brief] | --gpu DEVICE]\n";

/// The names between commas.
std::vector<std::string> namesIn(std::string_view text) {
  std::vector<std::string> names;
  for (auto part : std::views::split(text, ','))
    names.emplace_back(part.begin(), part.end());
  return names;
}

/// False if the command line is not understood.
bool readOptions(int argc, char **argv, Options &options) {
  const option known[] = {
      {"seed", required_argument, nullptr, 's'},  {"first", required_argument, nullptr, 'f'},
      {"count", required_argument, nullptr, 'c'}, {"seconds", required_argument, nullptr, 'n'},
      {"jobs", required_argument, nullptr, 'j'},  {"print", no_argument, nullptr, 'p'},
      {"keep-going", no_argument, nullptr, 'k'},  {"shrink", required_argument, nullptr, 'm'},
      {"brief", no_argument, nullptr, 'b'},       {"cpu", required_argument, nullptr, 'u'},
      {"gpu", required_argument, nullptr, 'g'},   {}};
  for (int letter; (letter = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    if (letter == 'u') {
      options.cpus = namesIn(optarg);
      continue;
    }
    if (letter == 'g') {
      options.gpu = optarg;
      continue;
    }
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
    case 'j':
      options.jobs = static_cast<unsigned>(number);
      break;
    case 'p':
      options.printsAll = true;
      break;
    case 'k':
      options.keepsGoing = true;
      break;
    case 'b':
      options.isBrief = true;
      break;
    case 'm':
      options.shrunk = static_cast<int64_t>(number);
      break;
    default:
      return false;
    }
  }
  return optind == argc && !(options.isBrief && !options.gpu.empty());
}

/// Tries it in a process of its own: a driver that was opened does not survive a fork, and the
/// kernels run in processes that are forked.
bool canOpen(const std::string &device) {
  pid_t child = fork();
  if (child == 0) {
    int code = 0;
    try {
      nereid::Device::open(device);
    } catch (const std::exception &error) {
      std::fprintf(stderr, "generate_kernels: %s\n", error.what());
      code = 2;
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!readOptions(argc, argv, options)) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    if (!options.gpu.empty() && !canOpen(options.gpu))
      return 2;
    for (const std::string &cpu : options.gpu.empty() ? options.cpus : std::vector<std::string>())
      nereid::Device::open("cpu", {1, cpu}); // before many processes say that they cannot
    return runKernels(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "generate_kernels: %s\n", error.what());
    return 2;
  }
}
