// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a kernel is slow on a GPU, without one: what a launch asks of memory, shared memory and the
// arithmetic units, counted line by line; how long that takes at least, and what would be faster
// (docs/analyze.md).
//
//   nereid::Analysis analysis = nereid::analyze(kernel, {64}, arguments, {.target = "sm_90a"});
//   std::cout << nereid::toText(analysis);
#pragma once

#include "nereid/compile.h"

#include <optional>
#include <string>
#include <vector>

namespace nereid {

struct AnalyzeOptions {
  /// A GPU's: one of targetNames() but "cpu" and "none".
  std::string target = "sm_90a";
  /// The card, of analyzeCards(), or a file that `nereid calibrate` wrote, whose name has a dot or
  /// a slash (nereid/calibrate.h); empty: the first that has the target's SM.
  std::string card = {};
  Tuning tuning = {};
  /// How many programs are run to count what they access; the others are taken to be like them. 0:
  /// all where that is quick, else a sample of some hundreds.
  uint64_t programs = 0;
  /// How much of a program is followed, in accesses of single elements: one that goes on is
  /// refused, since its loop may wait for what is not written. 0: about ten seconds' work.
  uint64_t mostAccesses = 0;
  /// L2 holds what was written before, which leaves it while the launch runs: so it is where a
  /// cache is flushed by writes, as `compare` and Triton's do_bench do it.
  bool isL2Dirty = false;
};

/// Numbers of accesses and bytes are of the whole grid.
struct Analysis {
  /// An operation that accesses arrays, as threads or the copy engine do it.
  struct Access {
    Place place;
    /// "load", "store", "atomic" by threads; "copy", by threads past registers (cp.async); "fetch",
    /// "send", by the copy engine, which makes one request for a box.
    std::string kind;
    std::string array;        ///< the kernel's parameter; of several, the first
    unsigned bytesOfLane = 0; ///< that one thread asks for at once
    uint64_t requests = 0;
    uint64_t sectors = 0;      ///< of 32 bytes, that the requests touch
    uint64_t leastSectors = 0; ///< as many as the different bytes of each request would fill
    uint64_t bytes = 0;        ///< asked for by threads whose mask is true
    /// What L2 is busy for, in bytes of its rate: it gives 64 at once, and takes longer for sectors
    /// that are written in part.
    uint64_t l2Work = 0;
    /// Of two neighbouring lanes, in elements, where all that were seen have one distance; 0: none.
    int64_t laneStride = 0;
    /// What lanes have loaded says where each of them accesses: a gather, a scatter, a histogram.
    bool isFound = false;
    /// Seconds that it takes more than with as few sectors as possible.
    double lostSeconds = 0;
    /// Of one request of threads, for pictures: where each of the 32 lanes begins, in bytes from
    /// the array's beginning; -1 where a lane asks for nothing.
    std::vector<int64_t> lanesOfRequest = {};
    /// Who holds which element of the tile: what each bit of a register's, a lane's and a warp's
    /// number adds to the coordinates (docs/layouts.md). Empty for a scalar and for boxes.
    struct Layout {
      std::vector<int64_t> shape;
      std::vector<std::vector<int64_t>> registers, lanes, warps;
      bool operator==(const Layout &) const = default;
    };
    Layout layout = {};
  };
  /// What goes through shared memory for one operation.
  struct Shared {
    Place place;
    std::string kind; ///< "read", "write", "convert", "reduce", ...
    uint64_t requests = 0, wavefronts = 0, leastWavefronts = 0;
    uint64_t barriers = 0;     ///< of blocks, that it waits at
    uint64_t warpBarriers = 0; ///< of single warps, over all of them
    /// How often blocks wait at mbarriers, arrive there or say what bytes to expect.
    uint64_t mbarriers = 0;
    double lostSeconds = 0;
  };
  struct Product {
    Place place;
    std::string instruction; ///< "wgmma.m64n256k16", "mma.m16n8k16", "fma"
    uint64_t count = 0;      ///< of instructions, of a warp or of a warpgroup
    double flops = 0;
    double seconds = 0; ///< at the units' full rate
  };
  /// What the units compute for a line: instructions of warps, as the kernel's operations say.
  struct Arithmetic {
    Place place;
    uint64_t fma = 0, integer = 0, special = 0, f64 = 0, other = 0;
  };
  /// Instructions of warps, by the unit that executes them.
  struct Instructions {
    Place place; ///< no line: of the kernel as a whole, or of none that is known
#define UNIT(member, name, meaning) uint64_t member = 0;
#include "nereid/units.def"
  };
  struct ArrayUse {
    std::string name;
    uint64_t bytes = 0;        ///< that the array has
    uint64_t readBytes = 0;    ///< different ones that are read, in whole sectors
    uint64_t writtenBytes = 0; ///< and written
    uint64_t askedBytes = 0;   ///< of L2, in sectors
    uint64_t memoryBytes = 0;  ///< between L2 and memory
    /// How often each byte is asked for.
    double reuse = 0;
    /// As the argument has it, and bytes of one element; empty and 0 where that is not known.
    std::vector<int64_t> shape = {};
    unsigned elementBytes = 0;
  };
  /// A bound on the time: what one part of the card takes if it does nothing else.
  struct Bound {
    std::string name; ///< "memory", "L2", "L1", "shared memory", "tensor cores", "FMA", ...
    double seconds = 0;
    std::string amount; ///< "33.6 MB at 2982 GB/s"
    /// Of the predicted time, what would be gone without it: what nothing else hides.
    double exposedSeconds = 0;
  };
  struct Advice {
    Place place;        ///< none: the kernel as a whole
    std::string cause;  ///< what is so
    std::string accept; ///< what would be better
    double gain = 0;    ///< the share of the predicted time that it would save
  };

  /// What one program does with data, from loads to stores, as the code has it: an operation, or
  /// what a line computes.
  struct Step {
    Place place;
    /// "load", "fetch", ... as an access; "product"; "compute"; "wait" for copies, slots, products
    /// or threads; "release" of a slot; or the operation that threads exchange tiles for
    /// ("convert").
    std::string kind;
    std::string what;          ///< the array, the instruction, the operations
    std::string where;         ///< "memory", "shared memory" or "registers"
    int loop = -1;             ///< the innermost, of Flow::loops
    bool isOfProducer = false; ///< a warp of its own does it
    unsigned barriers = 0;     ///< of the block, each time
    double times = 0;          ///< that a program does it, on average
    /// Flow::rooms that it puts a tile into, waits for the next tile of, reads, and whose oldest
    /// tile it gives back.
    std::vector<unsigned> fills = {}, awaits = {}, reads = {}, releases = {};
    /// Of a wait for products or copies, and of a release: so many of the newest are left out.
    unsigned pending = 0;
  };
  struct Flow {
    struct Loop {
      Place place;
      int outer = -1;
      double rounds = 0; ///< of a program, on average, each time that it is entered
    };
    struct Edge {
      unsigned from, to; ///< steps
      /// "registers", "shared memory", "arrays", "order": waits for it, "next round": carried by a
      /// loop.
      std::string through;
    };
    /// What of shared memory tiles wait in, one behind the other.
    struct Room {
      Place place;
      std::string what;   ///< "128x64 f16": a tile
      uint64_t bytes = 0; ///< of one slot
      unsigned slots = 1;
      /// Which element lies where: what each bit of an offset, which counts elements, adds to the
      /// coordinates.
      std::vector<int64_t> shape = {};
      std::vector<std::vector<int64_t>> offsets = {};
      unsigned elementBytes = 0;
    };
    std::vector<Step> steps; ///< in the order of the code
    std::vector<Loop> loops;
    std::vector<Edge> edges;
    std::vector<Room> rooms;
  };
  /// A tile that changes hands: between threads, or between threads and a room of shared memory.
  struct Exchange {
    Place place;
    /// "convert": from threads to threads; "read", "write" of a room; "send", through one to an
    /// array.
    std::string kind;
    std::string what; ///< "128x64 f16": the tile
    /// "registers", that are renamed within each thread; "shuffles" within warps; "shared memory".
    std::string through;
    std::vector<std::string> cost; ///< what that takes, in lines, as --dump=layouts says it
    /// Who holds the tile; what lies in a room only has no shape.
    Access::Layout before = {}, after = {};
    Flow::Room room = {}; ///< without a shape where it does not come through shared memory
    double times = 0;     ///< that a program does it, on average
  };
  /// What the prediction takes one program to do and to wait for, where the other blocks of its SM
  /// take as much of everything as it does. In seconds from its beginning on.
  struct Timeline {
    struct Span {
      /// "warps", "fetching warp", "memory", "tensor cores"
      std::string who;
      unsigned step = 0, execution = 0; ///< which of Flow::steps, for which time
      bool isWait = false;              ///< it cannot begin before the span ends
      double begin = 0, end = 0;
    };
    /// A tile in a slot of a room: on its way from `begin`, there from `there`, read until `end`.
    struct Hold {
      unsigned room = 0, slot = 0;
      double begin = 0, there = 0, end = 0;
    };
    std::vector<Span> spans;
    std::vector<Hold> holds;
    double seconds = 0;
    bool isCut = false; ///< there are more rounds than are shown
  };
  /// What some programs access, one execution after the other, for pictures.
  struct Touches {
    /// How a tile's elements lie in the array: that of coordinates c at base + sum c[i] strides[i]
    /// bytes, for from[i] <= c[i] < to[i]; others are masked.
    struct Pattern {
      std::vector<int64_t> shape, strides, from, to;
      bool operator==(const Pattern &) const = default;
    };
    struct Event {
      unsigned access = 0; ///< of Analysis::accesses
      int pattern = -1;
      int64_t base = 0; ///< in bytes from the array's beginning
      /// Where no pattern fits: of each `every`-th element, in bytes; -1 where it is masked.
      std::vector<int64_t> offsets = {};
      unsigned every = 1;
    };
    struct Program {
      int64_t x, y, z;
      bool isCut = false; ///< it does more than is shown
      std::vector<Event> events;
    };
    std::vector<Pattern> patterns;
    std::vector<Program> programs;
  };

  std::string kernel, file, target, card;
  int64_t gridX = 1, gridY = 1, gridZ = 1;
  std::vector<Access> accesses;
  std::vector<Shared> shared;
  std::vector<Product> products;
  std::vector<Arithmetic> arithmetic;
  std::vector<Instructions> instructions;
  /// What they are counted of: "machine code", where PATH has NVIDIA's ptxas and nvdisasm, or
  /// "PTX".
  std::string instructionSource;
  std::vector<ArrayUse> arrays;
  Flow flow;
  std::vector<Exchange> exchanges; ///< in the order of the code
  Timeline timeline;
  Touches touches;
  std::vector<Bound> bounds;   ///< the longest first
  std::vector<Advice> advice;  ///< what gains most first
  std::vector<Remark> remarks; ///< of the compiler

  uint64_t programs = 0;
  /// That were run to count accesses.
  uint64_t programsRun = 0;
  /// The share by which the counts may be off, two standard errors; 0 where all programs were run.
  double countError = 0;
  /// What the counts leave out or take for granted, a sentence each.
  std::vector<std::string> notes;

  unsigned threads = 0;     ///< of a block
  unsigned sharedBytes = 0; ///< of a block
  bool isAssembled = false; ///< ptxas was there: the next four are known
  unsigned registers = 0, spillStoreBytes = 0, spillLoadBytes = 0, stackBytes = 0;
  /// Blocks that run on a multiprocessor at once, and what keeps out the next: "registers", "shared
  /// memory", "threads", "blocks", "grid".
  unsigned residentBlocks = 0;
  std::string residenceLimit;
  double occupancy = 0;
  unsigned multiprocessors = 0;
  uint64_t blocks = 0; ///< that are launched: fewer than programs where each runs several
  /// How often the card is filled with blocks; the share of the last filling that is empty.
  double waves = 0, tail = 0;
  /// The program that takes longest, where programs do unequally much: as many as one of the mean.
  /// 1: all are alike.
  double longestProgram = 1;
  int64_t longestX = 0, longestY = 0, longestZ = 0;
  /// Until the last program ends, the share of the time that an SM has any, in the mean; of unequal
  /// programs, which are dealt out in the grid's order.
  double timeAtWork = 1;
  uint64_t barriers = 0;
  double flops = 0;
  uint64_t l2Bytes = 0, memoryBytes = 0;
  /// FLOP for each byte of memory.
  double intensity = 0;
  /// The roofline: FLOP a second of the unit that does most of them, and bytes a second.
  double peakFlops = 0, peakBytes = 0;
  /// What the card could do at most: FLOP a second of each unit that the kernel has work for, and
  /// bytes a second of memory, L2 and shared memory, with how many of them the launch asks for.
  struct Ceiling {
    std::string name;
    bool isOfBytes = false;
    double rate = 0, bytes = 0;
  };
  std::vector<Ceiling> ceilings;
  double seconds = 0; ///< predicted, of one launch whose arrays are not in L2
  std::string bound;  ///< what takes most of it
  /// The text of the kernel's file, for who shows it, and the number of its first line.
  std::string text;
  unsigned firstLine = 1;
};

/// Compiles the kernel for a launch with these arguments, whose arrays are the host's, and counts
/// what the launch would do. Nothing is written to the arrays. Where addresses depend on what
/// arrays hold, what they hold now is read. Throws Error(Usage) for a target that is no GPU's, and
/// as Kernel::prepare and Launch::run do.
NEREID_API Analysis analyze(const Kernel &kernel, Grid grid, const Arguments &arguments,
                            const AnalyzeOptions &options = {});
/// The names of AnalyzeOptions::card.
NEREID_API std::vector<std::string> analyzeCards();
/// The one that a device is called by: "NVIDIA H200" is "h200"; empty if there is none.
NEREID_API std::string analyzeCardIn(std::string_view device);

/// What a GPU's hardware counters would say of the launch; nereid/gpu_counters.def has the rows.
struct HardwareCounter {
  std::string key, name;
  std::optional<double> predicted = {}; ///< nothing where PATH has no ptxas, which says it
};
NEREID_API std::vector<HardwareCounter> hardwareCounters(const Analysis &analysis);

/// A quantity that two analyses have.
struct Difference {
  std::string section; ///< "launch", "time", "arrays", "lines", "instructions"
  std::string name;    ///< "registers", "memory", "line 14: load of x"
  /// As tables show them; empty where one has no such thing.
  std::string first, second;
  bool isDifferent = false;
  /// The second by the first; 0 where that says nothing.
  double ratio = 0;
};
struct Comparison {
  Analysis first, second;
  std::vector<Difference> differences; ///< all that both or one of them has, equal ones too
};
/// Of two launches: of two kernels, or of one with other options, arguments or cards. What lines do
/// is compared line by line where both are of one kernel, array by array otherwise.
NEREID_API Comparison compare(Analysis first, Analysis second);
NEREID_API std::string toText(const Comparison &comparison, bool isColored = false);
NEREID_API std::string toJson(const Comparison &comparison);
NEREID_API std::string toHtml(const Comparison &comparison);

/// Tables, as `nereid analyze` prints them.
NEREID_API std::string toText(const Analysis &analysis, bool isColored = false);
/// One document (docs/analyze.md).
NEREID_API std::string toJson(const Analysis &analysis);
/// A page that needs nothing else.
NEREID_API std::string toHtml(const Analysis &analysis);

} // namespace nereid
