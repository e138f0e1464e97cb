// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

namespace nereid::runtime::cpu {

/// The threads of an OpenMP runtime that is in this process, as PyTorch brings one along. Behind
/// each parallel region they spin for milliseconds; on other threads, launches between PyTorch's
/// operators would share every core with them (decision 0064). So launches borrow them.
///
/// The interface is what compilers call of libgomp (its ABI, GOMP_parallel since GCC 4.9), which
/// LLVM's and Intel's runtimes have too.
class OpenMpTeam {
public:
  /// Null where no such runtime is visible to all libraries of the process, in a process that was
  /// forked off, whose team is not here, and on threads that keep off. Cheap, and asked for each
  /// launch: a program may import PyTorch behind its first one.
  static const OpenMpTeam *find();
  /// False while another thread borrows, else true until the calling thread ends: each thread that
  /// opens parallel regions has a team of its own, and one beside the pool is enough.
  bool tryToBorrow() const;
  /// From now on launches of the calling thread, which does not run the host's code, borrow
  /// nothing.
  static void keepOff();

  /// As many as the host asks for its own parallel regions on this thread (`torch.set_num_threads`,
  /// OMP_NUM_THREADS).
  unsigned threads() const { return maximum() > 0 ? static_cast<unsigned>(maximum()) : 1; }
  /// Whether this thread is in a parallel region of the host's, whose other threads have the other
  /// cores.
  bool isWithinRegion() const { return inParallel() != 0; }

  /// Calls `work(self)` on each thread of a team of at most `threads`, the calling one, which is
  /// number 0, included, and returns when all have returned.
  template <typename Work> void run(unsigned threads, Work &&work) const {
    static_assert(std::is_invocable_v<Work, unsigned>);
    struct Region {
      std::remove_reference_t<Work> &work;
      int (*self)();
    } region{work, self};
    parallel(
        [](void *data) {
          auto &region = *static_cast<Region *>(data);
          region.work(static_cast<unsigned>(region.self()));
        },
        &region, threads, 0);
  }

private:
  static const OpenMpTeam *inThisProcess();

  void (*parallel)(void (*work)(void *), void *data, unsigned threads, unsigned flags) = nullptr;
  int (*self)() = nullptr;
  int (*maximum)() = nullptr;
  int (*inParallel)() = nullptr;
};

} // namespace nereid::runtime::cpu
