// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run.h"

#include "Differential.h"
#include "Generator.h"
#include "Shrink.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace nereid::generate {
namespace {

constexpr size_t mostJobs = 256, mostListed = 1000;
/// A kernel that takes longer has hung.
constexpr std::chrono::seconds longestKernel(300);
/// Seconds; a smaller kernel that takes longer has lost its own loop's end.
constexpr unsigned longestShrinkStep = 30;
/// A process makes way for a fresh one after as many kernels, so that none grows for hours.
constexpr int64_t kernelsPerProcess = 5000;

using Clock = std::chrono::steady_clock;

/// What a process is doing.
struct Desk {
  std::atomic<int64_t> kernel; // -1: none
  std::atomic<Clock::rep> since;
};

/// What all processes know, in memory that they share.
struct Board {
  std::atomic<int64_t> next, tested, leftOut, failures;
  std::atomic<int64_t> failed[mostListed]; // the kernels, in the order in which they failed
  Desk desks[mostJobs];
};

/// Lets one process print at a time, and whatever happens to it, the next one afterwards.
class PrintLock {
public:
  PrintLock() : file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)) { flock(file, LOCK_EX); }
  ~PrintLock() { close(file); }
  PrintLock(const PrintLock &) = delete;
  PrintLock &operator=(const PrintLock &) = delete;

private:
  int file;
};

void print(const std::string &text) {
  PrintLock lock;
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

class Run {
public:
  explicit Run(const Options &options);
  int all();

private:
  Kernel kernelOf(int64_t index) const;
  bool isOver(int64_t index) const;

  // In a process of its own:
  void work(Desk &desk);
  void test(const Differential &differential, int64_t index);
  Outcome runIsolated(const Kernel &kernel) const;
  void shrinkCrash(int64_t index, int signal);

  // In the first process:
  template <typename Work> pid_t fork(const Work &work);
  void supervise(size_t job, int status);
  void stopHung();
  void showProgress(bool isEnd) const;
  void summarise() const;
  double secondsPassed() const;

  /// Counts the failure. Whether it is early enough to be made smaller.
  bool enlist(int64_t index);
  std::string again(int64_t index) const;
  void report(int64_t index, const Outcome &outcome, const Kernel &kernel,
              size_t linesBefore) const;

  const Options &options;
  Clock::time_point start = Clock::now();
  Board *board;
  std::vector<pid_t> processes;
};

Run::Run(const Options &options) : options(options) {
  void *shared =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    throw std::bad_alloc();
  board = new (shared) Board();
  board->next = options.first;
  for (Desk &desk : board->desks)
    desk.kernel = -1;
}

Kernel Run::kernelOf(int64_t index) const {
  Random mixer(options.seed * 0x2545f4914f6cdd1d + static_cast<uint64_t>(index));
  return Generator(mixer.next()).generate();
}

bool Run::isOver(int64_t index) const {
  if (board->failures && !options.keepsGoing)
    return true;
  if (options.seconds > 0)
    return Clock::now() - start > std::chrono::seconds(options.seconds);
  return index >= options.first + options.count;
}

std::string Run::again(int64_t index) const {
  std::string names = llvm::join(options.cpus, ",");
  std::string where = !options.gpu.empty() ? "--gpu " + options.gpu + " "
                      : names.empty()      ? ""
                                           : "--cpu " + names + " ";
  return llvm::formatv("generate_kernels {0}--seed {1} --first {2} --count 1 --print", where,
                       options.seed, index);
}

bool Run::enlist(int64_t index) {
  auto number = static_cast<size_t>(board->failures++);
  if (number < mostListed)
    board->failed[number] = index;
  return static_cast<int64_t>(number) < options.shrunk;
}

void Run::report(int64_t index, const Outcome &outcome, const Kernel &kernel,
                 size_t linesBefore) const {
  print(llvm::formatv("FAILED: kernel {0} of seed {1}: {2}\n{3}\n{4}\n(shrunk; before, it had {5} "
                      "lines)\nagain: {6}\n\n",
                      index, options.seed, outcome.details, kernel.source(), kernel.launch(),
                      linesBefore, again(index)));
}

static size_t lines(const Kernel &kernel) {
  return static_cast<size_t>(std::ranges::count(kernel.source(), '\n'));
}

void Run::test(const Differential &differential, int64_t index) {
  Kernel kernel = kernelOf(index);
  if (options.printsAll)
    print(llvm::formatv("# kernel {0}\n{1}\n{2}\n", index, kernel.source(), kernel.launch()));
  if (differential.isLeftOut(kernel)) {
    ++board->leftOut;
    return;
  }
  Outcome outcome = differential.run(kernel);
  ++board->tested;
  if (outcome.failure.empty())
    return;
  if (!enlist(index))
    return print("FAILED: " + again(index) + ": " + outcome.details + "\n");
  if (!differential.isUsable()) // nor could smaller ones be tried
    return report(index, outcome, kernel, lines(kernel));
  Kernel shrunk = shrink(kernel, [&](const Kernel &candidate) {
    return differential.run(candidate).failure == outcome.failure;
  });
  report(index, differential.run(shrunk), shrunk, lines(kernel));
}

void Run::work(Desk &desk) {
  Differential differential(options);
  for (int64_t done = 0; done < kernelsPerProcess; ++done) {
    int64_t index = board->next++;
    if (isOver(index))
      return;
    desk.since = Clock::now().time_since_epoch().count();
    desk.kernel = index;
    int64_t failuresBefore = board->failures;
    test(differential, index);
    desk.kernel = -1;
    if (board->failures != failuresBefore && !differential.isUsable())
      return; // for a process that has its GPU still
  }
}

template <typename Work> pid_t Run::fork(const Work &work) {
  std::fflush(nullptr);
  pid_t process = ::fork();
  if (process != 0)
    return process;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int code = 0;
  try {
    work();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "generate_kernels: %s\n", error.what());
    code = 2;
  }
  std::fflush(nullptr);
  _exit(code);
}

/// Runs the kernel where it can do no harm; a signal that ended it is the outcome.
Outcome Run::runIsolated(const Kernel &kernel) const {
  std::fflush(nullptr);
  pid_t process = ::fork();
  if (process == 0) {
    alarm(longestShrinkStep);
    Differential(options).run(kernel);
    _exit(0);
  }
  int status = 0;
  waitpid(process, &status, 0);
  if (!WIFSIGNALED(status))
    return {};
  std::string name = strsignal(WTERMSIG(status));
  return {name, "crashed: " + name + "\n"};
}

/// Makes a kernel smaller that ended a process, and reports it.
void Run::shrinkCrash(int64_t index, int signal) {
  Kernel kernel = kernelOf(index);
  std::string name = strsignal(signal);
  Kernel shrunk = shrink(
      kernel, [&](const Kernel &candidate) { return runIsolated(candidate).failure == name; });
  report(index, {name, "crashed: " + name + "\n"}, shrunk, lines(kernel));
}

/// After the end of a process: reports its kernel if that was the reason, and puts another in its
/// place if there is more to do.
void Run::supervise(size_t job, int status) {
  Desk &desk = board->desks[job];
  int64_t index = desk.kernel.exchange(-1);
  processes[job] = 0;
  if (index >= 0) {
    bool isKilled = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    ++board->tested;
    if (WIFSIGNALED(status) && !isKilled && enlist(index)) {
      processes[job] = fork([&] { shrinkCrash(index, WTERMSIG(status)); });
      return;
    }
    if (isKilled)
      enlist(index);
    print("FAILED: " + again(index) + (isKilled ? ": hung or was killed\n" : ": crashed\n"));
  } else if (status != 0) {
    return; // it cannot even begin
  }
  if (!isOver(board->next))
    processes[job] = fork([&] { work(desk); });
}

void Run::stopHung() {
  for (size_t job = 0; job < processes.size(); ++job) {
    Clock::time_point since{Clock::duration(board->desks[job].since.load())};
    if (board->desks[job].kernel >= 0 && Clock::now() - since > longestKernel)
      kill(processes[job], SIGKILL);
  }
}

double Run::secondsPassed() const {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void Run::showProgress(bool isEnd) const {
  if (!isatty(STDERR_FILENO))
    return;
  std::fprintf(stderr, "\r%lld kernels, %lld failures, %.0f s%s",
               static_cast<long long>(board->tested), static_cast<long long>(board->failures),
               secondsPassed(), isEnd ? "\n" : "");
}

void Run::summarise() const {
  int64_t failures = board->failures;
  if (board->leftOut)
    print(llvm::formatv("{0} kernels that multiply tiles are left out\n", board->leftOut.load()));
  double seconds = secondsPassed();
  print(llvm::formatv("{0} kernels of seed {1} in {2:f0} s, {3:f1} a second in {4} processes: {5} "
                      "failures\n",
                      board->tested.load(), options.seed, seconds,
                      static_cast<double>(board->tested) / seconds, processes.size(), failures));
  std::vector<int64_t> failed(board->failed,
                              board->failed + std::min<int64_t>(failures, mostListed));
  std::ranges::sort(failed);
  for (int64_t index : failed)
    print("  " + again(index) + "\n");
}

int Run::all() {
  size_t jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  processes.resize(std::min(jobs, mostJobs));
  for (size_t job = 0; job < processes.size(); ++job)
    processes[job] = fork([&] { work(board->desks[job]); });
  bool isBroken = false;
  while (std::ranges::any_of(processes, [](pid_t process) { return process > 0; })) {
    int status = 0;
    pid_t ended = waitpid(-1, &status, WNOHANG);
    if (auto found = std::ranges::find(processes, ended); ended > 0 && found != processes.end()) {
      isBroken |= WIFEXITED(status) && WEXITSTATUS(status) != 0;
      supervise(static_cast<size_t>(found - processes.begin()), status);
      continue;
    }
    stopHung();
    showProgress(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  showProgress(true);
  summarise();
  return isBroken ? 2 : board->failures ? 1 : 0;
}

} // namespace

int runKernels(const Options &options) { return Run(options).all(); }

} // namespace nereid::generate
