// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, some in others, that carry several tiles of one size and let each other's values through
// products, views and transposes: where a back end that reuses memory can go wrong.
#include "Generator.h"

namespace nereid::generate {

/// a and b are square tiles, c is a line of as many elements. All are int32, whose sums are exact.
void Generator::carriedTiles() {
  int64_t side = random.pick({2, 3, 4, 5, 8, 16});
  ValueType square{DType::Int32, {side, side}}, line{DType::Int32, {side * side}};
  ValueType factor{DType::Int8, {side, side}};
  std::string a = freshName("v"), b = freshName("v"), c = freshName("v");
  emit({a + " = " + leaf(square, Demand::Any).text, {}, {}});
  emit({b + " = " + leaf(square, Demand::Any).text, {}, {}});
  emit({c + " = " + leaf(line, Demand::Any).text, {}, {}});
  std::string x = define("v", expression(factor, 1)).name,
              y = define("v", expression(factor, 1)).name;
  std::string outer = define("v", expression(line, 1)).name;
  std::string squareText = text(square.shape), lineText = text(line.shape);

  auto asSquare = [&](const std::string &name) {
    return "tl.reshape(" + name + ", " + squareText + ")";
  };
  auto asLine = [&](const std::string &name) {
    return "tl.reshape(" + name + ", " + lineText + ")";
  };
  auto product = [&](const std::string &sum) {
    return "tl.dot(" + x + ", " + y + ", " + sum + ")";
  };
  auto update = [&]() -> std::vector<Statement> {
    std::string first = random.chance(50) ? a : b, second = random.chance(50) ? a : b;
    std::string fresh = freshName("d");
    switch (random.below(11)) {
    case 0:
      return {{first + " = " + product(second), {}, {}}};
    case 1:
      return {{first + " = tl.trans(" + product(second) + ")", {}, {}}};
    case 2: { // the product outlives what it added to
      Expression loaded = leaf(square, Demand::Any);
      return {{fresh + " = " + product(first), {}, {}},
              {first + " = " + loaded.text, {}, {}},
              {second + " = " + second + " - " + fresh, {}, {}}};
    }
    case 3:
      return {{first + " = " + second + " + " + asSquare(c), {}, {}}};
    case 4:
      return {{c + " = " + c + " - " + asLine(first), {}, {}}};
    case 5:
      return {{c + " = " + asLine(first), {}, {}}};
    case 6:
      return {{a + ", " + b + " = " + b + ", " + a, {}, {}}};
    case 7:
      return {{first + " = " + first + " + tl.trans(" + second + ")", {}, {}}};
    case 8:
      return {{first + " = " + product(asSquare(c)), {}, {}}};
    case 9:
      return {{first + " = " + product(asSquare(outer)), {}, {}}};
    default:
      return {{c + " = " + leaf(line, Demand::Any).text, {}, {}}};
    }
  };

  auto rounds = [&](auto &self, int depth) -> Statement { // loops in loops carry the same tiles
    std::vector<Statement> *enclosing = block;
    Statement loop{"for " + freshName("i") + " in " + rangeText(depth ? 3 : 4) + ":", {}, {}};
    size_t outerScope = scope.size();
    block = &loop.body;
    for (int64_t count = random.between(depth ? 1 : 2, 5); count > 0; --count)
      if (depth < 2 && random.chance(20))
        emit(self(self, depth + 1));
      else
        for (Statement &made : update())
          emit(std::move(made));
    scope.resize(outerScope);
    block = enclosing;
    return loop;
  };
  emit(rounds(rounds, 0));
  scope.push_back({a, square, {}});
  scope.push_back({b, square, {}});
  scope.push_back({c, line, {}});
}

} // namespace nereid::generate
