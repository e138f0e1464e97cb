// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/OpenMpTeam.h"

#include "runtime/Forks.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>

namespace nereid::runtime::cpu {
namespace {

thread_local bool isKeptOff = false;

/// The thread that borrows. Another may when it has ended.
std::atomic<bool> isBorrowed = false;
struct Borrower {
  ~Borrower() {
    if (isThis)
      isBorrowed.store(false, std::memory_order_release);
  }
  bool tryToBe() {
    return isThis || (isThis = !isBorrowed.exchange(true, std::memory_order_acquire));
  }
  bool isThis = false;
};
thread_local Borrower borrower;

/// How many libraries the process has loaded so far.
uint64_t librariesLoaded() {
  uint64_t loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *count) {
        *static_cast<uint64_t *>(count) = info->dlpi_adds;
        return 1; // each entry says the same
      },
      &loaded);
  return loaded;
}

/// Whether the process was forked and runs no program of its own since, perhaps before this library
/// could count forks: a team that its parent had is not here, and libgomp does not know. By the
/// kernel's flags of the process (proc(5), field 9 of stat); false if they are not to be had.
bool isForked() {
  constexpr unsigned forkedWithoutExec = 0x40; // PF_FORKNOEXEC of Linux
  std::ifstream stat("/proc/self/stat");
  std::string line;
  std::getline(stat, line);
  size_t behindName = line.rfind(')');
  if (behindName == line.npos)
    return false;
  std::string state;
  long parent, group, session, terminal, terminalGroup;
  unsigned flags = 0;
  std::istringstream fields(line.substr(behindName + 1));
  fields >> state >> parent >> group >> session >> terminal >> terminalGroup >> flags;
  return fields && (flags & forkedWithoutExec);
}

const void *libraryOf(void *function) {
  Dl_info info;
  return dladdr(function, &info) ? info.dli_fbase : nullptr;
}

} // namespace

bool OpenMpTeam::tryToBorrow() const { return borrower.tryToBe(); }

void OpenMpTeam::keepOff() { isKeptOff = true; }

/// Null unless one library has all that is needed. For the caller to keep.
const OpenMpTeam *OpenMpTeam::inThisProcess() {
  auto team = std::make_unique<OpenMpTeam>();
  const void *library = nullptr;
  auto find = [&](auto &function, const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found || (library && libraryOf(found) != library))
      return false;
    library = libraryOf(found);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    return true;
  };
  bool isWhole = find(team->parallel, "GOMP_parallel") && find(team->self, "omp_get_thread_num") &&
                 find(team->maximum, "omp_get_max_threads") &&
                 find(team->inParallel, "omp_in_parallel");
  return isWhole && !isForked() ? team.release() : nullptr;
}

const OpenMpTeam *OpenMpTeam::find() {
  static std::atomic<const OpenMpTeam *> found = nullptr; // as long as the process: libgomp stays
  static std::atomic<uint64_t> lookedAt = 0;
  if (isKeptOff || forks() > 0)
    return nullptr;
  const OpenMpTeam *team = found.load(std::memory_order_acquire);
  if (!team) {
    uint64_t loaded = librariesLoaded();
    if (lookedAt.load(std::memory_order_relaxed) == loaded)
      return nullptr;
    if (const OpenMpTeam *own = inThisProcess()) {
      if (found.compare_exchange_strong(team, own, std::memory_order_acq_rel))
        team = own;
      else
        delete own; // another thread was first
    }
    lookedAt.store(loaded, std::memory_order_relaxed);
  }
  return team;
}

} // namespace nereid::runtime::cpu
