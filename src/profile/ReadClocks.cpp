// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/ReadClocks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace nereid::profiler {
namespace {

using runtime::BlockRow;
using runtime::ClockReadings;
using runtime::ClockRecord;
using runtime::ClockSite;

/// Each multiprocessor counts cycles of its own; the GPU's clock, which they share, moves in steps.
/// Where an SM's cycles lie in time is the mean over all that it noted by both.
class Axis {
public:
  explicit Axis(const ClockReadings &readings) {
    double cycles = 0, nanoseconds = 0;
    uint64_t step = 0, first = readings.rows.empty() ? 0 : readings.rows[0].beginNanoseconds;
    auto distance = [&](uint64_t at) { return at > first ? at - first : first - at; };
    for (const BlockRow &row : readings.rows) {
      if (row.endNanoseconds < row.beginNanoseconds || row.endCycles < row.beginCycles)
        throw Error(Error::Kind::Internal, "a block of a profiled kernel ended before it began");
      cycles += double(row.endCycles - row.beginCycles);
      nanoseconds += double(row.endNanoseconds - row.beginNanoseconds);
      step = std::gcd(step, std::gcd(distance(row.beginNanoseconds), distance(row.endNanoseconds)));
    }
    resolution_ = double(step) * 1e-9;
    hertz_ = readings.clockHertz;
    // Many steps in all: then what the ends of blocks are rounded by is small beside them.
    constexpr double stepsEnough = 50;
    if (nanoseconds > stepsEnough * double(step) && cycles > 0)
      hertz_ = cycles / (nanoseconds * 1e-9);
    if (hertz_ <= 0)
      hertz_ = 1e9;
    for (const BlockRow &row : readings.rows) {
      auto &[sum, count] = offsets[row.multiprocessor];
      sum += offsetOf(row.beginNanoseconds, row.beginCycles) +
             offsetOf(row.endNanoseconds, row.endCycles);
      count += 2;
    }
    for (const BlockRow &row : readings.rows)
      origin = std::min(origin, absolute(row.multiprocessor, row.beginCycles));
  }

  double hertz() const { return hertz_; }
  double resolution() const { return resolution_; }
  /// From the first block's beginning on.
  double seconds(uint64_t multiprocessor, uint64_t cycles) const {
    return absolute(multiprocessor, cycles) - origin;
  }

private:
  /// Numbers since the machine was switched on would leave doubles too few digits.
  double offsetOf(uint64_t nanoseconds, uint64_t cycles) {
    if (!isAnchored) {
      anchorNanoseconds = nanoseconds;
      anchorCycles = cycles;
      isAnchored = true;
    }
    return double(static_cast<int64_t>(nanoseconds - anchorNanoseconds)) * 1e-9 -
           double(static_cast<int64_t>(cycles - anchorCycles)) / hertz_;
  }
  double absolute(uint64_t multiprocessor, uint64_t cycles) const {
    auto found = offsets.find(multiprocessor);
    double offset = found == offsets.end() ? 0 : found->second.first / found->second.second;
    return double(static_cast<int64_t>(cycles - anchorCycles)) / hertz_ + offset;
  }

  std::map<uint64_t, std::pair<double, double>> offsets; // sum and number
  double hertz_ = 0, resolution_ = 0, origin = 1e300;
  bool isAnchored = false;
  uint64_t anchorNanoseconds = 0, anchorCycles = 0;
};

class Reader {
public:
  explicit Reader(const ClockReadings &readings) : readings(readings), axis(readings) {
    for (const ClockSite &site : readings.sites)
      lineOfSite.push_back(lineFor(site));
  }

  Profile read() {
    profile.launchedBlocks = readings.blocks;
    profile.warps = readings.warps;
    profile.multiprocessors = readings.multiprocessors;
    profile.clockHertz = axis.hertz();
    profile.resolution = axis.resolution();
    const runtime::ClockShares &shares = readings.shares;
    for (size_t row = 0; row < readings.rows.size(); ++row) {
      const BlockRow &block = readings.rows[row];
      profile.blocks.push_back({row * shares.blocksPerRow,
                                static_cast<unsigned>(block.multiprocessor),
                                axis.seconds(block.multiprocessor, block.beginCycles),
                                axis.seconds(block.multiprocessor, block.endCycles)});
    }
    addNoting();
    uint64_t perArea = shares.areaBytes / sizeof(ClockRecord);
    for (uint64_t area = 0; area < shares.areas; ++area) {
      uint64_t block = area / readings.warps * shares.blocksPerArea;
      readWarp(static_cast<uint32_t>(block / shares.blocksPerRow),
               static_cast<uint16_t>(area % readings.warps),
               std::span(readings.records).subspan(area * perArea, perArea));
    }
    addUp();
    return std::move(profile);
  }

private:
  /// Who notes, and how much longer than the others that takes.
  void addNoting() {
    const runtime::ClockShares &shares = readings.shares;
    profile.notingBlocks = shares.areas / readings.warps;
    double noting = 0, others = 0;
    uint64_t notingRows = 0, otherRows = 0;
    for (size_t row = 0; row < readings.rows.size(); ++row) {
      const uint64_t block = row * shares.blocksPerRow;
      const auto cycles = double(readings.rows[row].endCycles - readings.rows[row].beginCycles);
      const bool notes =
          block % shares.blocksPerArea == 0 && block / shares.blocksPerArea < profile.notingBlocks;
      (notes ? noting : others) += cycles;
      ++(notes ? notingRows : otherRows);
    }
    if (notingRows && otherRows && others > 0)
      profile.notingOverhead = noting / double(notingRows) / (others / double(otherRows)) - 1;
  }

  /// Sites that passes copied are one line.
  uint32_t lineFor(const ClockSite &site) {
    const runtime::CodePlace &place = site.place;
    auto key = std::tuple(site.isProducer, site.name, place.file, place.line, place.lastLine);
    auto [found, isNew] = known.try_emplace(key, static_cast<uint32_t>(profile.lines.size()));
    if (isNew) {
      Profile::Line line;
      line.place = {place.file, place.line, place.column};
      line.lastLine = place.lastLine;
      line.what = toString(site.name);
      line.meaning = meaningOf(site.name);
      line.isWait = kindOf(site.name) == ClockKind::Wait;
      line.isProducer = site.isProducer;
      profile.lines.push_back(std::move(line));
    }
    return found->second;
  }

  const ClockSite &siteOf(const ClockRecord &record) const {
    if (record.site == 0 || record.site > readings.sites.size())
      throw Error(Error::Kind::Internal, "a profiled kernel noted number " +
                                             std::to_string(record.site) + " of " +
                                             std::to_string(readings.sites.size()));
    return readings.sites[record.site - 1];
  }

  void readWarp(uint32_t row, uint16_t warp, std::span<const ClockRecord> area) {
    if (siteOf(area.front()).name != ClockName::begin || siteOf(area.back()).name != ClockName::end)
      throw Error(Error::Kind::Internal, "a warp of a profiled kernel left no beginning or no end");
    const BlockRow &block = readings.rows[row];
    // The low half of the cycles turns over every two seconds or so: each interval is shorter.
    uint64_t at = block.beginCycles + static_cast<int64_t>(static_cast<int32_t>(
                                          area.front().clock - uint32_t(block.beginCycles)));
    uint64_t begin = at;
    uint32_t low = area.front().clock;
    bool isProducer = siteOf(area.back()).isProducer;
    Role &role = isProducer ? producers : others;
    auto add = [&](const ClockRecord &record) {
      uint64_t next = at + uint32_t(record.clock - low);
      uint32_t line = lineOfSite[record.site - 1];
      Profile::Line &sum = profile.lines[line];
      ++sum.count;
      sum.seconds += double(next - at) / axis.hertz();
      profile.intervals.push_back({row, warp, line, axis.seconds(block.multiprocessor, at),
                                   axis.seconds(block.multiprocessor, next)});
      at = next;
      low = record.clock;
    };
    size_t number = 1;
    for (; number + 1 < area.size() && area[number].site; ++number) {
      siteOf(area[number]);
      add(area[number]);
    }
    bool isFull = number + 1 == area.size();
    if (isFull) { // what came behind them is not known
      uint64_t end = at + uint32_t(area.back().clock - low);
      role.lost += double(end - at) / axis.hertz();
      role.seconds += double(end - begin) / axis.hertz();
    } else {
      add(area.back());
      role.seconds += double(at - begin) / axis.hertz();
    }
    // Those that only lend their registers end at once.
    role.warps += !isProducer || number > 1;
  }

  void addUp() {
    double waits = 0;
    std::vector<uint32_t> order, place(profile.lines.size());
    for (uint32_t i = 0; i < profile.lines.size(); ++i) {
      Profile::Line &line = profile.lines[i];
      const Role &role = line.isProducer ? producers : others;
      double recorded = role.seconds - role.lost;
      line.share = recorded > 0 ? line.seconds / recorded : 0;
      if (line.isWait && !line.isProducer)
        waits += line.share;
      line.seconds /= double(std::max<uint64_t>(1, role.warps));
      if (line.count)
        order.push_back(i);
    }
    std::ranges::sort(order, std::less(), [&](uint32_t i) {
      const Profile::Line &line = profile.lines[i];
      return std::tuple(line.isProducer, -line.seconds, i);
    });
    std::vector<Profile::Line> lines;
    for (uint32_t i : order) {
      place[i] = static_cast<uint32_t>(lines.size());
      lines.push_back(std::move(profile.lines[i]));
    }
    profile.lines = std::move(lines);
    for (Profile::Interval &interval : profile.intervals)
      interval.line = place[interval.line];
    double all = others.seconds + producers.seconds;
    profile.recorded = all > 0 ? 1 - (others.lost + producers.lost) / all : 1;
    profile.waits = waits;
  }

  struct Role {
    double seconds = 0, lost = 0;
    uint64_t warps = 0;
  };
  const ClockReadings &readings;
  Axis axis;
  Profile profile;
  std::map<std::tuple<bool, ClockName, std::string, unsigned, unsigned>, uint32_t> known;
  std::vector<uint32_t> lineOfSite;
  Role others, producers;
};

} // namespace

Profile readClocks(const ClockReadings &readings) { return Reader(readings).read(); }

} // namespace nereid::profiler
