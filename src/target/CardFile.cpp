// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/CardFile.h"

#include "nereid/error.h"
#include "target/NvidiaTarget.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace nereid::target {
namespace {

#define COLUMN(key, unit, scale, member, meaning)                                                  \
  {key,                                                                                            \
   unit,                                                                                           \
   scale,                                                                                          \
   [](const Card &card) { return double(card.member); },                                           \
   [](Card &card, double value) { card.member = static_cast<decltype(card.member)>(value); },      \
   meaning}

constexpr CardColumn columns[] = {
    COLUMN("multiprocessors", "", 1, multiprocessors, "as the driver says"),
    COLUMN("clock", "MHz", 1e6, clockHertz, "while all of them add and multiply"),
    COLUMN("memory_peak", "GB/s", 1e9, memoryPeak,
           "clock and width of its bus, as the driver says"),
    COLUMN("memory_reached", "GB/s", 1e9, memoryReached, "what a copy reaches"),
    COLUMN("l2_size", "MB", 1e6, l2Bytes, "as the driver says"),
    COLUMN("l2_rate", "GB/s", 1e9, l2Rate, "what programs get that read the same again and again"),
    COLUMN("memory_latency", "ns", 1e-9, memoryLatency,
           "an access whose address the one before gave"),
    COLUMN("launch_time", "us", 1e-6, launchTime, "a kernel that does nothing, in a graph of many"),
    COLUMN("tensor_share", "%", 1e-2, tensorShare,
           "of the tensor cores' rate at this clock, a product of f16, 4096 cubed"),
};
#undef COLUMN

[[noreturn]] void refuse(const std::string &path, unsigned line, const std::string &why) {
  throw Error(Error::Kind::Usage,
              printable(path) + (line ? ":" + std::to_string(line) : "") + ": " + why);
}

std::string keys() {
  std::string text = "name, sm";
  for (const CardColumn &column : columns)
    text += std::string(", ") + column.key;
  return text;
}

/// "1755 MHz" with the column's own unit, or none.
double numberOf(llvm::StringRef text, const CardColumn &column, const std::string &path,
                unsigned line) {
  auto [digits, unit] = text.split(' ');
  double value = 0;
  if (digits.getAsDouble(value) || !std::isfinite(value) || value <= 0 ||
      (!unit.trim().empty() && unit.trim() != column.unit))
    refuse(path, line,
           std::string(column.key) + " is a number above 0" +
               (*column.unit ? std::string(" in ") + column.unit : "") + ", not '" +
               printable(text.str()) + "'");
  return value * column.scale;
}

} // namespace

llvm::ArrayRef<CardColumn> cardColumns() { return columns; }

Card parseCard(std::string_view text, const std::string &path) {
  Card card{};
  std::vector<std::pair<const CardColumn *, double>> figures;
  std::string name, sm;
  unsigned number = 0;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    ++number;
    line = line.take_until([](char c) { return c == '#'; }).trim();
    if (line.empty())
      continue;
    auto [left, right] = line.split('=');
    llvm::StringRef key = left.trim(), value = right.trim();
    if (value.empty())
      refuse(path, number, "a line of a card is KEY = VALUE, not '" + printable(line.str()) + "'");
    if (key == "name")
      name = value.str();
    else if (key == "sm")
      sm = value.str();
    else if (const auto *column =
                 llvm::find_if(columns, [&](const CardColumn &c) { return key == c.key; });
             column != std::end(columns))
      figures.emplace_back(column, numberOf(value, *column, path, number));
    else
      refuse(path, number, "a card has no '" + printable(key.str()) + "'; it has: " + keys());
  }
  std::optional<Card> blank = blankCard(sm);
  if (!blank)
    refuse(path, 0,
           sm.empty()
               ? "the card has no sm, as sm = sm_90a"
               : "nothing is known of what an SM of '" + printable(sm) + "' does in a cycle");
  card = *std::move(blank);
  card.name = name.empty() ? path : name;
  for (const CardColumn &column : columns) {
    const auto found = llvm::find_if(figures, [&](const auto &f) { return f.first == &column; });
    if (found == figures.end())
      refuse(path, 0, std::string("the card has no ") + column.key);
    column.set(card, found->second);
  }
  return card;
}

std::string toText(const Card &card) {
  std::string text =
      "# A GPU, for nereid analyze --card FILE.\nname = " + card.name + "\nsm = " + card.sm + "\n";
  for (const CardColumn &column : columns)
    text += llvm::formatv("{0} = {1:f3} {2}  # {3}\n", column.key, column.get(card) / column.scale,
                          column.unit, column.meaning)
                .str();
  return text;
}

} // namespace nereid::target
