// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets the heap live in huge pages. A compilation allocates some three megabytes, and as small
// pages the kernel would hand them out in seven hundred page faults, a tenth of a cold start.
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
namespace {

constexpr std::size_t smallPage = 4096, hugePage = std::size_t(2) << 20;
constexpr std::size_t firstHeap = 2 * hugePage;

/// Before any other constructor, and only in the static program: the first allocation settles where
/// the heap begins. Whatever the system refuses leaves an ordinary heap.
__attribute__((constructor(101))) void useHugePages() {
  auto begin = reinterpret_cast<std::uintptr_t>(sbrk(0));
  // The heap's first page stays a small one before the first huge one: advice on a range comes too
  // late once a page of it was touched.
  std::uintptr_t aligned = (begin + smallPage + hugePage - 1) & ~(hugePage - 1);
  if (sbrk(static_cast<std::intptr_t>(aligned - smallPage - begin)) == reinterpret_cast<void *>(-1))
    return;
  mallopt(M_TOP_PAD, firstHeap);
  // The compiler's larger tables, which malloc would map one by one, go to the heap as well.
  mallopt(M_MMAP_THRESHOLD, hugePage);
  void *volatile first = std::malloc(1); // volatile: or it is optimised away
  std::free(first);
  madvise(reinterpret_cast<void *>(aligned), firstHeap, MADV_HUGEPAGE);
}

} // namespace
#endif
