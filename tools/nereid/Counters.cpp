// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Counters.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace nereid::command {
namespace {

/// The file of a counter, or -errno.
int openCounter(uint32_t type, uint64_t config) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = type;
  attributes.config = config;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1; // which more systems permit
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  const long file = syscall(SYS_perf_event_open, &attributes, /*pid=*/0, /*cpu=*/-1, /*group=*/-1,
                            PERF_FLAG_FD_CLOEXEC);
  return file < 0 ? -errno : static_cast<int>(file);
}

std::string reasonOf(int error) {
  const std::string text = std::strerror(error);
  switch (error) {
  case EACCES:
  case EPERM: {
    std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
    std::string level;
    file >> level;
    return "the operating system forbids it (" + text +
           (level.empty() ? ""
                          : "; /proc/sys/kernel/perf_event_paranoid is " + level +
                                ", up to 2 lets users count their own processes") +
           ")";
  }
  case ENOENT:
  case ENODEV:
  case EOPNOTSUPP:
    return "this machine has no such counter, as virtual machines often have not (" + text + ")";
  case ENOSYS:
    return "this operating system has no perf_event_open (" + text + ")";
  default:
    return "perf_event_open failed (" + text + ")";
  }
}

} // namespace

Counters::Counters() {
#define COUNTER(type, config, key, title)                                                          \
  counters.push_back({key, title, openCounter(type, config)});
#include "counters.def"
}

Counters::~Counters() {
  for (const Counter &counter : counters)
    if (counter.file >= 0)
      close(counter.file);
}

void Counters::start() {
  for (const Counter &counter : counters)
    if (counter.file >= 0) {
      ioctl(counter.file, PERF_EVENT_IOC_RESET, 0);
      ioctl(counter.file, PERF_EVENT_IOC_ENABLE, 0);
    }
}

std::vector<Count> Counters::read() const {
  for (const Counter &counter : counters)
    if (counter.file >= 0)
      ioctl(counter.file, PERF_EVENT_IOC_DISABLE, 0);
  std::vector<Count> counts;
  for (const Counter &counter : counters) {
    Count count{counter.key, counter.title, {}, {}};
    struct {
      uint64_t value, enabled, running;
    } found{};
    if (counter.file < 0)
      count.whyNot = reasonOf(-counter.file);
    else if (::read(counter.file, &found, sizeof(found)) != sizeof(found))
      count.whyNot = reasonOf(errno);
    else if (!found.running)
      count.whyNot = "others had the counter all the time";
    else
      count.value = static_cast<double>(found.value) * static_cast<double>(found.enabled) /
                    static_cast<double>(found.running);
    counts.push_back(std::move(count));
  }
  return counts;
}

} // namespace nereid::command
