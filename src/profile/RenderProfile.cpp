// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile as tables.
#include "nereid/profile.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace nereid {
namespace {

std::string format(const char *form, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), form, value);
  return text;
}

/// "12.3 us"
std::string durationText(double seconds) {
  const char *units[] = {"s", "ms", "us", "ns"};
  unsigned unit = 0;
  for (; seconds < 1 && unit < 3; ++unit)
    seconds *= 1000;
  return format("%.1f ", seconds) + units[unit];
}

std::string percent(double share) { return format("%.1f %%", 100 * share); }

std::string linesText(const Profile::Line &line) {
  if (!line.place.line)
    return "-";
  std::string text = std::to_string(line.place.line);
  return line.lastLine > line.place.line ? text + "-" + std::to_string(line.lastLine) : text;
}

/// The author's line, shortened; empty for what is none of this file's.
std::string sourceLine(const Profile &profile, const Profile::Line &line) {
  if (line.place.line < profile.firstLine || line.place.file != profile.file)
    return "";
  size_t at = 0;
  for (unsigned i = profile.firstLine; i < line.place.line && at != std::string::npos; ++i) {
    at = profile.text.find('\n', at);
    at = at == std::string::npos ? at : at + 1;
  }
  if (at == std::string::npos)
    return "";
  std::string text = profile.text.substr(at, profile.text.find('\n', at) - at);
  text.erase(0, text.find_first_not_of(" \t"));
  constexpr size_t most = 48;
  return printable(text.size() > most ? text.substr(0, most - 3) + "..." : text);
}

/// ", rounds alone"
std::string restOf(const std::string &detail) {
#define DETAIL(Name, name, rest)                                                                   \
  if (detail == name && *rest)                                                                     \
    return ", " rest;
#include "support/clock_details.def"
  return {};
}

class Text {
public:
  Text(const Profile &profile, bool isColored) : p(profile), isColored(isColored) {}

  std::string render() {
    if (p.threads)
      headOfThreads();
    else
      head();
    table(/*ofProducer=*/false);
    table(/*ofProducer=*/true);
    multiprocessors();
    for (const std::string &note : p.notes)
      out += printable("note: " + note) + "\n";
    return std::move(out);
  }

private:
  std::string colored(const char *code, const std::string &text) const {
    return isColored ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
  }

  void head() {
    out += printable(p.kernel + " on " + p.device) + ": ";
    if (p.turns)
      out += durationText(p.seconds) + ", with clocks " + durationText(p.profiledSeconds) + " (" +
             (p.overhead() < 0 ? "" : "+") + percent(p.overhead()) + ", medians of " +
             std::to_string(p.turns) + " launches each by turns)";
    else
      out += "one launch with clocks";
    out += "\n" + std::to_string(p.launchedBlocks) + " blocks of " + std::to_string(p.warps) +
           " warps, of which " + std::to_string(p.notingBlocks) + " noted what their warps did (" +
           percent(p.recorded) + " of their time" + restOf(p.detail) + ")";
    if (p.notingOverhead > 0)
      out += " and took " + percent(p.notingOverhead) + " longer than the others";
    if (p.detail == "all" || p.detail == "waits")
      out += "; warps wait " + percent(p.waits) + " of the time";
    out += "\n\n";
  }

  /// Of a CPU.
  void headOfThreads() {
    out += printable(p.kernel + " on " + p.device) + ": ";
    if (p.turns)
      out += durationText(p.seconds) + ", looked at " + durationText(p.profiledSeconds) + " (" +
             (p.overhead() < 0 ? "" : "+") + percent(p.overhead()) + ", medians of " +
             std::to_string(p.turns) + " launches each by turns)";
    else
      out += "one launch";
    out += "\n" + std::to_string(p.launchedBlocks) + " programs on " + std::to_string(p.threads) +
           " threads, which were seen in the kernel " + std::to_string(p.samples) + " times\n\n";
  }

  void table(bool ofProducer) {
    bool isFirst = true;
    for (const Profile::Line &line : p.lines) {
      if (line.isProducer != ofProducer || (line.count == 0 && !p.threads))
        continue;
      constexpr double least = 0.0005;
      if (line.share < least)
        continue;
      if (isFirst)
        out += std::string(ofProducer ? "  the warp that fetches\n" : "") +
               (p.threads ? "  line      share    in a launch       seen  what\n"
                          : "  line      share    of a warp        times  what\n");
      isFirst = false;
      char row[160];
      std::snprintf(row, sizeof(row), "  %-8s %7s %11s %12llu  ", linesText(line).c_str(),
                    percent(line.share).c_str(), durationText(line.seconds).c_str(),
                    static_cast<unsigned long long>(line.count));
      std::string what = line.meaning;
      if (std::string source = sourceLine(p, line); !source.empty())
        what += ": " + source;
      constexpr double heavy = 0.1;
      const char *code = line.isWait ? (line.share >= heavy ? "31" : "33") : "32";
      out += colored(code, row + what) + "\n";
    }
    out += isFirst ? "" : "\n";
  }

  /// When the multiprocessors have nothing to do any more.
  void multiprocessors() {
    std::map<unsigned, std::pair<double, double>> used; // seconds, end
    double end = 0;
    for (const Profile::Block &block : p.blocks) {
      auto &[seconds, last] = used[block.multiprocessor];
      seconds += block.end - block.begin;
      last = std::max(last, block.end);
      end = std::max(end, block.end);
    }
    if (used.empty() || end <= 0)
      return;
    double first = end, sum = 0;
    for (const auto &[number, use] : used) {
      first = std::min(first, use.second);
      sum += use.second / end;
    }
    out += std::to_string(used.size()) + " of " + std::to_string(p.multiprocessors) +
           " multiprocessors had blocks; blocks end after " + durationText(end) +
           ", on the first multiprocessor to be done after " + durationText(first) +
           ", in the mean " + percent(sum / double(used.size())) + " of it";
    if (p.resolution > 0)
      out += " (to within " + durationText(p.resolution) + ")";
    out += "\n";
  }

  const Profile &p;
  bool isColored;
  std::string out;
};

} // namespace

std::string toText(const Profile &profile, bool isColored) {
  return Text(profile, isColored).render();
}

} // namespace nereid
