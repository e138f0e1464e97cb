// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DotChain.h"

#include "Inputs.h"

#include <algorithm>

namespace nereid::generate {

using std::to_string;

void Generator::dotChain() { DotChain(*this).write(); }

DotChain::DotChain(Generator &generator) : generator(generator), random(generator.random) {}

void DotChain::chooseTypes() {
  factorType = random.pick({DType::Float32, DType::Float32, DType::Float32, DType::Float64,
                            DType::Float64, DType::Float16, DType::BFloat16, DType::Int8});
  bool isNarrowSum = factorType == DType::Float16 && random.chance(20);
  sumType = isNarrowSum                    ? DType::Float16
            : factorType == DType::Int8    ? DType::Int32
            : factorType == DType::Float64 ? DType::Float64
                                           : DType::Float32;
}

void DotChain::chooseSizes() {
  auto side = [&] {
    return random.pick({16, 16, 17, 24, 32, 32, 33, 48, 64, 64, 64, 65, 96, 128});
  };
  rows = columns = side();
  if (random.chance(30))
    rows = side();
  // A loop around this multiplies what the interpreter has to do.
  double most = generator.nesting > 0 ? 0.2e6 : 1.2e6;
  auto work = [&] {
    return static_cast<double>(rows * columns * std::max(rows, columns) * generator.programs);
  };
  while (work() > most && rows > 16 && columns > 16) {
    rows = std::max<int64_t>(rows / 2, 16);
    columns = std::max<int64_t>(columns / 2, 16);
  }
}

std::string DotChain::tile(const char *prefix, const std::string &text, const Accuracy &accuracy) {
  std::string name = generator.freshName(prefix);
  generator.emit({name + " = " + text, {}, {}});
  initial[name] = accuracy;
  return name;
}

std::string DotChain::loaded(const std::string &array, const std::string &offsets) {
  std::string place = random.chance(50) ? offsets : "(pid + " + offsets + ")";
  return "tl.load(" + array + " + " + place + ")";
}

std::string DotChain::sparseFactor(int64_t side, int64_t &weight) {
  int64_t p = random.between(1, 7), q = random.between(1, 7);
  int64_t period = random.pick<int64_t>({1, 2, 5, 17, side, side});
  weight = 0;
  for (int64_t i = 0; i < side; ++i) {
    int64_t inRow = 0, inColumn = 0;
    for (int64_t j = 0; j < side; ++j) {
      inRow += (i * p + j * q) % period == 0;
      inColumn += (j * p + i * q) % period == 0;
    }
    weight = std::max({weight, inRow, inColumn});
  }
  int64_t size = side * side + generator.programs;
  std::string array = generator.addArray("a", factorType, size, Fill::Units).name;
  std::string lanes = "tl.arange(0, " + to_string(side) + ")";
  std::string value = loaded(array, generator.localIndex({side, side}));
  if (period > 1)
    value = "tl.where((" + lanes + "[:, None] * " + to_string(p) + " + " + lanes + "[None, :] * " +
            to_string(q) + ") % " + to_string(period) + " == 0, " + value + ", 0)";
  return tile("f", value, Accuracy::grid(1, 0));
}

void DotChain::makeTiles() {
  left = sparseFactor(rows, leftWeight);
  right = sparseFactor(columns, rightWeight);
  int64_t size = rows * columns + generator.programs;
  Fill fill = random.chance(40) ? Fill::Small : Fill::Units;
  Accuracy accuracy = accuracyOf(fill, factorType);
  source = generator.addArray("a", factorType, size, fill).name;
  initial[source] = accuracy;
  index = generator.localIndex({rows, columns});
  std::string widened = factorType == sumType ? "" : ".to(" + text(sumType) + ")";
  for (int64_t count = random.between(1, 3); count > 0; --count) {
    bool isZero = random.chance(30);
    std::string shape = text(Shape{rows, columns});
    sums.push_back(tile("d",
                        isZero ? "tl.zeros(" + shape + ", " + text(sumType) + ")"
                               : loaded(source, index) + widened,
                        isZero ? Accuracy::grid(1, 0) : accuracy));
  }
  for (int64_t count = random.between(1, 2); factorType != sumType && count > 0; --count)
    narrow.push_back(tile("f", loaded(source, index), accuracy));
  scale = tile("f",
               "tl.where(tl.arange(0, " + to_string(rows) + ")[:, None] % 3 == 0, " +
                   (isFloat(sumType) ? "0.5, 1.0)" : "3, 1)") + ".to(" + text(sumType) + ")",
               Accuracy::grid(1, 1));
  int64_t span = rows * columns;
  storage = generator.addArray("b", sumType, span * generator.programs, Fill::Units).name;
  storageOffsets = "(pid * " + to_string(span) + " + " + index + ")";
  initial[storage] = Accuracy::grid(1, 0);
}

/// What a cast to the type leaves: rounding keeps multiples of a power of two what they are.
Accuracy DotChain::rounded(const Accuracy &accuracy, DType type) const {
  if (type == sumType)
    return accuracy;
  Accuracy result = accuracy;
  result.bound *= 1 + 0x1p-7;
  constexpr double largestHalf = 60000;
  result.onGrid &= type != DType::Float16 || result.bound < largestHalf;
  return result;
}

/// Two factors, one of them `wanted` or a number made from it if that can be.
DotChain::Factors DotChain::factors(const std::string &wanted) {
  auto factor = [&](const std::string &sum) -> std::pair<std::string, std::string> {
    if (factorType == sumType)
      return {sum, sum};
    if (random.chance(50))
      return {sum + ".to(" + text(factorType) + ")", sum};
    std::string name = random.pick(narrow);
    return {name, name};
  };
  DType type = factorType;
  auto [x, name] = factor(random.chance(65) ? wanted : anySum());
  auto bound = [this, type](const std::string &a, const std::string &b, int64_t count) {
    return [=, this](const Bounds &bounds) {
      return times(productOf(rounded(bounds.at(a), type), rounded(bounds.at(b), type)), count);
    };
  };
  int64_t choice = random.below(rows == columns ? 12 : 9);
  std::string turned = choice % 3 == 0 ? "tl.trans(" + right + ")" : right;
  if (choice < 6)
    return {x + ", " + turned, bound(name, right, rightWeight)};
  if (choice < 9)
    return {left + ", " + x, bound(left, name, leftWeight)};
  auto [y, other] = factor(anySum());
  std::string both = choice == 9    ? x + ", " + y
                     : choice == 10 ? x + ", tl.trans(" + y + ")"
                                    : "tl.trans(" + x + "), " + y;
  return {both, bound(name, other, rows)};
}

std::string DotChain::product(const Factors &factors, const std::string &sum) const {
  return "tl.dot(" + factors.text + (sum.empty() ? "" : ", " + sum) +
         (sumType == DType::Float16 ? ", out_dtype=tl.float16)" : ")");
}

/// What every sum was, joined: a tile off the grid may be replaced, but what it met is wrong.
static const std::string everything;

void DotChain::settle(Bounds &bounds, const std::string &name, const Accuracy &accuracy) {
  bounds[name] = accuracy;
  bounds[everything].onGrid &= accuracy.onGrid;
}

/// A sum takes a product.
DotChain::Step DotChain::productStep() {
  std::string s = anySum(), t = random.chance(50) ? s : anySum();
  Factors pair = factors(random.chance(70) ? t : s);
  DType type = sumType;
  std::string factor = isFloat(type) ? "0.5" : "3";
  double weight = 1;
  int finer = 0;
  std::string line;
  switch (random.below(8)) {
  case 0:
    weight = 0;
    line = s + " = " + product(pair);
    break;
  case 1:
  case 2:
    line = s + " = " + product(pair, t);
    break;
  case 3:
    t = s;
    line = s + " += " + product(pair);
    break;
  case 4:
    line = s + " = " + t + " + " + product(pair);
    break;
  case 5:
    line = s + " = " + product(pair) + " + " + t;
    break;
  case 6:
    line = s + " = " + t + " - " + product(pair);
    break;
  default:
    finer = 1;
    weight = 0.5;
    line = s + " = " + t + " * " + factor + " + " + product(pair);
  }
  auto effect = [=](Bounds &bounds) {
    Accuracy before = bounds.at(t), made = pair.bound(bounds).in(type);
    before.bound *= weight;
    before.fraction += finer;
    settle(bounds, s, sumOf(before, made).in(type));
  };
  return {{{line, {}, {}}}, effect};
}

/// Sums meet each other, or go where the next factors come from.
DotChain::Step DotChain::elementwiseStep() {
  std::string s = anySum(), t = anySum();
  DType type = sumType;
  switch (random.below(7)) {
  case 0:
    return {{{s + " = " + t, {}, {}}}, [=](Bounds &bounds) { bounds[s] = bounds.at(t); }};
  case 1:
    return {{{s + ", " + t + " = " + t + ", " + s, {}, {}}},
            [=](Bounds &bounds) { std::swap(bounds[s], bounds[t]); }};
  case 2:
    return {{{s + " = " + t + (random.chance(50) ? " + " : " - ") + s, {}, {}}},
            [=](Bounds &bounds) { settle(bounds, s, sumOf(bounds.at(t), bounds.at(s)).in(type)); }};
  case 3:
    return {{{s + " = " + t + " * " + scale, {}, {}}}, [=](Bounds &bounds) {
              Accuracy finer = bounds.at(t);
              ++finer.fraction;
              settle(bounds, s, finer.in(type));
            }};
  case 4:
    return {{{s + " = tl.where(" + s + " > " + t + ", " + t + ", " + s + ")", {}, {}}},
            [=](Bounds &bounds) { bounds[s] = join(bounds.at(s), bounds.at(t)); }};
  default:
    if (narrow.empty()) { // no line is needed to make this a factor
      return {{{s + " = 0 - " + t, {}, {}}}, [=](Bounds &bounds) { bounds[s] = bounds.at(t); }};
    }
    std::string f = random.pick(narrow);
    DType to = factorType;
    return {{{f + " = " + s + ".to(" + text(to) + ")", {}, {}}},
            [=, this](Bounds &bounds) { settle(bounds, f, rounded(bounds.at(s), to)); }};
  }
}

/// A sum goes to memory, or comes from there.
DotChain::Step DotChain::memoryStep() {
  std::string s = anySum(), kept = storage, from = source;
  std::string place = storage + " + " + storageOffsets;
  switch (random.below(3)) {
  case 0:
    return {{{"tl.store(" + place + ", " + s + ")", {}, {}}},
            [=](Bounds &bounds) { bounds[kept] = join(bounds.at(kept), bounds.at(s)); }};
  case 1:
    return {{{s + " = tl.load(" + place + ")", {}, {}}},
            [=](Bounds &bounds) { bounds[s] = bounds.at(kept); }};
  default:
    std::string widened = factorType == sumType ? "" : ".to(" + text(sumType) + ")";
    return {{{s + " = " + loaded(source, index) + widened, {}, {}}},
            [=](Bounds &bounds) { bounds[s] = bounds.at(from); }};
  }
}

DotChain::Step DotChain::sequence(int64_t count, int depth) {
  Step all;
  std::vector<std::function<void(Bounds &)>> effects;
  while (count-- > 0) {
    Step next = step(depth);
    std::ranges::move(next.lines, std::back_inserter(all.lines));
    effects.push_back(std::move(next.effect));
  }
  all.effect = [effects](Bounds &bounds) {
    for (const auto &effect : effects)
      effect(bounds);
  };
  return all;
}

static void joinInto(std::map<std::string, Accuracy> &bounds,
                     const std::map<std::string, Accuracy> &others) {
  for (auto &[name, accuracy] : bounds)
    accuracy = join(accuracy, others.at(name));
}

DotChain::Step DotChain::branch(int depth) {
  Step then = sequence(random.between(1, 2), depth), other = sequence(random.below(2), depth);
  Statement made{"if " + generator.condition().text + ":", then.lines, other.lines};
  auto effect = [thenDo = then.effect, otherwiseDo = other.effect](Bounds &bounds) {
    Bounds second = bounds;
    thenDo(bounds);
    otherwiseDo(second);
    joinInto(bounds, second);
  };
  return {{made}, effect};
}

DotChain::Step DotChain::loop(int depth) {
  int64_t trips = random.between(1, 3);
  Step body = sequence(random.between(1, depth > 1 ? 2 : 4), depth);
  std::string counter = generator.freshName("i"), count = to_string(trips);
  std::vector<Statement> lines;
  Statement made{"", std::move(body.lines), {}};
  switch (random.below(6)) {
  case 0:
    made.text = "while " + counter + " < " + count + ":";
    made.body.push_back({counter + " += 1", {}, {}, "", true});
    lines.push_back({counter + " = 0", {}, {}});
    break;
  case 1:
    made.text = "for " + counter + " in tl.static_range(" + count + "):";
    break;
  case 2:
    made.text = "for " + counter + " in range(" + generator.scalarParameter("", trips) + "):";
    break;
  case 3:
    made.text = "for " + counter + " in range(pid % 2, " + count + "):";
    break;
  case 4:
    made.text = "for " + counter + " in range(" + count + ", 0, -1):";
    break;
  default:
    made.text = "for " + counter + " in range(0, " + count + "):";
  }
  lines.push_back(std::move(made));
  auto effect = [=, round = body.effect](Bounds &bounds) {
    Bounds current = bounds;
    for (int64_t trip = 0; trip < trips; ++trip) {
      round(current);
      joinInto(bounds, current);
    }
  };
  return {std::move(lines), effect};
}

DotChain::Step DotChain::step(int depth) {
  constexpr int deepest = 2;
  int64_t choice = random.below(100);
  if (choice < 8 && depth < deepest)
    return branch(depth + 1);
  if (choice < 16 && depth < deepest)
    return loop(depth + 1);
  if (choice < 65)
    return productStep();
  return choice < 90 ? elementwiseStep() : memoryStep();
}

bool DotChain::staysOnGrid(const Step &chain) const {
  if (!isFloat(sumType))
    return true;
  Bounds bounds = initial;
  bounds[everything].onGrid = true;
  chain.effect(bounds);
  return bounds.at(everything).onGrid;
}

void DotChain::write() {
  --generator.budget; // as much code as two statements
  chooseTypes();
  chooseSizes();
  makeTiles();
  generator.kernel.roundsFactors |= factorType == DType::Float32;
  constexpr int tries = 12;
  for (int attempt = 0; attempt < tries; ++attempt) {
    Step chain = random.chance(60) ? loop(1) : sequence(random.between(1, 4), 0);
    if (!staysOnGrid(chain))
      continue;
    for (Statement &line : chain.lines)
      generator.emit(std::move(line));
    break;
  }
  for (const std::string &name : sums)
    generator.storeOf({name, {sumType, {rows, columns}}});
}

} // namespace nereid::generate
