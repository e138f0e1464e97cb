// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A random kernel of threads as text of the tile dialect. Variables are values: branches and loops
// hand all of them on.
#include "backend/RandomThreads.h"

namespace nereid::test::threads {
namespace {

class Writer {
public:
  std::string kernel(const RandomKernel &kernel);

private:
  std::string fresh() { return "%v" + std::to_string(count++); }
  std::string line(const std::string &operation) {
    std::string name = fresh();
    text += name + " = " + operation + "\n";
    return name;
  }
  std::string constant(int64_t value) {
    return line("arith.constant " + std::to_string(value) + " : i32");
  }
  std::string arith(const char *name, const std::string &a, const std::string &b,
                    const char *type = "i32") {
    return line(std::string("arith.") + name + " " + a + ", " + b + " : " + type);
  }
  std::string place(const std::string &base, const std::string &index) {
    return line("tile.offset " + base + ", " + index + " : !tile.ptr<i32>, i32");
  }
  std::string load(const std::string &base, const std::string &index) {
    return line("tile.load " + place(base, index) + " : !tile.ptr<i32>");
  }
  void store(const std::string &base, const std::string &index, const std::string &value) {
    std::string to = place(base, index);
    text += "tile.store " + to + ", " + value + " : !tile.ptr<i32>\n";
  }
  std::string of(const Expr &e);
  std::string masked(const Expr &e, int mask) { return arith("andi", of(e), constant(mask)); }

  void write(const std::vector<Statement> &list) {
    for (const Statement &s : list)
      write(s);
  }
  void write(const Statement &s);
  void writeIf(const Statement &s);
  void writeWhile(const Statement &s);
  void writeFor(const Statement &s);
  void writeHandOver(const Statement &s);
  void writeShuffle(const Statement &s);

  /// The variables one after the other: as they are, as their types, or as initial values.
  std::string all() const {
    return joined([&](int i) { return now[i]; });
  }
  static std::string types() {
    return joined([](int) { return std::string("i32"); });
  }
  template <typename Each> static std::string joined(Each each) {
    std::string text;
    for (int i = 0; i < variables; ++i)
      text += (i ? ", " : "") + each(i);
    return text;
  }
  /// New names for the variables, and a name for a result that holds them all.
  std::string renamed(const char *separator, const char *end) {
    std::string text;
    for (int i = 0; i < variables; ++i) {
      std::string name = fresh();
      text += (i ? ", " : "") + name + separator + (*separator ? now[i] : "") + end;
      names[i] = name;
    }
    return text;
  }
  void adopt() { std::copy(names, names + variables, now); }
  void adoptResults(const std::string &result) {
    for (int i = 0; i < variables; ++i)
      now[i] = result + "#" + std::to_string(i);
  }

  std::string text, now[variables], names[variables];
  int count = 0, threads = 0;
};

std::string Writer::of(const Expr &e) {
  std::string a = e->a ? of(e->a) : "", b = e->b ? of(e->b) : "";
  switch (e->kind) {
  case Expression::Constant:
    return constant(e->value);
  case Expression::N:
    return "%n";
  case Expression::Program:
    return "%pid";
  case Expression::Thread:
    return "%t";
  case Expression::Variable:
    return now[e->value];
  case Expression::Add:
    return arith("addi", a, b);
  case Expression::Sub:
    return arith("subi", a, b);
  case Expression::Mul:
    return arith("muli", a, b);
  case Expression::Xor:
    return arith("xori", a, b);
  case Expression::And:
    return arith("andi", a, b);
  case Expression::Shift:
    return arith("shrsi", a, arith("andi", b, constant(7)));
  case Expression::Less:
    return line("arith.extui " + arith("cmpi slt,", a, b) + " : i1 to i32");
  case Expression::Wide: {
    std::string x = line("arith.extsi " + a + " : i32 to i64"),
                y = line("arith.extsi " + b + " : i32 to i64"),
                by = line("arith.constant 16 : i64");
    std::string product = arith("shrsi", arith("muli", x, y, "i64"), by, "i64");
    return line("arith.trunci " + product + " : i64 to i32");
  }
  }
  return "";
}

void Writer::write(const Statement &s) {
  using enum Statement::Kind;
  std::string &to = now[s.variable];
  auto atomic = [&](const char *kind, const std::string &at, const std::string &value) {
    line(std::string("tile.atomic_rmw ") + kind + " " + at + ", " + value +
         " order relaxed scope gpu : !tile.ptr<i32>");
  };
  switch (s.kind) {
  case Assign:
    to = of(s.e[0]);
    break;
  case If:
    return writeIf(s);
  case While:
    return writeWhile(s);
  case For:
    return writeFor(s);
  case Input:
    to = load("%in", masked(s.e[0], inputSize - 1));
    break;
  case StoreOwn:
    store("%mine", masked(s.e[0], 3), of(s.e[1]));
    break;
  case LoadOwn:
    to = load("%mine", masked(s.e[0], 3));
    break;
  case ExchangeOwn: {
    std::string at = place("%mine", masked(s.e[0], 3)), was = of(s.e[1]), is = of(s.e[2]);
    to = line("tile.atomic_cas " + at + ", " + was + ", " + is +
              " order relaxed scope gpu : !tile.ptr<i32>");
    break;
  }
  case StoreLocal:
    store("%local", masked(s.e[0], 3), of(s.e[1]));
    break;
  case LoadLocal:
    to = load("%local", masked(s.e[0], 3));
    break;
  case CountShared:
    atomic("add", place("%bins", masked(s.e[0], 7)), of(s.e[1]));
    break;
  case Maximum:
    atomic("smax", place("%largest", masked(s.e[0], 7)), of(s.e[1]));
    break;
  case StoreUniform:
    store("%slots", constant(s.number), arith("addi", "%n", constant(s.number)));
    break;
  case HandOver:
    return writeHandOver(s);
  case Shuffle:
    return writeShuffle(s);
  case Ballot:
    to = line("tile.ballot " + arith("cmpi slt,", of(s.e[0]), of(s.e[1])) + ", " + constant(-1));
    break;
  }
}

void Writer::writeIf(const Statement &s) {
  std::string holds = arith("cmpi slt,", of(s.e[0]), of(s.e[1])), before[variables];
  std::copy(now, now + variables, before);
  std::string result = fresh();
  text +=
      result + ":" + std::to_string(variables) + " = scf.if " + holds + " -> (" + types() + ") {\n";
  for (const auto *arm : {&s.body, &s.other}) {
    std::copy(before, before + variables, now);
    write(*arm);
    text += "scf.yield " + all() + " : " + types() + "\n} ";
    text += arm == &s.body ? "else {\n" : "\n";
  }
  adoptResults(result);
}

void Writer::writeWhile(const Statement &s) {
  std::string zero = constant(0), one = constant(1), result = fresh(), turn = fresh();
  text += result + ":" + std::to_string(variables + 1) + " = scf.while (";
  text += renamed(" = ", "") + ", " + turn + " = " + zero;
  text += ") : (" + types() + ", i32) -> (" + types() + ", i32) {\n";
  adopt();
  write(s.other);
  std::string few = arith("cmpi slt,", turn, masked(s.e[0], 7)),
              differ = arith("cmpi ne,", of(s.e[1]), of(s.e[2]));
  text += "scf.condition(" + arith("andi", few, differ, "i1") + ") " + all() + ", " + turn + " : " +
          types() + ", i32\n} do {\n^bb0(";
  text += renamed("", ": i32") + ", " + turn + "b: i32):\n";
  adopt();
  write(s.body);
  std::string next = arith("addi", turn + "b", one);
  text += "scf.yield " + all() + ", " + next + " : " + types() + ", i32\n}\n";
  adoptResults(result);
}

void Writer::writeFor(const Statement &s) {
  std::string lower = masked(s.e[0], 7), four = constant(4),
              upper = arith("subi", masked(s.e[1], 15), four), step = masked(s.e[2], 3);
  std::string result = fresh(), index = fresh();
  text += result + ":" + std::to_string(variables) + " = scf.for " + index + " = " + lower +
          " to " + upper + " step " + step + " iter_args(" + renamed(" = ", "") + ") -> (" +
          types() + ") : i32 {\n";
  adopt();
  now[s.variable] = index;
  write(s.body);
  text += "scf.yield " + all() + " : " + types() + "\n}\n";
  adoptResults(result);
}

void Writer::writeHandOver(const Statement &s) {
  store("%cache", "%t", of(s.e[0]));
  text += "tile.sync_threads\n";
  std::string from = arith("addi", "%t", masked(s.e[1], 7));
  now[s.variable] = load("%cache", arith("remsi", from, "%threads"));
  text += "tile.sync_threads\n";
}

/// As the front end writes them, from which a GPU's instructions are found.
void Writer::writeShuffle(const Statement &s) {
  std::string given = of(s.e[0]), distance = masked(s.e[1], 7), source;
  std::string lane = arith("andi", "%t", constant(warpSize - 1));
  Way way = wayIn(threads, s.number);
  if (way == Around) {
    std::string before = arith("subi", "%t", lane), left = arith("subi", "%threads", before);
    std::string lanes = arith("minsi", left, constant(warpSize));
    source = arith("remsi", arith("addi", lane, distance), lanes);
  } else {
    const char *names[] = {"", "subi", "addi", "xori"};
    std::string meant = arith(names[way], lane, distance);
    std::string isInside = arith("cmpi ult,", meant, constant(warpSize));
    source = line("arith.select " + isInside + ", " + meant + ", " + lane + " : i32");
  }
  now[s.variable] = line("tile.shuffle " + given + ", " + source + ", " + constant(-1) + " : i32");
}

std::string Writer::kernel(const RandomKernel &kernel) {
  auto [x, y, z] = kernel.block;
  auto number = [](int value) { return std::to_string(value); };
  text = "func.func @kernel(%in: !tile.ptr<i32>, %own: !tile.ptr<i32>, %shared: !tile.ptr<i32>, "
         "%largest: !tile.ptr<i32>, %uniform: !tile.ptr<i32>, %end: !tile.ptr<i32>, %n: i32) "
         "attributes {tile.kernel, tile.noalias, tile.block = array<i64: " +
         number(x) + ", " + number(y) + ", " + number(z) + ">} {\n";
  threads = kernel.block.threads();
  text += "%threads = arith.constant " + number(kernel.block.threads()) + " : i32\n";
  text += "%pid = tile.program_id 0\n%x = tile.thread_id 0\n%y = tile.thread_id 1\n"
          "%z = tile.thread_id 2\n";
  std::string row = arith("addi", arith("muli", "%z", constant(y)), "%y");
  std::string rows = arith("muli", row, constant(x));
  text += "%t = arith.addi " + rows + ", %x : i32\n";
  std::string first = arith("muli", "%pid", "%threads"), global = arith("addi", first, "%t");
  auto named = [&](const char *name, const std::string &base, const std::string &index) {
    text +=
        std::string(name) + " = tile.offset " + base + ", " + index + " : !tile.ptr<i32>, i32\n";
  };
  named("%mine", "%own", arith("muli", global, constant(ownSlots)));
  named("%slots", "%uniform", arith("muli", "%pid", constant(uniformSlots)));
  text += "%local = tile.local " + number(localSlots) + " : !tile.ptr<i32>\n" +
          "%bins = tile.shared " + number(bins) + " : !tile.ptr<i32>\n" + "%cache = tile.shared " +
          number(kernel.block.threads()) + " : !tile.ptr<i32>\n";
  std::string zero = constant(0), eight = constant(bins);
  for (int i = 0; i < localSlots; ++i)
    store("%local", constant(i), zero);
  auto eachBin = [&](const auto &body) {
    text += "scf.for %bin" + number(count) + " = %t to " + eight + " step %threads : i32 {\n";
    body("%bin" + number(count));
    text += "}\ntile.sync_threads\n";
  };
  eachBin([&](const std::string &bin) { store("%bins", bin, zero); });
  for (int i = 0; i < variables; ++i)
    now[i] = constant(i < differingVariables ? i : 0);
  write(kernel.statements);
  text += "tile.sync_threads\n";
  eachBin([&](const std::string &bin) {
    std::string sum = load("%bins", bin), to = place("%shared", bin);
    line("tile.atomic_rmw add " + to + ", " + sum + " order relaxed scope gpu : !tile.ptr<i32>");
  });
  std::string slot = arith("muli", global, constant(variables));
  for (int i = 0; i < variables; ++i)
    store("%end", arith("addi", slot, constant(i)), now[i]);
  return text + "return\n}\n";
}

} // namespace

std::string textOf(const RandomKernel &kernel) { return Writer().kernel(kernel); }

} // namespace nereid::test::threads
