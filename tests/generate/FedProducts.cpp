// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FedProducts.h"

#include <algorithm>

namespace nereid::generate {

using std::to_string;

void Generator::fedProducts() { FedProducts(*this).write(); }

FedProducts::FedProducts(Generator &generator) : generator(generator), random(generator.random) {}

void FedProducts::chooseTypes() {
  factorType = random.pick({DType::Float16, DType::Float16, DType::Float16, DType::BFloat16,
                            DType::Int8, DType::Float32, DType::Float64});
  sumType = factorType == DType::Int8      ? DType::Int32
            : factorType == DType::Float64 ? DType::Float64
                                           : DType::Float32;
}

void FedProducts::chooseSizes() {
  rows = random.pick({16, 32, 64, 64, 128});
  columns = random.pick({16, 32, 64, 64, 128});
  longest = random.pick({16, 32, 64, 64});
  // What the interpreter multiplies in some rounds.
  double most = generator.nesting > 0 ? 0.2e6 : 1.5e6;
  while (static_cast<double>(rows * columns * longest * generator.programs) > most &&
         std::max({rows, columns, longest}) > 16)
    for (int64_t *side : {&rows, &columns, &longest})
      *side = std::max<int64_t>(*side / 2, 16);
}

std::string FedProducts::array(DType type, int64_t size) {
  return generator.addArray("a", type, std::max<int64_t>(size, 1), Fill::Units).name;
}

std::string FedProducts::number(int64_t value) {
  return random.chance(50) ? to_string(value) : generator.scalarParameter("", value);
}

std::string FedProducts::zeros(int64_t height, int64_t width) const {
  return "tl.zeros(" + text(Shape{height, width}) + ", " + text(sumType) + ")";
}

std::string FedProducts::narrow(const std::string &sum) const {
  std::string two = isFloat(sumType) ? "2.0" : "2";
  return "tl.minimum(tl.maximum(" + sum + ", -" + two + "), " + two + ").to(" + text(factorType) +
         ")";
}

FedProducts::Loop FedProducts::newLoop() {
  Loop loop;
  loop.block = random.chance(70) ? longest : 16;
  loop.length = loop.block * random.between(0, 4);
  loop.isRagged = loop.length > 0 && random.chance(35);
  if (loop.isRagged)
    loop.length -= random.between(1, loop.block - 1);
  loop.first = random.chance(15) ? "(pid % 2 * " + to_string(loop.block) + ")" : "0";
  loop.lengthText = number(loop.length);
  loop.at = generator.freshName("i");
  loop.lanes = generator.freshName("l");
  loop.before.push_back({loop.lanes + " = tl.arange(0, " + to_string(loop.block) + ")", {}, {}});
  return loop;
}

std::vector<Statement> FedProducts::finished(Loop &loop) {
  std::string block = to_string(loop.block);
  std::ranges::move(loop.atEnd, std::back_inserter(loop.body));
  Statement made{"for " + loop.at + " in range(" + loop.first + ", " + loop.lengthText + ", " +
                     block + "):",
                 std::move(loop.body),
                 {}};
  if (random.chance(40)) { // the same by number
    std::string round = generator.freshName("i");
    made.text = "for " + round + " in range(0, tl.cdiv(" + loop.lengthText + " - " + loop.first +
                ", " + block + ")):";
    made.body.insert(made.body.begin(),
                     {loop.at + " = " + loop.first + " + " + round + " * " + block, {}, {}});
  }
  std::vector<Statement> lines = std::move(loop.before);
  lines.push_back(std::move(made));
  return lines;
}

/// How many there are in memory: not less than 1, and whole blocks if the loop's are.
std::string FedProducts::extent(const Loop &loop) const {
  return loop.length > 0 ? loop.lengthText : "1";
}

/// Loads a tile of the round: `block` rows of as many columns as the sums have, or as many rows as
/// they have of `block` columns.
std::string FedProducts::stream(Loop &loop, Way way) {
  bool isOfRows = way == Way::Rows;
  int64_t width = isOfRows ? columns : loop.length;
  int64_t pitch = width + random.pick({0, 0, 0, 8, 16, 3});
  int64_t height = isOfRows ? loop.length : rows * generator.programs;
  std::string base = array(factorType, height * pitch), pitchText = number(pitch);
  std::string name = generator.freshName("f"), pointer = generator.freshName("p");
  std::string own = "(pid * " + to_string(rows) + " + " + rowLanes + ")";
  auto offsets = [&](const std::string &at) {
    std::string along = "(" + at + " + " + loop.lanes + ")";
    return (isOfRows ? along : own) + "[:, None] * " + pitchText + " + " +
           (isOfRows ? columnLanes : along) + "[None, :]";
  };
  std::string mask;
  if (loop.isRagged || random.chance(30))
    mask = ", mask=(" + loop.at + " + " + loop.lanes + ")" +
           (isOfRows ? "[:, None]" : "[None, :]") + " < " + loop.lengthText + ", other=0";
  std::string firstRow = isOfRows ? "0" : "pid * " + to_string(rows);
  std::string shape =
      isOfRows ? extent(loop) + ", " + to_string(columns) : to_string(height) + ", " + extent(loop);
  std::string block = text(isOfRows ? Shape{loop.block, columns} : Shape{rows, loop.block});
  std::string step = to_string(loop.block);
  switch (random.below(6)) {
  case 0: // a carried tile of pointers
  case 1:
    loop.before.push_back({pointer + " = " + base + " + " + offsets(loop.first), {}, {}});
    loop.add(name + " = tl.load(" + pointer + mask + ")");
    loop.atEnd.push_back({pointer + " += " + step + (isOfRows ? " * " + pitchText : ""), {}, {}});
    break;
  case 2:
    loop.before.push_back({pointer + " = tl.make_block_ptr(" + base + ", (" + shape + "), (" +
                               pitchText + ", 1), (" + (isOfRows ? loop.first : firstRow) + ", " +
                               (isOfRows ? "0" : loop.first) + "), " + block + ", (1, 0))",
                           {},
                           {}});
    loop.add(name + " = tl.load(" + pointer + ", boundary_check=(" + (isOfRows ? "0" : "1") +
             ",), padding_option='zero')");
    loop.atEnd.push_back({pointer + " = tl.advance(" + pointer + ", " +
                              (isOfRows ? "(" + step + ", 0)" : "(0, " + step + ")") + ")",
                          {},
                          {}});
    break;
  case 3:
    loop.before.push_back({pointer + " = tl.make_tensor_descriptor(" + base + ", [" + shape +
                               "], [" + pitchText + ", 1], " + block + ")",
                           {},
                           {}});
    loop.add(name + " = " + pointer + ".load([" + (isOfRows ? loop.at : firstRow) + ", " +
             (isOfRows ? "0" : loop.at) + "])");
    break;
  default:
    loop.add(name + " = tl.load(" + base + " + " + offsets(loop.at) + mask + ")");
  }
  return name;
}

/// One number for each column of a round's weights.
std::string FedProducts::rowOfRound(Loop &loop) {
  std::string name = generator.freshName("v"), at = "(" + loop.at + " + " + loop.lanes + ")";
  bool isMasked = loop.isRagged || random.chance(30);
  loop.add(name + " = tl.load(" + array(sumType, loop.length) + " + " + at +
           (isMasked ? ", mask=" + at + " < " + loop.lengthText + ", other=0)" : ")"));
  return name;
}

/// What the fixed tile and a round's rows make; `source` is the rows.
std::string FedProducts::score(Loop &loop, std::string &source) {
  source = stream(loop, Way::Rows);
  std::string name = generator.freshName("d");
  loop.add(name + " = tl.dot(" + fixed + ", tl.trans(" + source + "))");
  return name;
}

/// The sum of a loop within the round, of the round's columns.
std::string FedProducts::innerSum(Loop &loop) {
  Loop inner = newLoop();
  std::string name = generator.freshName("d"), right = generator.freshName("f");
  std::string left = stream(inner, Way::Columns);
  int64_t pitch = std::max<int64_t>(loop.length, 1) + random.pick({0, 0, 8, 5});
  std::string down = "(" + inner.at + " + " + inner.lanes + ")[:, None]";
  std::string along = "(" + loop.at + " + " + loop.lanes + ")[None, :]";
  std::string mask = loop.isRagged ? along + " < " + loop.lengthText : "";
  if (inner.isRagged)
    mask =
        (mask.empty() ? "" : "(" + mask + ") & ") + ("(" + down + " < " + inner.lengthText + ")");
  inner.add(right + " = tl.load(" + array(factorType, inner.length * pitch) + " + " + down + " * " +
            number(pitch) + " + " + along + (mask.empty() ? "" : ", mask=" + mask + ", other=0") +
            ")");
  inner.add(name + " = tl.dot(" + left + ", " + right + ", " + name + ")");
  loop.add(name + " = " + zeros(rows, loop.block));
  std::ranges::move(finished(inner), std::back_inserter(loop.body));
  return name;
}

/// A round's left factor: loaded, or made from other products.
std::string FedProducts::weights(Loop &loop) {
  int64_t choice = random.below(10);
  if (choice < 3)
    return stream(loop, Way::Columns);
  std::string source, name = generator.freshName("f"), sum;
  if (choice < 5)
    sum = innerSum(loop);
  else
    sum = score(loop, source);
  if (random.chance(30))
    sum = "(" + sum + " - " + score(loop, source) + ")";
  if (random.chance(30))
    sum = "(" + sum + " * " + rowOfRound(loop) + "[None, :])";
  if (random.chance(20))
    sum = "tl.where(" + rowLanes + "[:, None] >= (" + loop.at + " + " + loop.lanes +
          ")[None, :], " + sum + ", 0)";
  loop.add(name + " = " + narrow(sum));
  return name;
}

void FedProducts::update(Loop &loop, const std::string &sum, const std::string &weight,
                         const std::string &source) {
  std::string factors = "tl.dot(" + weight + ", " + source;
  switch (random.below(isFloat(sumType) ? 5 : 4)) {
  case 0:
  case 1:
    return loop.add(sum + " = " + factors + ", " + sum + ")");
  case 2:
    return loop.add(sum + " += " + factors + ")");
  case 3:
    return loop.add(sum + " = " + sum + " - " + factors + ")");
  default:
    return loop.add(sum + " = " + factors + ", " + sum + " * 0.5)");
  }
}

void FedProducts::fillRound(Loop &loop) {
  // What an inner loop stands behind may be loaded before it.
  std::string early = random.chance(30) ? stream(loop, Way::Rows) : "";
  std::string weight = weights(loop);
  for (const std::string &sum : sums) {
    if (random.chance(25))
      weight = weights(loop);
    bool isEarly = !early.empty() && random.chance(70);
    update(loop, sum, weight, isEarly ? early : stream(loop, Way::Rows));
  }
}

void FedProducts::write() {
  --generator.budget; // as much code as two statements
  chooseTypes();
  chooseSizes();
  rowLanes = generator.freshName("l");
  columnLanes = generator.freshName("l");
  generator.emit({rowLanes + " = tl.arange(0, " + to_string(rows) + ")", {}, {}});
  generator.emit({columnLanes + " = tl.arange(0, " + to_string(columns) + ")", {}, {}});
  fixed = generator.freshName("f");
  generator.emit({fixed + " = tl.load(" + array(factorType, rows * columns * generator.programs) +
                      " + (pid * " + to_string(rows) + " + " + rowLanes + ")[:, None] * " +
                      to_string(columns) + " + " + columnLanes + "[None, :])",
                  {},
                  {}});
  for (int64_t count = random.between(1, 2); count > 0; --count) {
    sums.push_back(generator.freshName("d"));
    generator.emit({sums.back() + " = " + zeros(rows, columns), {}, {}});
  }
  for (int64_t count = random.chance(25) ? 2 : 1; count > 0; --count) {
    Loop loop = newLoop();
    fillRound(loop);
    for (Statement &line : finished(loop))
      generator.emit(std::move(line));
  }
  for (const std::string &sum : sums)
    generator.storeOf({sum, {sumType, {rows, columns}}});
}

} // namespace nereid::generate
