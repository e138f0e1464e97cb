// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that hand data to one another, by what docs/memory-model.md promises: locks, flags and
// counts by atomics, waits for programs with lower numbers. What they compute does not depend on
// the order in which they come, or the order is one that they keep.
#include "Generator.h"
#include "Inputs.h"

namespace nereid::generate {

using std::to_string;

/// Every program must come here once, or others wait for it without end.
bool Generator::mayHandOver() const { return nesting == 0 && helperDepth == 0 && !mayHaveEnded; }

void Generator::handOver() {
  using Maker = void (Generator::*)();
  Maker make =
      random.pick({&Generator::updateUnderLock, &Generator::takeTurns, &Generator::scanInAChain,
                   &Generator::finishAsTheLast, &Generator::lookBack});
  (this->*make)();
}

/// Emits lines that only make sense together.
void Generator::emitWhole(std::vector<Statement> lines) { emit({"", std::move(lines), {}}); }

/// An array of counters, which begin at zero.
std::string Generator::counters(int64_t count) {
  return addArray("h", random.pick({DType::Int32, DType::Int64}), count, Fill::Zero).name;
}

/// A loop that ends when the counter's value is such; what is read then acquires.
Statement Generator::waitUntil(const std::string &counter, const std::string &holds) {
  return {"while not (" + acquired(counter) + " " + holds + "):", {{"pass", {}, {}}}, {}};
}

std::string Generator::acquired(const std::string &counter) {
  return random.pick({"tl.load(" + counter + ", volatile=True)",
                      "tl.atomic_add(" + counter + ", 0, sem='acquire')",
                      "tl.atomic_add(" + counter + ", 0)"});
}

Statement Generator::released(const std::string &counter, int change) {
  std::string sem =
      random.pick({"", ", sem='release'", ", sem='acq_rel'", ", sem='release', scope='sys'"});
  return {"tl.atomic_add(" + counter + ", " + to_string(change) + sem + ")", {}, {}};
}

/// What a program adds to what all make together.
Generator::Share Generator::share(const std::vector<std::string> &operators) {
  ValueType type{random.pick({DType::Int32, DType::Int64, DType::UInt8, DType::Int16, DType::UInt32,
                              DType::Float32, DType::Float64, DType::Float16}),
                 anyShape()};
  std::string op = random.pick(operators);
  Demand demand = Demand::Any;
  if (isFloat(type.dtype) && op != "maximum" && op != "minimum") {
    op = "+";
    demand = Demand::Grid;
  }
  Expression value = expression(type, 2, demand);
  Accuracy all = sumOf(times(value.accuracy, programs), accuracyOf(Fill::Small, type.dtype));
  if (demand == Demand::Grid && !all.in(type.dtype).onGrid) { // their sum would be rounded
    type.dtype = DType::Int32;
    value = expression(type, 2);
  }
  std::string name = define("v", value, false).name, index = localIndex(type.shape);
  return {name, type, op, index};
}

std::string Generator::Share::combined(const std::string &lhs, const std::string &rhs) const {
  bool isCall = op == "maximum" || op == "minimum";
  return isCall ? "tl." + op + "(" + lhs + ", " + rhs + ")" : lhs + " " + op + " " + rhs;
}

/// An array that programs write for one another, `parts` times as large as a share.
std::string Generator::arrayFor(const Share &share, int64_t parts, Fill fill) {
  return addArray("h", share.type.dtype, parts * elements(share.type.shape), fill).name;
}

/// Where the part of a program lies in such an array.
std::string Generator::Share::place(const std::string &array, const std::string &program) const {
  return array + " + " + program + " * " + to_string(elements(type.shape)) + " + " + index;
}

/// A lock round something that all programs change: one that serves in the order of tickets, or
/// one that is tried until nobody else has it, by an addition that is taken back or by a swap.
void Generator::updateUnderLock() {
  Share mine = share({"+", "^", "&", "|", "maximum", "minimum"});
  std::string lock = counters(2), ticket = freshName("t");
  std::string at = arrayFor(mine, 1, Fill::Small) + " + " + mine.index;
  Statement update{
      "tl.store(" + at + ", " + mine.combined("tl.load(" + at + ")", mine.value) + ")", {}, {}};
  std::vector<Statement> lines;
  if (random.chance(60)) {
    lines.push_back(
        {ticket + " = tl.atomic_add(" + lock + ", 1" + random.pick({"", ", sem='relaxed'"}) + ")",
         {},
         {}});
    lines.push_back(waitUntil(lock + " + 1", "== " + ticket));
    lines.push_back(update);
    lines.push_back(released(lock + " + 1", 1));
  } else if (constexpr int64_t fewPrograms = 8; programs > fewPrograms || random.chance(50)) {
    // With many at once the counter below is hardly ever zero: on a GPU 222 of them did not end.
    lines.push_back({"while tl.atomic_cas(" + lock + ", 0, 1" +
                         random.pick({"", ", sem='acquire'"}) + ") == 1:",
                     {{"pass", {}, {}}},
                     {}});
    lines.push_back(update);
    lines.push_back(
        {"tl.atomic_xchg(" + lock + ", 0" + random.pick({"", ", sem='release'"}) + ")", {}, {}});
  } else {
    lines.push_back(
        {"while tl.atomic_add(" + lock + ", 1" + random.pick({"", ", sem='acquire'"}) + ") != 0:",
         {{"tl.atomic_add(" + lock + ", -1, sem='relaxed')", {}, {}}},
         {}});
    lines.push_back(update);
    lines.push_back(released(lock, -1));
  }
  if (random.chance(30))
    lines.insert(lines.end() - 1, {"tl.debug_barrier()", {}, {}});
  emitWhole(std::move(lines));
}

/// Programs change something one after the other, in the order of their numbers, so that what they
/// do need not commute.
void Generator::takeTurns() {
  Share mine = share({"+", "^", "-", "maximum"});
  std::string turn = counters(1);
  std::string at = arrayFor(mine, 1, Fill::Wild) + " + " + mine.index;
  std::string old = "tl.load(" + at + ")";
  std::string next = isFloat(mine.type.dtype) ? old + " * 0.5" : old + " * 3";
  emitWhole({waitUntil(turn, "== pid"),
             {"tl.store(" + at + ", " + mine.combined(next, mine.value) + ")", {}, {}},
             released(turn, 1)});
}

/// Each program waits for the one before it, goes on from its total and publishes its own.
void Generator::scanInAChain() {
  Share mine = share({"+", "^", "-", "maximum", "minimum"});
  std::string flags = counters(programs), totals = arrayFor(mine, programs, Fill::Wild);
  std::string total = freshName("v"), before = "pid - 1";
  Statement first{"if pid > 0:", {waitUntil(flags + " + " + before, "!= 0")}, {}};
  first.body.push_back(
      {total + " = " +
           mine.combined("tl.load(" + mine.place(totals, "(" + before + ")") + ")", total),
       {},
       {}});
  emitWhole({{total + " = " + mine.value, {}, {}},
             first,
             {"tl.store(" + mine.place(totals, "pid") + ", " + total + ")", {}, {}},
             released(flags + " + pid", 1)});
  scope.push_back({total, mine.type, {}});
}

/// The program that finds that all others are done puts together what they have left.
void Generator::finishAsTheLast() {
  Share mine = share({"+", "^", "-", "&", "maximum", "minimum"});
  std::string count = counters(1), parts = arrayFor(mine, programs, Fill::Wild);
  std::string result = arrayFor(mine, 1, Fill::Wild), total = freshName("v"), i = freshName("i");
  auto part = [&](const std::string &program) {
    return "tl.load(" + mine.place(parts, program) + ")";
  };
  std::string sem = random.pick({"", ", sem='acq_rel'"});
  Statement last{"if tl.atomic_add(" + count + ", 1" + sem + ") == " + to_string(programs - 1) +
                     ":",
                 {{total + " = " + part("0"), {}, {}},
                  {"for " + i + " in range(1, " + to_string(programs) + "):",
                   {{total + " = " + mine.combined(total, part(i)), {}, {}}},
                   {}},
                  {"tl.store(" + result + " + " + mine.index + ", " + total + ")", {}, {}}},
                 {}};
  emitWhole({{"tl.store(" + mine.place(parts, "pid") + ", " + mine.value + ")", {}, {}}, last});
}

/// A scan that does not wait for the whole chain: a program adds up what those before it publish
/// of themselves alone (1), until it finds one that knows the sum up to itself (2).
void Generator::lookBack() {
  Share mine = share({"+", "^", "|"});
  std::string flags = counters(programs), own = arrayFor(mine, programs, Fill::Wild),
              sums = arrayFor(mine, programs, Fill::Wild);
  std::string sum = freshName("v"), at = freshName("j"), state = freshName("t");
  auto take = [&](const std::string &array, const std::string &next) -> std::vector<Statement> {
    return {{sum + " = " + mine.combined("tl.load(" + mine.place(array, at) + ")", sum), {}, {}},
            {at + " = " + next, {}, {}}};
  };
  Statement unknown{"if " + state + " == 1:", take(own, at + " - 1"), {}};
  Statement look{"while " + at + " >= 0:",
                 {{state + " = " + acquired(flags + " + " + at), {}, {}},
                  {"if " + state + " == 2:", take(sums, at + " * 0 - 1"), {unknown}}},
                 {}};
  emitWhole({{"tl.store(" + mine.place(own, "pid") + ", " + mine.value + ")", {}, {}},
             released(flags + " + pid", 1),
             {sum + " = " + mine.value + " * 0", {}, {}},
             {at + " = pid - 1", {}, {}},
             look,
             {"tl.store(" + mine.place(sums, "pid") + ", " + mine.combined(sum, mine.value) + ")",
              {},
              {}},
             released(flags + " + pid", 1)});
  scope.push_back({sum, mine.type, {}});
}

} // namespace nereid::generate
