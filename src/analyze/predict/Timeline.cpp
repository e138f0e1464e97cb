// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two roles go through the steps of a program in the order of the code: the warps that compute, and
// the one that fetches, if there is one. Memory and tensor cores take what they are given one after
// the other. Each takes as long as its part of the whole launch's demand, which is shared evenly by
// the blocks that run at once.
#include "analyze/predict/Timeline.h"

#include "analyze/predict/Predict.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace nereid::analyzer {
namespace {

using Step = Analysis::Step;
using Flow = Analysis::Flow;

constexpr unsigned mostRounds = 12, mostExecutions = 700;

bool isAccess(const Step &step) { return step.where == "memory"; }
bool isAsynchronous(const Step &step) {
  return isAccess(step) && (step.kind == "fetch" || step.kind == "copy");
}
bool isStore(const Step &step) { return step.kind == "store" || step.kind == "send"; }

/// How long each execution of a step keeps what it needs.
class Durations {
public:
  Durations(const Analysis &analysis, const target::Card &card) : analysis(analysis), card(card) {
    const double places = double(card.multiprocessors) * std::max(1u, analysis.residentBlocks);
    atOnce = std::max(1.0, std::min(double(analysis.blocks), places));
    cycles = card.clockHertz * card.multiprocessors;
    for (const Step &step : analysis.flow.steps)
      executions[keyOf(step)] += step.times * double(analysis.programs);
  }

  /// Of memory, tensor cores or the units, one of them.
  double of(const Step &step) const {
    double whole = 0; // of the launch, on the whole card
    if (isAccess(step))
      whole = accessSeconds(step);
    else if (step.kind == "product")
      whole = productSeconds(step);
    else if (step.kind == "compute")
      whole = arithmeticSeconds(step);
    else
      whole = sharedSeconds(step);
    auto found = executions.find(keyOf(step));
    return found == executions.end() || found->second <= 0 ? 0 : whole * atOnce / found->second;
  }

  bool isOfTensorCores(const Step &step) const {
    return llvm::any_of(analysis.products, [&](const auto &product) {
      return product.place.line == step.place.line && product.instruction != "fma";
    });
  }
  /// Whose results are waited for by an operation of its own.
  bool goesOn(const Step &step) const {
    return llvm::any_of(analysis.products, [&](const auto &product) {
      return product.place.line == step.place.line &&
             llvm::StringRef(product.instruction).starts_with("wgmma");
    });
  }

private:
  using Key = std::tuple<unsigned, std::string, std::string>;
  /// What the counts of a line are shared by.
  static Key keyOf(const Step &step) {
    return {step.place.line, step.kind, isAccess(step) ? step.what : std::string()};
  }

  double accessSeconds(const Step &step) const {
    double l2 = 0, memory = 0;
    for (const Analysis::Access &access : analysis.accesses) {
      if (access.place.line != step.place.line || access.kind != step.kind ||
          access.array != step.what)
        continue;
      l2 += double(access.l2Work) / card.l2Rate;
      for (const Analysis::ArrayUse &array : analysis.arrays)
        if (array.name == access.array && array.askedBytes > 0)
          memory += double(access.sectors) * sectorBytes / double(array.askedBytes) *
                    double(array.memoryBytes) / card.memoryReached;
    }
    return std::max(l2, std::min(memory, memoryOf(step.what)));
  }
  double memoryOf(const std::string &name) const {
    for (const Analysis::ArrayUse &array : analysis.arrays)
      if (array.name == name)
        return double(array.memoryBytes) / card.memoryReached;
    return 0;
  }

  double productSeconds(const Step &step) const {
    double seconds = 0;
    for (const Analysis::Product &product : analysis.products)
      if (product.place.line == step.place.line)
        seconds += product.seconds / (product.instruction == "fma" ? 1 : card.tensorShare);
    return seconds;
  }

  double arithmeticSeconds(const Step &step) const {
    for (const Analysis::Arithmetic &line : analysis.arithmetic)
      if (line.place.line == step.place.line) {
        const std::pair<uint64_t, double> units[] = {{line.fma, card.fmaLanes},
                                                     {line.integer, card.integerLanes},
                                                     {line.special, card.specialLanes},
                                                     {line.f64, card.doubleLanes}};
        double most = 0;
        for (auto [instructions, lanes] : units)
          most = std::max(most, double(instructions) * warpSize / lanes / cycles);
        return most;
      }
    return 0;
  }

  double sharedSeconds(const Step &step) const {
    double wavefronts = 0;
    for (const Analysis::Shared &shared : analysis.shared)
      if (shared.place.line == step.place.line &&
          (shared.kind == step.kind || (step.kind == "read" && shared.kind == "read_row")))
        wavefronts += double(shared.wavefronts);
    return wavefronts / cycles;
  }

  static constexpr double sectorBytes = 32, warpSize = 32;
  const Analysis &analysis;
  const target::Card &card;
  double atOnce, cycles;
  std::map<Key, double> executions;
};

/// A role's steps, loops written out.
struct Role {
  const char *name;
  std::vector<unsigned> steps = {};
  size_t next = 0;
  double clock = 0;

  bool isDone() const { return next == steps.size(); }
};

struct RoomState {
  struct Tile {
    double begin, there, end;
  };
  std::vector<Tile> tiles = {};
  size_t awaited = 0;
  std::vector<double> freed = {};
  bool isReleased = false; ///< by an operation of its own
};

class Simulation {
public:
  Simulation(const Analysis &analysis, const target::Card &card, double barrierSeconds)
      : flow(analysis.flow), durations(analysis, card), latency(secondsOfFirstWait(card)),
        barrierSeconds(barrierSeconds), rooms(flow.rooms.size()), ready(flow.steps.size()),
        executions(flow.steps.size()), sources(flow.steps.size()) {
    for (const Step &step : flow.steps)
      for (unsigned room : step.releases)
        rooms[room].isReleased = true;
    for (const Flow::Edge &edge : flow.edges)
      if (edge.from != edge.to && edge.through != "next round" && edge.through != "order" &&
          flow.steps[edge.from].fills.empty())
        sources[edge.to].push_back(edge.from);
  }

  Analysis::Timeline run() {
    writeOut(0, flow.steps.size(), -1);
    while (!roles[0].isDone() || !roles[1].isDone()) {
      const unsigned earlier =
          roles[1].isDone() || (!roles[0].isDone() && roles[0].clock <= roles[1].clock) ? 0 : 1;
      if (!advance(roles[earlier]) && !advance(roles[1 - earlier]))
        break; // more is waited for than was written out
    }
    addHolds();
    for (const Analysis::Timeline::Span &span : result.spans)
      result.seconds = std::max(result.seconds, span.end);
    return std::move(result);
  }

private:
  bool isInside(int number, int loop) const {
    for (; number >= 0; number = flow.loops[unsigned(number)].outer)
      if (number == loop)
        return true;
    return loop < 0;
  }

  /// The steps from `begin` on that stand in `loop` or in one inside it.
  void writeOut(size_t begin, size_t end, int loop) {
    for (size_t i = begin; i < end; ++i) {
      const Step &step = flow.steps[i];
      if (step.loop == loop) {
        if (roles[0].steps.size() + roles[1].steps.size() >= mostExecutions)
          result.isCut = true;
        else if (step.times > 0)
          roles[step.isOfProducer].steps.push_back(unsigned(i));
        continue;
      }
      int inner = step.loop;
      while (flow.loops[unsigned(inner)].outer != loop)
        inner = flow.loops[unsigned(inner)].outer;
      size_t behind = i + 1;
      while (behind < end && isInside(flow.steps[behind].loop, inner))
        ++behind;
      const double rounds = flow.loops[unsigned(inner)].rounds;
      result.isCut |= rounds > mostRounds;
      for (unsigned round = 0; round < std::min<double>(mostRounds, std::round(rounds)); ++round)
        writeOut(i, behind, inner);
      i = behind - 1;
    }
  }

  /// When the step may begin; nothing where that is not known before the other role has gone on.
  std::optional<double> whenPossible(const Step &step, unsigned number, double now) const {
    const bool isOtherDone = roles[!step.isOfProducer].isDone();
    for (unsigned room : step.fills) {
      const RoomState &state = rooms[room];
      const size_t fill = state.tiles.size(), slots = flow.rooms[room].slots;
      if (!state.isReleased || fill < slots)
        continue;
      if (state.freed.size() <= fill - slots && !isOtherDone)
        return std::nullopt;
      if (state.freed.size() > fill - slots)
        now = std::max(now, state.freed[fill - slots]);
    }
    for (unsigned room : step.awaits) {
      const RoomState &state = rooms[room];
      if (state.tiles.size() <= state.awaited && state.isReleased && !isOtherDone)
        return std::nullopt;
      if (state.tiles.size() > state.awaited)
        now = std::max(now, state.tiles[state.awaited].there);
    }
    if (step.kind == "wait" && step.what == "for products")
      for (size_t i = 0; i + step.pending < products.size(); ++i)
        now = std::max(now, products[i]);
    for (unsigned from : sources[number])
      now = std::max(now, ready[from]);
    return now;
  }

  bool advance(Role &role) {
    if (role.isDone())
      return false;
    const unsigned number = role.steps[role.next];
    const Step &step = flow.steps[number];
    std::optional<double> begin = whenPossible(step, number, role.clock);
    if (!begin)
      return false;
    ++role.next;
    const unsigned execution = executions[number]++;
    if (*begin > role.clock)
      result.spans.push_back({role.name, number, execution, true, role.clock, *begin});
    role.clock = *begin;
    perform(step, number, execution, role);
    return true;
  }

  void perform(const Step &step, unsigned number, unsigned execution, Role &role) {
    const double duration = durations.of(step);
    double there = role.clock + duration + step.barriers * barrierSeconds;
    auto queue = [&](const char *who, double &free, double more) {
      const double begin = std::max(role.clock, free);
      free = begin + duration;
      there = free + more;
      result.spans.push_back({who, number, execution, false, begin, there});
      return begin;
    };
    double begin = role.clock;
    if (isAccess(step))
      begin = queue("memory", memoryFree, isStore(step) ? 0 : latency);
    else if (step.kind == "product" && durations.isOfTensorCores(step))
      queue("tensor cores", tensorFree, 0);
    const bool isSeparate = isAccess(step) || (step.kind == "product" && durations.goesOn(step));
    if (!isSeparate) {
      if (there > role.clock)
        result.spans.push_back({role.name, number, execution, false, role.clock, there});
      role.clock = there;
    } else if (step.barriers) {
      role.clock += step.barriers * barrierSeconds;
    }
    if (step.kind == "product" && isSeparate)
      products.push_back(there);
    ready[number] = isStore(step) ? role.clock : there;
    useRooms(step, begin, there, role.clock);
  }

  void useRooms(const Step &step, double begin, double there, double now) {
    for (unsigned room : step.fills) {
      rooms[room].tiles.push_back({begin, there, there});
      if (!isAsynchronous(step)) // its writer goes on with it
        rooms[room].awaited = rooms[room].tiles.size();
    }
    for (unsigned room : step.awaits)
      if (rooms[room].awaited < rooms[room].tiles.size())
        ++rooms[room].awaited;
    for (unsigned room : step.reads)
      if (size_t awaited = rooms[room].awaited) {
        RoomState::Tile &tile = rooms[room].tiles[awaited - 1];
        tile.end = std::max(tile.end, there);
      }
    for (unsigned room : step.releases) {
      RoomState &state = rooms[room];
      if (state.awaited - state.freed.size() <= step.pending)
        continue;
      state.tiles[state.freed.size()].end = now;
      state.freed.push_back(now);
    }
  }

  void addHolds() {
    for (auto [number, room] : llvm::enumerate(rooms))
      for (auto [fill, tile] : llvm::enumerate(room.tiles))
        result.holds.push_back({unsigned(number), unsigned(fill % flow.rooms[number].slots),
                                tile.begin, tile.there, tile.end});
  }

  const Flow &flow;
  Durations durations;
  double latency, barrierSeconds;
  std::vector<RoomState> rooms;
  std::vector<double> ready;        // of each step, when the last results are there
  std::vector<unsigned> executions; // so far
  std::vector<std::vector<unsigned>> sources;
  std::vector<double> products; // when each is done that goes on by itself
  double memoryFree = 0, tensorFree = 0;
  Role roles[2] = {{"warps"}, {"fetching warp"}};
  Analysis::Timeline result;
};

} // namespace

Analysis::Timeline timelineOf(const Analysis &analysis, const target::Card &card,
                              double barrierSeconds) {
  return Simulation(analysis, card, barrierSeconds).run();
}

} // namespace nereid::analyzer
