// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements: what a kernel is made of, and loops and branches around it.
#include "Generator.h"

#include <algorithm>

namespace nereid::generate {

constexpr int deepestNesting = 3;

void Generator::defineSomething() { define("v", expression(anyType(), random.pick({1, 2, 2, 3}))); }

void Generator::statement() {
  --budget;
  struct Kind {
    int weight;
    bool applies;
    void (Generator::*make)();
  };
  bool mayNest = nesting < deepestNesting;
  const Kind kinds[] = {
      {30, true, &Generator::defineSomething},
      {2, true, &Generator::defineExtremum},
      {11, true, &Generator::reassign},
      {12, true, &Generator::store},
      {6, true, &Generator::narrowStore},
      {4, true, &Generator::atomic},
      {2, true, &Generator::countAtomically},
      {5, true, &Generator::dot},
      {5, true, &Generator::dotChain},
      {6, true, &Generator::fedProducts},
      {3, true, &Generator::scaledDot},
      {2, true, &Generator::pairReduction},
      {2, true, &Generator::pairScan},
      {2, true, &Generator::longSum},
      {1, true, &Generator::longProduct},
      {2, true, &Generator::tupleOfLiterals},
      {2, true, &Generator::tupleOfTiles},
      {2, true, &Generator::record},
      {2, true, &Generator::storeHostBlock},
      {2, true, &Generator::gatherRows},
      {2, true, &Generator::compareAndSwap},
      {7, true, &Generator::carriedTiles},
      {3, true, &Generator::approximateFunction},
      {5, mayHandOver(), &Generator::handOver},
      {3, true, &Generator::swap},
      {1, true, &Generator::earlyReturn},
      {25, loops > 0, &Generator::leaveTurn},
      {4, true, &Generator::assignElement},
      {4, true, &Generator::walk},
      {6, mayNest, &Generator::branch},
      {7, mayNest, &Generator::forLoop},
      {3, mayNest, &Generator::whileLoop},
  };
  int64_t total = 0;
  for (const Kind &kind : kinds)
    total += kind.applies ? kind.weight : 0;
  int64_t choice = random.below(total);
  for (const Kind &kind : kinds)
    if (kind.applies && (choice -= kind.weight) < 0)
      return (this->*kind.make)();
}

/// Gives a name a new value of the same type.
void Generator::reassign() {
  std::vector<std::string> found;
  for (const Variable &variable : scope)
    if (variable.isAssignable)
      found.push_back(variable.name);
  if (found.empty())
    return define("v", expression(anyType(), 2)), void();
  std::string name = random.pick(found);
  auto lookUp = [&]() -> Variable & { return *std::ranges::find(scope, name, &Variable::name); };
  ValueType type = lookUp().type;
  Expression value = expression(type, 2);
  // What is added to a product may become the first term of its sum (passes/FoldAddIntoDot.h): then
  // only sums on the grid are exact.
  bool mayAdd = !lookUp().accuracy.onGrid;
  if (mayAdd && isFloat(type.dtype) && bitWidth(type.dtype) >= 32 && random.chance(20)) {
    emit({name + " += " + value.text, {}, {}});
    value.accuracy = {};
  } else {
    emit({name + " = " + value.text, {}, {}, name + " = " + name});
  }
  lookUp().accuracy = join(lookUp().accuracy, value.accuracy);
}

/// Two names of one type exchange their values.
void Generator::swap() {
  for (Variable &first : scope)
    for (Variable &second : scope)
      if (&first != &second && first.type == second.type && first.isAssignable &&
          second.isAssignable) {
        emit({first.name + ", " + second.name + " = " + second.name + ", " + first.name, {}, {}});
        first.accuracy = second.accuracy = join(first.accuracy, second.accuracy);
        return;
      }
}

/// A scalar truth that differs from program to program, if it can.
Expression Generator::condition() {
  if (random.chance(40)) {
    std::string op = random.pick({"<", "==", ">="});
    return {"(pid " + op + " " + std::to_string(random.between(0, programs)) + ")",
            {DType::Int1, {}}};
  }
  return expression({DType::Int1, {}}, 2);
}

std::vector<Statement> Generator::blockOf(int count) {
  std::vector<Statement> statements, *outer = block;
  block = &statements;
  ++nesting;
  size_t outerScope = scope.size();
  while (count-- > 0)
    statement();
  scope.resize(outerScope); // names from inside end here
  --nesting;
  block = outer;
  return statements;
}

void Generator::branch() {
  Statement made{"if " + condition().text + ":", {}, {}};
  made.body = blockOf(static_cast<int>(random.between(1, 3)));
  if (random.chance(60))
    made.otherwise = blockOf(static_cast<int>(random.between(1, 2)));
  emit(std::move(made));
}

void Generator::earlyReturn() {
  emit({"if " + condition().text + ":", {{"return", {}, {}}}, {}});
  mayHaveEnded = true;
}

void Generator::leaveTurn() {
  emit({"if " + condition().text + ":", {{random.pick({"break", "continue"}), {}, {}}}, {}});
}

/// Lets only a few names change in a loop's body. Their values there are of an unknown turn.
void Generator::chooseCarried() {
  for (Variable &variable : scope) {
    variable.isAssignable &= random.chance(50);
    if (variable.isAssignable)
      variable.accuracy = {};
  }
}

void Generator::leaveBody(const std::vector<Variable> &before) {
  for (size_t i = 0; i < before.size(); ++i)
    scope[i].isAssignable = before[i].isAssignable;
}

std::string Generator::rangeText(int most) {
  std::string trips = std::to_string(random.between(0, most));
  if (random.chance(35)) // known only when the kernel runs
    trips = scalarParameter(random.chance(50) ? "tl.int32" : random.pick({"", "tl.int64"}),
                            random.between(0, most));
  std::string function = random.pick({"range", "range", "tl.range"});
  switch (random.below(6)) {
  case 0:
    return function + "(" + trips + ")";
  case 1:
    return function + "(pid % 2, " + trips + ")";
  case 2:
    return function + "(-1, " + std::to_string(random.between(-3, 2 * most)) + ", 2)";
  case 3:
    return function + "(" + std::to_string(most) + ", " + std::to_string(random.between(0, 2)) +
           ", -1)";
  default:
    return function + "(0, " + trips + ")";
  }
}

void Generator::forLoop() {
  std::vector<Variable> before = scope;
  chooseCarried();
  std::string counter = freshName("i");
  bool isStatic = random.chance(20);
  std::string range =
      isStatic ? "tl.static_range(" + std::to_string(random.between(0, 3)) + ")" : rangeText(4);
  Statement made{"for " + counter + " in " + range + ":", {}, {}};
  if (!isStatic && range.find("s") == std::string::npos) // else its type is not known here
    scope.push_back({counter, {DType::Int32, {}}, Accuracy::grid(10, 0), false});
  ++loops;
  made.body = blockOf(static_cast<int>(random.between(1, 3)));
  --loops;
  scope.resize(before.size());
  leaveBody(before);
  elseAfter(made);
  emit(std::move(made));
}

/// What a loop does that no break ends.
void Generator::elseAfter(Statement &loop) {
  if (!random.chance(20))
    return;
  std::vector<Variable> before = scope;
  for (Variable &variable : scope) // values of an unknown turn
    variable.accuracy = {};
  loop.otherwise = blockOf(static_cast<int>(random.between(1, 2)));
  scope = before;
  for (Variable &variable : scope)
    if (variable.isAssignable)
      variable.accuracy = {};
}

void Generator::whileLoop() {
  std::vector<Variable> before = scope;
  chooseCarried();
  std::string counter = freshName("w"), step = std::to_string(random.between(1, 3));
  std::string limit = std::to_string(random.between(0, 5));
  emit({counter + " = " + (random.chance(50) ? "pid % 3" : "0"), {}, {}});
  std::string more = random.chance(30) ? " and " + expression({DType::Int1, {}}, 1).text : "";
  scope.push_back({counter, {DType::Int32, {}}, Accuracy::grid(10, 0), false});
  std::string test =
      more.empty() ? counter + " < " + limit : "(" + counter + " < " + limit + ")" + more;
  Statement made{"while " + test + ":", {}, {}};
  ++loops;
  made.body = blockOf(static_cast<int>(random.between(1, 3)));
  --loops;
  // First, so that no continue comes before it.
  made.body.insert(made.body.begin(), {counter + " += " + step, {}, {}, "", true});
  scope.erase(scope.begin() + static_cast<int64_t>(before.size()), scope.end());
  leaveBody(before);
  elseAfter(made);
  emit(std::move(made));
}

/// A loop that carries a tile of pointers along an array.
void Generator::walk() {
  ValueType type = anyType();
  if (isBool(type.dtype))
    type.dtype = DType::UInt8;
  ArrayParameter array = sharedArray(type.dtype, Demand::Any);
  std::string size = sizeText(array.size), index = localIndex(type.shape);
  std::string step = std::to_string(random.between(1, 50)), pointer = freshName("p"),
              at = freshName("q");
  std::string start = "(pid * " + std::to_string(random.between(0, 50)) + " + " + index + ")";
  Expression first = leaf(type, Demand::Any);
  std::string total = freshName("v"), fresh = freshName("v");
  emit({at + " = " + start, {}, {}});
  emit({pointer + " = " + array.name + " + " + at, {}, {}});
  emit({total + " = " + first.text, {}, {}});
  Statement made{"for " + freshName("i") + " in " + rangeText(5) + ":", {}, {}};
  made.body.push_back(
      {fresh + " = tl.load(" + pointer + ", mask=" + at + " < " + size + ", other=0)", {}, {}});
  std::string op = random.pick({"+", "-", "*"});
  made.body.push_back({total + " = " + total + " " + op + " " + fresh, {}, {}});
  made.body.push_back({pointer + " += " + step, {}, {}});
  made.body.push_back({at + " += " + step, {}, {}});
  emit(std::move(made));
  scope.push_back({total, type, {}});
}

} // namespace nereid::generate
