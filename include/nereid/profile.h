// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a kernel's time goes on the machine at hand: no hardware counters, no permission
// (docs/profile.md). For a GPU our compiler puts clocks into a copy of the kernel; on a CPU a timer
// looks where its threads stand.
//
//   nereid::Profile profile = nereid::profile(device, kernel, {64}, arguments);
//   std::cout << nereid::toText(profile);
#pragma once

#include "nereid/analyze.h"
#include "nereid/compile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nereid {

struct ProfileOptions {
  Tuning tuning = {};
  /// What the kernel notes: "all"; "waits" and the ends of rounds; "rounds", their ends alone;
  /// "programs", beginnings and ends of whole programs; or "auto": the first of these that costs no
  /// more than a twentieth of the kernel's time, if need be with few blocks that note anything. A
  /// CPU has nothing to choose.
  std::string detail = "auto";
  /// How often the kernel is launched with and without clocks, by turns, to tell what they cost. 0:
  /// once with clocks, and their cost is not known. On a CPU as many at least, and half a second.
  unsigned turns = 15;
};

/// Times are in seconds.
struct Profile {
  /// What warps did at one place, added up over all warps that noted it; of a CPU, its threads.
  struct Line {
    Place place;           ///< of a line of 0: no line of the author's
    unsigned lastLine = 0; ///< what was computed between two clocks may be several lines
    std::string what;      ///< a name of clocks.def: "await_tile"
    std::string meaning;   ///< "waits for a tile that another warp fetches"
    bool isWait = false;
    /// Of the warp that fetches for the others; shares are those of its time.
    bool isProducer = false;
    uint64_t count = 0; ///< how often warps did so; how often threads were seen there
    double seconds = 0; ///< of a warp, in the mean; of all threads, in a launch
    double share = 0;   ///< of the time of such warps; of all threads
  };
  /// When a block ran, as its first warp saw it, from the first block's beginning on.
  struct Block {
    uint64_t number = 0; ///< along x first
    unsigned multiprocessor = 0;
    double begin = 0, end = 0;
  };
  /// What one warp did.
  struct Interval {
    uint32_t block = 0; ///< an index of `blocks`
    uint16_t warp = 0;
    uint32_t line = 0; ///< an index of `lines`
    double begin = 0, end = 0;
  };

  std::string kernel, file, device;
  int64_t gridX = 1, gridY = 1, gridZ = 1;
  std::vector<Line> lines; ///< what takes longest first
  std::vector<Block> blocks;
  std::vector<Interval> intervals; ///< of each warp in order
  uint64_t launchedBlocks = 0;
  unsigned warps = 0; ///< of a block
  unsigned multiprocessors = 0;
  /// Of a CPU, where blocks, warps and what follows them are not there; otherwise 0.
  unsigned threads = 0;
  uint64_t samples = 0;         ///< how often they were looked at within the kernel
  uint64_t sampledLaunches = 0; ///< in so many launches
  double clockHertz = 0;
  /// Of the clock by which multiprocessors are compared: blocks of two of them may lie so far
  /// apart.
  double resolution = 0;
  /// Blocks whose warps noted what they did, and how much longer than the others these took, as a
  /// share; 0 where there are no others.
  uint64_t notingBlocks = 0;
  double notingOverhead = 0;
  /// Share of what the warps that noted anything took, for which there was room.
  double recorded = 0;
  /// Share of their time that the warps which compute wait.
  double waits = 0;
  std::string detail; ///< "all", "waits", "rounds" or "programs"; of a CPU "samples"
  unsigned turns = 0;
  /// Medians of `turns` launches each; 0 where there were none.
  double seconds = 0, profiledSeconds = 0;
  /// What the clocks cost, as a share of the kernel's time.
  double overhead() const { return seconds > 0 ? profiledSeconds / seconds - 1 : 0; }
  /// What is not known, a sentence each.
  std::vector<std::string> notes;
  /// The text of the kernel's file, for who shows it.
  std::string text;
  unsigned firstLine = 1; ///< of that text, in the file
};

/// Launches the kernel 2 * turns + 3 times, and nearly as often again where "auto" finds that all
/// clocks cost too much: arrays hold afterwards what so many launches leave. Throws Error(Usage)
/// for a device that measures nothing by line (check), for a grid without programs, and on a GPU
/// for kernels that print; otherwise as Kernel::launch does.
NEREID_API Profile profile(const Device &device, const Kernel &kernel, Grid grid,
                           const Arguments &arguments, const ProfileOptions &options = {});

/// Tables; `isColored` for a terminal.
NEREID_API std::string toText(const Profile &profile, bool isColored = false);
/// One document (docs/profile.md).
NEREID_API std::string toJson(const Profile &profile);
/// A page: time by line beside the source, and of a GPU when blocks ran and what warps did. One
/// file that loads nothing.
NEREID_API std::string toHtml(const Profile &profile);
/// The page of an analysis, with what was measured in it.
NEREID_API std::string toHtml(const Analysis &analysis, const Profile &profile);
/// What Perfetto and chrome://tracing open: blocks over multiprocessors, and the warps of some.
NEREID_API std::string toTrace(const Profile &profile);

} // namespace nereid
