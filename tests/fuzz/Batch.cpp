// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Batch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace nereid::fuzz {
namespace {

/// What no mutant needs: an array of more is refused, not made.
constexpr rlim_t mostMemory = rlim_t(3) << 30;

/// How a child ends, if nothing else ends it.
enum Status { Finished = 40, Failed = 41 };

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void failOnSystem(const char *what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string endOfFile(int file, off_t most = 2000) {
  off_t size = lseek(file, 0, SEEK_END), begin = std::max<off_t>(0, size - most);
  std::string text(static_cast<size_t>(size - begin), '\0');
  ssize_t count = pread(file, text.data(), text.size(), begin);
  text.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  return text.empty() || text.ends_with('\n') ? text : text + '\n';
}

/// What a child that ended has to say, if it is a fault.
std::string faultOf(int status, const char *told) {
  if (*told)
    return told;
  if (WIFSIGNALED(status))
    return "ended the process by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != Finished)
    return "ended the process with status " + std::to_string(WEXITSTATUS(status));
  return "";
}

} // namespace

/// What parent and child both see.
struct Batch::Shared {
  std::atomic<uint64_t> mutant, accepted, refused, slowest;
  std::atomic<double> begun, slowestSeconds;
  size_t inputBytes;
  char fault[4000];
  char input[Kind::mostBytes];
};

/// Whether the next one may be tried.
bool Batch::tryMutant(Kind &kind, uint64_t mutant, Shared &shared) {
  Random random(seed, mutant);
  shared.begun = now();
  shared.mutant = mutant;
  shared.inputBytes = 0;
  auto setFault = [&](const std::string &text) {
    std::strncpy(shared.fault, text.c_str(), sizeof(shared.fault) - 1);
    return false;
  };
  try {
    std::string input = kind.make(random);
    shared.inputBytes = std::min(input.size(), Kind::mostBytes);
    std::memcpy(shared.input, input.data(), shared.inputBytes);
    ++(kind.attempt(input) == Outcome::Accepted ? shared.accepted : shared.refused);
  } catch (const std::exception &error) {
    return setFault(std::string("is a fault: ") + error.what());
  } catch (...) {
    return setFault("is a fault: an exception of an unknown type");
  }
  double took = now() - shared.begun;
  if (took > shared.slowestSeconds) {
    shared.slowestSeconds = took;
    shared.slowest = mutant;
  }
  return true;
}

void Batch::runChild(Shared &shared, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit memory{mostMemory, mostMemory}, core{0, 0};
#if !__has_feature(address_sanitizer) // which reserves far more than it uses
  setrlimit(RLIMIT_AS, &memory);
#endif
  setrlimit(RLIMIT_CORE, &core);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  setenv("NEREID_CACHE", "off", 1);
  double until = now() + seconds;
  bool isSound = true;
  uint64_t mutant = first;
  try {
    // Goes before the process does: kinds keep directories and servers.
    std::unique_ptr<Kind> made = kind.make();
    for (; isSound && mutant < end && now() < until; ++mutant)
      isSound = tryMutant(*made, mutant, shared);
  } catch (const std::exception &error) {
    std::strncpy(shared.fault, error.what(), sizeof(shared.fault) - 1);
    isSound = false;
  }
  if (isSound)
    shared.mutant = mutant;
  std::fflush(stdout);
  std::_Exit(isSound ? Finished : Failed);
}

BatchResult Batch::run() {
  void *memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int output = memfd_create("output", MFD_CLOEXEC);
  if (memory == MAP_FAILED || output < 0)
    failOnSystem("memory that is shared with a child");
  Shared &shared = *new (memory) Shared{};
  shared.mutant = first;
  shared.begun = now();
  std::fflush(stdout);
  pid_t child = fork();
  if (child < 0)
    failOnSystem("fork");
  if (child == 0)
    runChild(shared, output);

  BatchResult result;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (now() - shared.begun > mostSeconds) {
      result.fault = "takes longer than 10 s";
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (result.fault.empty())
    result.fault = faultOf(status, shared.fault);
  result.accepted = shared.accepted;
  result.refused = shared.refused;
  result.next = shared.mutant;
  result.slowest = shared.slowest;
  result.slowestSeconds = shared.slowestSeconds;
  if (!result.fault.empty()) {
    result.input.assign(shared.input, shared.inputBytes);
    result.printed = endOfFile(output);
  }
  close(output);
  munmap(memory, sizeof(Shared));
  return result;
}

} // namespace nereid::fuzz
