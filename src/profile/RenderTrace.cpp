// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile as the Trace Event Format (what chrome://tracing and Perfetto open): a process for each
// multiprocessor, in it rows of blocks, and a thread for each warp that noted what it did.
#include "nereid/profile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace nereid {
namespace {

using TraceJson = nlohmann::ordered_json;

/// Some hundred bytes each: what a browser still opens.
constexpr size_t mostIntervals = 200'000;
constexpr unsigned firstWarpThread = 1000; // behind the rows of blocks

class Trace {
public:
  explicit Trace(const Profile &profile) : p(profile) {}

  std::string render() {
    blocks();
    intervals();
    TraceJson document = {{"traceEvents", std::move(events)},
                          {"displayTimeUnit", "ns"},
                          {"otherData",
                           {{"kernel", p.kernel},
                            {"device", p.device},
                            {"overhead", p.overhead()},
                            {"intervals_left_out", leftOut}}}};
    return document.dump(-1, ' ', false, TraceJson::error_handler_t::replace) + "\n";
  }

private:
  void name(const char *kind, unsigned process, unsigned thread, const std::string &text) {
    events.push_back({{"name", kind},
                      {"ph", "M"},
                      {"pid", process},
                      {"tid", thread},
                      {"args", {{"name", text}}}});
  }

  void add(const std::string &text, const char *category, unsigned process, unsigned thread,
           double begin, double end, TraceJson about) {
    constexpr double microseconds = 1e6;
    events.push_back({{"name", text},
                      {"cat", category},
                      {"ph", "X"},
                      {"pid", process},
                      {"tid", thread},
                      {"ts", begin * microseconds},
                      {"dur", (end - begin) * microseconds},
                      {"args", std::move(about)}});
  }

  /// What overlaps on a multiprocessor lies in rows of its own.
  void blocks() {
    std::map<unsigned, std::vector<std::pair<double, size_t>>> order;
    for (size_t i = 0; i < p.blocks.size(); ++i)
      order[p.blocks[i].multiprocessor].emplace_back(p.blocks[i].begin, i);
    for (auto &[multiprocessor, list] : order) {
      std::sort(list.begin(), list.end());
      name("process_name", multiprocessor, 0, "SM " + std::to_string(multiprocessor));
      std::vector<double> ends;
      for (auto [begin, i] : list) {
        size_t row = 0;
        while (row < ends.size() && ends[row] > begin)
          ++row;
        if (row == ends.size()) {
          ends.push_back(0);
          name("thread_name", multiprocessor, static_cast<unsigned>(row),
               "blocks " + std::to_string(row));
        }
        const Profile::Block &block = p.blocks[i];
        ends[row] = block.end;
        add("block " + std::to_string(block.number), "block", multiprocessor,
            static_cast<unsigned>(row), block.begin, block.end, {{"block", block.number}});
      }
    }
  }

  std::string textOf(const Profile::Line &line) const {
    std::string text = line.what;
    if (line.place.line)
      text += " :" + std::to_string(line.place.line);
    if (line.lastLine > line.place.line)
      text += "-" + std::to_string(line.lastLine);
    return text;
  }

  /// Of whole blocks, evenly many of them, as far as there is room.
  void intervals() {
    std::map<uint32_t, size_t> ofBlock;
    for (const Profile::Interval &interval : p.intervals)
      ++ofBlock[interval.block];
    std::set<uint32_t> shown;
    size_t step = p.intervals.size() / mostIntervals + 1, number = 0, room = mostIntervals;
    for (auto [block, count] : ofBlock)
      if (number++ % step == 0 && (count <= room || shown.empty())) {
        shown.insert(block);
        room -= std::min(room, count);
      }
    std::map<std::pair<uint32_t, uint16_t>, unsigned> threads;
    for (const Profile::Interval &interval : p.intervals) {
      if (!shown.contains(interval.block)) {
        ++leftOut;
        continue;
      }
      const Profile::Block &block = p.blocks[interval.block];
      const Profile::Line &line = p.lines[interval.line];
      auto [found, isNew] = threads.try_emplace(
          {interval.block, interval.warp}, firstWarpThread + static_cast<unsigned>(threads.size()));
      if (isNew)
        name("thread_name", block.multiprocessor, found->second,
             "block " + std::to_string(block.number) + " warp " + std::to_string(interval.warp) +
                 (line.isProducer ? " (fetches)" : ""));
      add(textOf(line), line.isWait ? "wait" : "work", block.multiprocessor, found->second,
          interval.begin, interval.end, {{"meaning", line.meaning}});
    }
  }

  const Profile &p;
  TraceJson events = TraceJson::array();
  size_t leftOut = 0;
};

} // namespace

std::string toTrace(const Profile &profile) { return Trace(profile).render(); }

} // namespace nereid
