// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FaultReport.h"

#include "FormatText.h"

#include <atomic>
#include <cinttypes>
#include <unistd.h>

namespace nereid::command {
namespace {

// Written before a handler is there to read them.
std::string message;
std::atomic_flag isReported;

/// The signal comes again when this returns and then ends the process: the exit status and a core
/// dump are those of the fault. Only calls that POSIX lists as safe in a handler.
void reportFault(int signal, siginfo_t *info, void *) {
  if (isReported.test_and_set())
    while (true)
      pause(); // another thread is writing, and then the process ends
  bool isSentByOthers = info->si_code <= 0;
  if (!isSentByOthers)
    (void)!write(STDERR_FILENO, message.data(), message.size());
  struct sigaction byDefault = {};
  byDefault.sa_handler = SIG_DFL;
  sigaction(signal, &byDefault, nullptr);
  raise(signal);
}

} // namespace

FaultReport::FaultReport(const std::string &kernel, const std::string &file, Grid grid) {
  message = formatText("error: kernel '%s' of %s, run on a grid of (%" PRId64 ", %" PRId64
                       ", %" PRId64 "), accessed memory that is not there\n"
                       "note: --device check names the line, the array and the index\n",
                       kernel.c_str(), file.c_str(), grid.x, grid.y, grid.z);
  message = printable(message);
  struct sigaction report = {};
  report.sa_sigaction = reportFault;
  report.sa_flags = SA_SIGINFO;
  for (size_t i = 0; i < std::size(faults); ++i)
    sigaction(faults[i], &report, &previous[i]);
}

FaultReport::~FaultReport() {
  for (size_t i = 0; i < std::size(faults); ++i)
    sigaction(faults[i], &previous[i], nullptr);
}

} // namespace nereid::command
