// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/FewerRegisters.h"

#include "target/SmShares.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace nereid::runtime::cuda {

/// Kernels of more take the assembler long, and one block more of three was not seen to gain
/// (H200), unless they multiply.
static constexpr unsigned mostRegisters = 128; // of a thread

/// A block takes whole warps, and may be smaller than one.
static unsigned warpsOf(const LaunchShape &shape) {
  return (static_cast<unsigned>(shape.threads) + target::warpSize - 1) / target::warpSize;
}

/// The most registers of a thread with which an SM holds so many blocks; 0 if that is not less than
/// what threads have, or if something else than registers forbids it.
static unsigned registersForBlocks(const DeviceProperties &device,
                                   const FunctionAttributes &function, const LaunchShape &shape,
                                   int blocks) {
  int threads = static_cast<int>(shape.threads) * blocks;
  int64_t bytes = int64_t(shape.sharedBytes) + function.sharedBytes + target::blockOverhead;
  if (blocks > device.blocksPerMultiprocessor || threads > device.threadsPerMultiprocessor ||
      bytes * blocks > device.sharedPerMultiprocessor)
    return 0;
  unsigned registers =
      target::registersOfThread(static_cast<unsigned>(device.registersPerMultiprocessor),
                                warpsOf(shape) * static_cast<unsigned>(blocks));
  return registers < static_cast<unsigned>(function.registers) ? registers : 0;
}

/// Whether a limit leaves code of so many registers as it is but for a few: seven eighths of them.
/// Products of single warps read their factors out of shared memory, a few at a time, and wait for
/// them and for one another: what hides that are other warps, and the half is enough. Where a block
/// has its SM for itself a second one is twice as many warps: three quarters, of any number.
static bool leavesEnough(unsigned limit, unsigned had, int blocks, bool multipliesByWarps) {
  if (multipliesByWarps)
    return limit * 2 >= had;
  if (blocks == 1)
    return limit * 4 >= had * 3;
  return (blocks == 2 || had <= mostRegisters) && limit * 8 >= had * 7;
}

/// Where the assembler gave up and keeps more of a thread in memory than in registers, of which
/// most are left (seen of ptxas 13.0: 32 registers and 13 kB, 64 and 6 kB; under a limit of 255 as
/// many registers, and half the accesses): as many as a thread can have; 0 elsewhere.
static unsigned registersAfterGivingUp(const DeviceProperties &device,
                                       const FunctionAttributes &function, const LaunchShape &shape,
                                       int arrayBytes) {
  constexpr int word = 4;
  const unsigned most =
      std::min(255u, target::registersOfThread(
                         static_cast<unsigned>(device.registersPerMultiprocessor), warpsOf(shape)));
  const bool gaveUp = function.registers < static_cast<int>(most) &&
                      function.localBytes - arrayBytes > word * function.registers;
  return gaveUp ? most : 0;
}

/// Asked for nothing, the assembler gives threads so few registers that as many as can share an SM,
/// and has loads wait for one another's for that, in every round; under a limit it takes what makes
/// a thread fast below it. What half of an SM's threads may have; 0 where they have that many
/// already.
static unsigned registersForLoads(const DeviceProperties &device, const FunctionAttributes &had,
                                  const LaunchShape &shape) {
  const auto threads = static_cast<unsigned>(device.threadsPerMultiprocessor);
  const unsigned warps = std::max(threads / 2 / target::warpSize, warpsOf(shape));
  const unsigned half =
      target::registersOfThread(static_cast<unsigned>(device.registersPerMultiprocessor), warps);
  return static_cast<unsigned>(had.registers) < half ? half : 0;
}

unsigned chooseLimit(const DeviceProperties &device, const FunctionAttributes &had,
                     const LaunchShape &shape, int blocks, const TextFacts &text,
                     const std::function<std::optional<LimitedCode>(unsigned limit)> &assemble) {
  if (unsigned all = registersAfterGivingUp(device, had, shape, text.arrayBytes)) {
    std::optional<LimitedCode> other = assemble(all);
    // Values share their places in memory: a little less of it are many accesses fewer.
    return other && other->localBytes < had.localBytes ? all : 0;
  }
  if (had.localBytes || !blocks)
    return 0;
  if (unsigned more = text.waitsInRounds ? registersForLoads(device, had, shape) : 0) {
    std::optional<LimitedCode> other = assemble(more);
    if (other && !other->localBytes && other->blocks)
      return more;
  }
  auto limitFor = [&](int count) {
    unsigned limit = registersForBlocks(device, had, shape, count);
    bool isChoice = leavesEnough(limit, unsigned(had.registers), blocks, text.multipliesByWarps);
    return isChoice ? limit : 0;
  };
  int most = blocks;
  while (limitFor(most + 1))
    ++most;
  // As many blocks as may be; a smaller number of them may have the same limit.
  unsigned tried = 0;
  for (int count = most; count > blocks; --count) {
    unsigned limit = limitFor(count);
    if (limit == std::exchange(tried, limit))
      continue;
    std::optional<LimitedCode> other = assemble(limit);
    if (other && !other->localBytes && other->blocks > blocks)
      return limit;
  }
  return 0;
}

/// Bytes of the arrays that a thread of this PTX has to itself (".local", PTX ISA).
static int arrayBytesOf(std::string_view ptx) {
  constexpr std::string_view declaration = ".local .align ";
  uint64_t bytes = 0;
  for (size_t place = 0; (place = ptx.find(declaration, place)) != ptx.npos; ++place) {
    size_t length = ptx.find('[', place) + 1;
    std::from_chars(ptx.data() + length, ptx.data() + ptx.size(), length);
    bytes += length;
  }
  return int(bytes);
}

/// Loads from global memory, and what a thread gets by them.
struct Loads {
  unsigned count = 0;
  unsigned bytes = 0;
};

/// Bytes of a load by its PTX name ("ld.global.v2.b32": 8).
static unsigned bytesOfLoad(std::string_view name) {
  unsigned bits = 0, elements = 1;
  const size_t type = name.rfind('.') + 2; // behind the letter of its kind
  std::from_chars(name.data() + std::min(type, name.size()), name.data() + name.size(), bits);
  if (size_t vector = name.rfind(".v"); vector != name.npos)
    std::from_chars(name.data() + vector + 2, name.data() + name.size(), elements);
  constexpr unsigned bitsOfByte = 8;
  return elements * bits / bitsOfByte;
}

/// Whether what stands between some label and a later branch to it has so many loads, of so many
/// bytes in all.
static bool hasLoadsInLoop(std::string_view ptx, Loads least) {
  std::map<std::string_view, Loads> atLabels; // loads before them
  Loads loads;
  while (!ptx.empty()) {
    std::string_view line = ptx.substr(0, ptx.find('\n'));
    ptx.remove_prefix(std::min(ptx.size(), line.size() + 1));
    const size_t load = line.find("ld.global"), name = line.find("$L");
    if (load != line.npos) {
      ++loads.count;
      loads.bytes += bytesOfLoad(line.substr(load, line.find_first_of(" \t", load) - load));
    } else if (name == 0 && line.ends_with(':')) {
      atLabels[line.substr(0, line.size() - 1)] = loads;
    } else if (name != line.npos && line.find("bra") < name) {
      if (auto label = atLabels.find(line.substr(name, line.find(';') - name));
          label != atLabels.end() && loads.count - label->second.count >= least.count &&
          loads.bytes - label->second.bytes >= least.bytes)
        return true;
    }
  }
  return false;
}

TextFacts factsOf(std::string_view ptx) {
  // With these under way, half of an SM's threads have 32 kB of theirs on the way to them, which is
  // about what memory delivers while it is waited for (H200: 36 bytes a nanosecond for each SM).
  constexpr Loads several = {.count = 4, .bytes = 32};
  auto has = [=](std::string_view word) { return ptx.find(word) != ptx.npos; };
  const bool hasWarps = has("mma.sync."), hasGroups = has("wgmma.");
  const bool isFree = !hasWarps && !hasGroups && !has(".minnctapersm");
  return {arrayBytesOf(ptx), hasWarps && !hasGroups, isFree && hasLoadsInLoop(ptx, several)};
}

std::string withRegisterLimit(std::string_view ptx, unsigned registers) {
  constexpr std::string_view threads = ".reqntid ", own = ".maxnreg", moves = "setmaxnreg";
  size_t place = ptx.find(threads);
  if (!registers || place == ptx.npos || ptx.find(own) != ptx.npos || ptx.find(moves) != ptx.npos)
    return {};
  std::string limited(ptx);
  limited.insert(place, std::string(own) + " " + std::to_string(registers) + "\n");
  return limited;
}

} // namespace nereid::runtime::cuda
