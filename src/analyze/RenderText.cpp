// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report as tables.
#include "analyze/Figures.h"
#include "analyze/TextTable.h"
#include "nereid/analyze.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace nereid {
namespace {

using analyzer::bytesText, analyzer::flopText, analyzer::lineText, analyzer::placeText,
    analyzer::timeText, analyzer::Tone, analyzer::toned;
using Table = analyzer::TextTable;

/// Of the longest program by one of the mean.
constexpr double worthNaming = 1.05;

/// Nothing for none, where most rows have one or the other.
std::string numberText(uint64_t number) { return number ? llvm::utostr(number) : std::string(); }

/// "4.0 (1.0)": what there is, and what is possible. Nothing where nothing is asked for.
std::string ratioText(uint64_t of, uint64_t least, uint64_t requests) {
  if (!requests)
    return {};
  const auto count = double(requests);
  return llvm::formatv("{0:f1} ({1:f1})", double(of) / count, double(least) / count);
}

std::string shareText(double part, double whole) {
  return part <= 0 || whole <= 0 ? "" : llvm::formatv("{0:f0} %", 100 * part / whole).str();
}

/// Of a row that asks for more than it has to: whether that costs anything.
Tone toneOf(uint64_t count, uint64_t least, double lost, double whole) {
  constexpr double worthSaying = 0.03; // as for advice
  return count <= least ? Tone::Plain : lost >= worthSaying * whole ? Tone::Loss : Tone::Mild;
}

class Renderer {
public:
  Renderer(const Analysis &analysis, llvm::raw_ostream &out, bool isColored)
      : a(analysis), out(out), isColored(isColored) {}

  void print() {
    printHead();
    printBounds();
    printAccesses();
    printShared();
    printProducts();
    printInstructions();
    printArrays();
    printAdvice();
    for (const std::string &note : a.notes)
      out << "note: " << printable(note) << "\n";
  }

private:
  void printHead() {
    out << toned(Tone::Strong,
                 llvm::formatv("{0} for {1} on {2}: {3} predicted, bound by {4}",
                               printable(a.kernel), a.target, printable(a.card),
                               timeText(a.seconds), a.bound),
                 isColored)
        << "\n";
    out << llvm::formatv("  grid {0} x {1} x {2}, {3} programs of {4} threads", a.gridX, a.gridY,
                         a.gridZ, a.programs, a.threads);
    if (a.blocks != a.programs)
      out << llvm::formatv(" by {0} blocks", a.blocks);
    out << llvm::formatv("; {0:f2} fillings of {1} SMs", a.waves, a.multiprocessors);
    if (a.waves > 1 && a.tail > 0)
      out << llvm::formatv(", {0:f0} % of the last empty", 100 * a.tail);
    out << "\n";
    out << "  ";
    if (a.isAssembled)
      out << llvm::formatv(
          "{0} registers{1}, ", a.registers,
          a.spillStoreBytes + a.spillLoadBytes
              ? llvm::formatv(" ({0} bytes spilled)", a.spillStoreBytes + a.spillLoadBytes).str()
              : std::string());
    out << llvm::formatv("{0} of shared memory; {1} blocks on an SM at once (limited by {2}), "
                         "{3:f0} % of its threads\n",
                         bytesText(a.sharedBytes), a.residentBlocks, a.residenceLimit,
                         100 * a.occupancy);
    if (a.longestProgram >= worthNaming)
      out << llvm::formatv("  programs do unequally much: ({0}, {1}, {2}) takes {3:f1} times what "
                           "they take in the mean; until the last ends, SMs have one {4:f0} % of "
                           "the time\n",
                           a.longestX, a.longestY, a.longestZ, a.longestProgram,
                           100 * a.timeAtWork);
    out << llvm::formatv("  {0}, {1} of memory, {2} of L2: {3:f2} FLOP a byte (the roof "
                         "bends at {4:f1})\n\n",
                         flopText(a.flops), bytesText(double(a.memoryBytes)),
                         bytesText(double(a.l2Bytes)), a.intensity, a.peakFlops / a.peakBytes);
  }

  void printBounds() {
    out << "Each part alone\n";
    Table table({"part", "takes", "not hidden", "for"}, 4);
    for (const Analysis::Bound &bound : a.bounds)
      if (bound.seconds > a.seconds / 1000)
        table.add({bound.name, timeText(bound.seconds),
                   bound.exposedSeconds > a.seconds / 1000 ? timeText(bound.exposedSeconds) : "",
                   bound.amount},
                  &bound == &a.bounds.front() ? Tone::Strong : Tone::Plain);
    table.print(out, isColored);
  }

  void printAccesses() {
    if (a.accesses.empty())
      return;
    out << "Arrays, by line (sectors of 32 bytes: as they are, and as few as possible)\n";
    Table table({"line", "what", "array", "requests", "sectors", "of a request", "a lane", "asked",
                 "loses"});
    for (const Analysis::Access &access : a.accesses)
      table.add({lineText(access.place, a.file), access.kind, printable(access.array),
                 llvm::utostr(access.requests), llvm::utostr(access.sectors),
                 ratioText(access.sectors, access.leastSectors, access.requests),
                 access.bytesOfLane ? llvm::utostr(access.bytesOfLane) + " B" : "box",
                 bytesText(double(access.bytes)), shareText(access.lostSeconds, a.seconds)},
                toneOf(access.sectors, access.leastSectors, access.lostSeconds, a.seconds));
    table.print(out, isColored);
  }

  void printShared() {
    if (a.shared.empty())
      return;
    out << "Shared memory, by line (wavefronts of 128 bytes)\n";
    Table table({"line", "what", "", "requests", "wavefronts", "of a request", "barriers",
                 "of warps", "mbarriers", "loses"});
    for (const Analysis::Shared &entry : a.shared)
      table.add({lineText(entry.place, a.file), entry.kind, "", numberText(entry.requests),
                 numberText(entry.wavefronts),
                 ratioText(entry.wavefronts, entry.leastWavefronts, entry.requests),
                 numberText(entry.barriers), numberText(entry.warpBarriers),
                 numberText(entry.mbarriers), shareText(entry.lostSeconds, a.seconds)},
                toneOf(entry.wavefronts, entry.leastWavefronts, entry.lostSeconds, a.seconds));
    table.print(out, isColored);
  }

  void printProducts() {
    if (a.products.empty())
      return;
    out << "Products\n";
    Table table({"line", "instruction", "", "count", "FLOP", "at full rate"});
    for (const Analysis::Product &product : a.products)
      table.add({lineText(product.place, a.file), product.instruction, "",
                 llvm::utostr(product.count), flopText(product.flops), timeText(product.seconds)});
    table.print(out, isColored);
  }

  /// Units that execute something have a column.
  void printInstructions() {
    std::vector<std::string> head = {"line", "", ""};
    std::vector<uint64_t Analysis::Instructions::*> members;
    auto add = [&](const char *name, uint64_t Analysis::Instructions::*member) {
      if (std::ranges::none_of(a.instructions, [&](const auto &line) { return line.*member > 0; }))
        return;
      head.push_back(name);
      members.push_back(member);
    };
#define UNIT(member, name, meaning) add(name, &Analysis::Instructions::member);
#include "nereid/units.def"
    if (members.empty())
      return;
    out << "Instructions of warps, of " << a.instructionSource << "\n";
    Table table(head);
    std::vector<uint64_t> sums(members.size());
    for (const Analysis::Instructions &line : a.instructions) {
      std::vector<std::string> row = {lineText(line.place, a.file), "", ""};
      for (auto [member, sum] : llvm::zip(members, sums)) {
        sum += line.*member;
        row.push_back(llvm::utostr(line.*member));
      }
      table.add(row);
    }
    std::vector<std::string> row = {"all", "", ""};
    for (uint64_t sum : sums)
      row.push_back(llvm::utostr(sum));
    table.add(row);
    table.print(out, isColored);
  }

  void printArrays() {
    if (a.arrays.empty())
      return;
    out << "Arrays\n";
    Table table(
        {"array", "", "", "has", "read", "written", "asked of L2", "of memory", "each byte"});
    for (const Analysis::ArrayUse &array : a.arrays)
      table.add({printable(array.name), "", "", bytesText(double(array.bytes)),
                 bytesText(double(array.readBytes)), bytesText(double(array.writtenBytes)),
                 bytesText(double(array.askedBytes)), bytesText(double(array.memoryBytes)),
                 llvm::formatv("{0:f1} times", array.reuse)});
    table.print(out, isColored);
  }

  void printAdvice() {
    if (a.advice.empty())
      out << "No loss above 3 % that has a name.\n";
    for (const Analysis::Advice &advice : a.advice) {
      out << (advice.place.line ? placeText(advice.place, a.file) : "the kernel") << ": "
          << printable(advice.cause)
          << toned(Tone::Loss, llvm::formatv(" ({0:f0} % of the time)", 100 * advice.gain),
                   isColored)
          << "\n    " << toned(Tone::Strong, "better:", isColored) << " "
          << printable(advice.accept) << "\n";
    }
    for (const Remark &remark : a.remarks)
      out << printable(remark.report);
  }

  const Analysis &a;
  llvm::raw_ostream &out;
  bool isColored;
};

} // namespace

static const char *headingOf(llvm::StringRef section) {
  return section == "launch"         ? "The launch"
         : section == "time"         ? "Each part alone"
         : section == "arrays"       ? "Arrays"
         : section == "instructions" ? "Instructions of warps"
                                     : "By line (as it is, and as few as possible)";
}

/// A section of the differences; what differs has a star, and by how much.
static void printSection(llvm::ArrayRef<Difference> rows, llvm::raw_ostream &out, bool isColored) {
  out << headingOf(rows.front().section) << "\n";
  Table table(
      {"", rows.front().section == "lines" ? "what" : "", "", "first", "second", "second / first"});
  for (const Difference &row : rows) {
    std::string ratio;
    if (row.isDifferent && row.ratio > 0)
      ratio = llvm::formatv("{0:f2}", row.ratio);
    auto orNone = [](const std::string &text) { return text.empty() ? "-" : printable(text); };
    table.add({row.isDifferent ? "*" : "", printable(row.name), "", orNone(row.first),
               orNone(row.second), ratio},
              row.isDifferent ? Tone::Strong : Tone::Plain);
  }
  table.print(out, isColored);
}

static void printLosses(const char *which, const Analysis &analysis, llvm::raw_ostream &out) {
  out << "The " << which << " loses\n";
  for (const Analysis::Advice &advice : analysis.advice)
    out << llvm::formatv("  {0:f0} %: {1}{2}\n", 100 * advice.gain,
                         advice.place.line ? placeText(advice.place, analysis.file) + ": "
                                           : std::string(),
                         printable(advice.cause));
  if (analysis.advice.empty())
    out << "  nothing above 3 % that has a name\n";
}

std::string toText(const Comparison &comparison, bool isColored) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const Analysis &first = comparison.first, &second = comparison.second;
  auto head = [&](const char *which, const Analysis &a) {
    out << llvm::formatv("{0}: {1} for {2} on {3}, grid {4} x {5} x {6}, {7} warps: {8} predicted, "
                         "bound by {9}\n",
                         which, printable(a.kernel), a.target, printable(a.card), a.gridX, a.gridY,
                         a.gridZ, a.threads / 32, timeText(a.seconds), a.bound);
  };
  head("first", first);
  head("second", second);
  out << llvm::formatv("The second takes {0:f2} of the first's time. What differs has a star.\n\n",
                       second.seconds / first.seconds);
  llvm::ArrayRef<Difference> rows = comparison.differences;
  while (!rows.empty()) {
    auto section =
        rows.take_while([&](const Difference &row) { return row.section == rows.front().section; });
    printSection(section, out, isColored);
    rows = rows.drop_front(section.size());
  }
  printLosses("first", first, out);
  printLosses("second", second, out);
  for (const std::string &note : first.notes)
    out << "note: " << printable(note) << "\n";
  for (const std::string &note : second.notes)
    if (!llvm::is_contained(first.notes, note))
      out << "note: " << printable(note) << "\n";
  return text;
}

std::string toText(const Analysis &analysis, bool isColored) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Renderer(analysis, out, isColored).print();
  return text;
}

} // namespace nereid
