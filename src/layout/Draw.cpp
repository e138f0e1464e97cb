// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Draw.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace nereid::layout {
namespace {

constexpr size_t PageWidth = 100, LinesInFull = 8, CellsOfList = 4;

/// Cells by line and column, and what stands before lines and above columns.
struct Table {
  uint64_t lines, columns; // powers of two
  std::string corner;
  std::function<std::string(uint64_t)> lineName, columnName;
  std::function<std::string(uint64_t, uint64_t)> cell;
};

/// The first `inFull` of `count` numbers, and the powers of two among the rest.
std::vector<uint64_t> selection(uint64_t count, uint64_t inFull) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < std::min(count, inFull); ++i)
    numbers.push_back(i);
  for (uint64_t i = std::bit_ceil(std::max<uint64_t>(1, inFull)); i < count; i *= 2)
    numbers.push_back(i);
  return numbers;
}

std::string padded(const std::string &text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// What stands before a column: ".." where some are left out.
std::string_view separator(const std::vector<uint64_t> &columns, size_t i) {
  return !i ? " " : columns[i] != columns[i - 1] + 1 ? " .. " : "  ";
}

bool fits(const std::vector<uint64_t> &columns, size_t nameWidth, size_t width) {
  size_t used = nameWidth + 2;
  for (size_t i = 0; i < columns.size(); ++i)
    used += separator(columns, i).size() + width;
  return used <= PageWidth;
}

std::string line(const std::string &name, size_t nameWidth, const std::vector<uint64_t> &columns,
                 size_t width, const char *bar, const std::function<std::string(uint64_t)> &text) {
  std::string result = padded(name, nameWidth) + bar;
  for (size_t i = 0; i < columns.size(); ++i) {
    result += separator(columns, i);
    result += padded(text(columns[i]), width);
  }
  result.erase(result.find_last_not_of(' ') + 1);
  return result + "\n";
}

std::string draw(const Table &table) {
  const std::vector<uint64_t> lines =
      selection(table.lines, 2 * LinesInFull < table.lines ? LinesInFull : table.lines);
  size_t nameWidth = table.corner.size(), width = 0;
  for (uint64_t i : lines)
    nameWidth = std::max(nameWidth, table.lineName(i).size());
  for (uint64_t j : selection(table.columns, 8)) {
    width = std::max(width, table.columnName(j).size());
    for (uint64_t i : lines)
      width = std::max(width, table.cell(i, j).size());
  }
  // As many columns in full as the page has room for, besides the powers of two.
  std::vector<uint64_t> columns = selection(table.columns, table.columns);
  for (uint64_t inFull = table.columns; !fits(columns, nameWidth, width) && inFull > 1;)
    columns = selection(table.columns, --inFull);
  while (columns.size() > 1 && !fits(columns, nameWidth, width))
    columns.pop_back();

  std::string text = line(table.corner, nameWidth, columns, width, "  ", table.columnName);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i && lines[i] != lines[i - 1] + 1)
      text += padded(":", nameWidth) + "\n";
    text += line(table.lineName(lines[i]), nameWidth, columns, width, " |",
                 [&](uint64_t column) { return table.cell(lines[i], column); });
  }
  return text;
}

std::string number(uint64_t value) { return std::to_string(value); }

std::string range(uint64_t first, uint64_t count) {
  return number(first) + (count > 1 ? "-" + number(first + count - 1) : "");
}

std::string counted(uint64_t count, std::string_view noun) {
  std::string text = number(count) + " " + std::string(noun);
  if (count == 1)
    return text;
  if (noun == "matrix")
    return number(count) + " matrices";
  return text + (noun.ends_with('s') ? "es" : "s");
}

template <typename Range> std::string joined(const Range &range, const char *separator) {
  std::string text;
  for (const auto &item : range)
    text += (text.empty() ? "" : separator) + number(item);
  return text;
}

/// The bases, an input on a line: "register (0,1) (8,0)".
std::string drawBases(const LinearLayout &layout) {
  size_t nameWidth = 0;
  for (const Space &space : layout.inputs())
    nameWidth = std::max(nameWidth, space.name.size());
  std::string text;
  for (auto space = layout.inputs().rbegin(); space != layout.inputs().rend(); ++space) {
    std::string bases = "  " + space->name + std::string(nameWidth - space->name.size(), ' ');
    if (!space->bits)
      bases += " -";
    for (Vector basis : layout.bases(space->name)) {
      const std::string element = " (" + joined(unpack(layout.outputs(), basis), ",") + ")";
      if (bases.size() - (bases.rfind('\n') + 1) + element.size() > PageWidth)
        bases += "\n" + std::string(nameWidth + 2, ' ');
      bases += element;
    }
    text += bases + "\n";
  }
  return text;
}

/// How many of the last dimension's low bits are the low bits of the register's number.
unsigned runBits(const LinearLayout &threads, unsigned columnBits) {
  const auto registers = threads.bases(Register);
  unsigned bits = 0;
  while (bits < columnBits && bits < registers.size() && registers[bits] == Vector(1) << bits)
    ++bits;
  return bits;
}

std::string heading(const LinearLayout &threads) {
  std::string text = joined(shapeOf(threads), " x ");
  if (text.empty())
    text = "one value";
  for (const auto &[input, noun] :
       {std::pair(Register, "register"), std::pair(Lane, "lane"), std::pair(Warp, "warp")})
    text += (input == Register ? ": " : ", ") +
            counted(uint64_t(1) << threads.bases(input).size(), noun);
  const unsigned copies = threads.inputBits() - threads.rank();
  return text + (copies ? ", each element held " + number(uint64_t(1) << copies) + " times"
                        : ", each element held once");
}

std::string percent(uint64_t part, uint64_t whole) {
  return number(whole ? 100 * part / whole : 100) + " %";
}

} // namespace

std::string drawTile(const LinearLayout &threads) {
  const Spaces &spaces = threads.outputs();
  const unsigned bits = threads.outputBits();
  const unsigned columnBits = spaces.empty() ? 0 : spaces.back().bits;
  const unsigned run = runBits(threads, columnBits);
  // A vector is broken into lines.
  const unsigned lineBits = spaces.size() == 1
                                ? std::min(bits, run + unsigned(std::countr_zero(CellsOfList)))
                                : columnBits;
  const LinearLayout placeOf = threads.pseudoInverse();
  const Spaces above(spaces.begin(), spaces.end() - (spaces.empty() ? 0 : 1));
  const bool hasWarps = !threads.bases(Warp).empty();

  Table table;
  table.lines = uint64_t(1) << (bits - lineBits);
  table.columns = uint64_t(1) << (lineBits - run);
  table.lineName = [&](uint64_t i) {
    return spaces.size() == 1 ? number(i << lineBits) : joined(unpack(above, i), ",");
  };
  table.columnName = [&](uint64_t j) { return range(j << run, uint64_t(1) << run); };
  table.cell = [&](uint64_t i, uint64_t j) {
    const Coordinates place =
        unpack(placeOf.outputs(), placeOf(i << lineBits | j << run)); // warp, lane, register
    return (hasWarps ? "w" + number(place[0]) + " " : "") + "l" + number(place[1]) + " r" +
           number(place[2]);
  };
  return heading(threads) + "\n" + drawBases(threads) + "\n" + draw(table);
}

std::string drawShared(const LinearLayout &shared, unsigned elementBytes) {
  const unsigned bits = shared.inputBits();
  const unsigned rowBits = std::min(bits, unsigned(std::countr_zero(16 / elementBytes)));
  const unsigned lineBits = std::min(bits, rowBits + 3);
  Table table;
  table.lines = uint64_t(1) << (bits - lineBits);
  table.columns = uint64_t(1) << (lineBits - rowBits);
  table.corner = "byte";
  table.lineName = [&](uint64_t i) { return number((i << lineBits) * elementBytes); };
  table.columnName = [&](uint64_t j) { return "+" + number((j << rowBits) * elementBytes); };
  table.cell = [&](uint64_t i, uint64_t j) {
    return joined(unpack(shared.outputs(), shared(i << lineBits | j << rowBits)), ",");
  };
  return joined(shapeOf(shared), " x ") + " in " + number((uint64_t(1) << bits) * elementBytes) +
         " bytes of shared memory\n" + drawBases(shared) + "\n" + draw(table);
}

std::string describe(const GlobalAccess &access, const Sectors &sectors, unsigned elementBytes) {
  const bool alike = sectors.touched == sectors.requests * sectors.mostInRequest;
  return counted(access.elements * elementBytes, "byte") + " a lane, " +
         counted(sectors.requests, "request") + (alike ? " of " : " of up to ") +
         counted(sectors.mostInRequest, "sector") + ", " + percent(sectors.ideal, sectors.touched) +
         " of their bytes used";
}

std::string describe(const SharedAccess &access, unsigned elementBytes) {
  const unsigned ways = access.wavefronts / access.idealWavefronts;
  const std::string what =
      access.instruction == SharedInstruction::Vector
          ? counted(access.elements * elementBytes, "byte") + " a lane"
          : counted(access.matrices, "matrix") +
                (access.instruction == SharedInstruction::MatrixTransposed ? ", transposed" : "");
  return what + ", " + counted(access.steps.size(), "access") + " of " +
         counted(access.wavefronts, "wavefront") + ", " +
         (ways > 1 ? number(ways) + "-way bank conflicts" : "no bank conflicts");
}

std::string describe(const Conversion &conversion, unsigned elementBytes) {
  if (std::holds_alternative<NoConversion>(conversion.plan))
    return "nothing to do";
  if (std::holds_alternative<RenameRegisters>(conversion.plan))
    return "registers are renamed";
  if (const auto *plan = std::get_if<ShufflePlan>(&conversion.plan)) {
    const auto moves = [&](const auto &shuffle) { return !plan->staysInLane(shuffle); };
    return counted(uint64_t(std::count_if(plan->shuffles.begin(), plan->shuffles.end(), moves)),
                   "shuffle") +
           " of " + counted(plan->words[0].size() * elementBytes, "byte") + ", " +
           counted(plan->before.support() + plan->after.support(), "pass") + " of selects";
  }
  const auto &plan = std::get<SharedPlan>(conversion.plan);
  return "through " + counted(plan.bytes, "byte") +
         " of shared memory\n  write: " + describe(plan.path.write, elementBytes) + "\n  " +
         (plan.withinWarps ? "barrier of the warp" : "barrier of the block") +
         "\n  read:  " + describe(plan.path.read, elementBytes);
}

} // namespace nereid::layout
