// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/RandomThreads.h"

#include <algorithm>

namespace nereid::test::threads {

bool Statement::meets() const {
  auto any = [](const std::vector<Statement> &list) {
    return std::ranges::any_of(list, [](const Statement &inner) { return inner.meets(); });
  };
  return kind == HandOver || kind == Shuffle || kind == Ballot || any(body) || any(other);
}

Way wayIn(int threads, int number) {
  return threads % warpSize != 0 && number != Around ? Up : static_cast<Way>(number);
}

namespace {

class Maker {
public:
  explicit Maker(uint32_t seed) : random(seed) {}

  RandomKernel kernel() {
    constexpr ThreadBlock blocks[] = {{1, 1, 1}, {8, 1, 1}, {37, 1, 1}, {5, 3, 1},
                                      {4, 2, 3}, {1, 7, 1}, {96, 1, 1}, {16, 4, 1}};
    RandomKernel made{blocks[below(8)], {}};
    made.statements = list(/*isTogether=*/true, 0, 4 + below(6));
    return made;
  }

private:
  int below(int end) { return static_cast<int>(random() % static_cast<uint32_t>(end)); }

  Expr leaf(bool isUniform) {
    switch (below(isUniform ? 4 : 7)) {
    case 0:
      return std::make_shared<Expression>(Expression::Constant, below(40) - 8);
    case 1:
      return std::make_shared<Expression>(below(2) ? Expression::N : Expression::Program);
    case 2:
    case 3:
      return std::make_shared<Expression>(Expression::Variable, differingVariables + below(2));
    case 4:
      return std::make_shared<Expression>(Expression::Thread);
    default:
      return std::make_shared<Expression>(Expression::Variable, below(differingVariables));
    }
  }

  Expr expression(bool isUniform, int depth = 0) {
    if (depth == 3 || below(3) == 0)
      return leaf(isUniform);
    auto kind = static_cast<Expression::Kind>(Expression::Add + below(8));
    return std::make_shared<Expression>(kind, 0, expression(isUniform, depth + 1),
                                        expression(isUniform, depth + 1));
  }

  std::vector<Statement> list(bool isTogether, int depth, int count) {
    std::vector<Statement> made;
    for (int i = 0; i < count; ++i)
      made.push_back(statement(isTogether, depth));
    return made;
  }

  /// `isTogether`: all threads of the block come here, each as often.
  Statement statement(bool isTogether, int depth) {
    using enum Statement::Kind;
    constexpr Statement::Kind kinds[] = {
        Assign,    Assign,      StoreOwn, LoadOwn, Input,        ExchangeOwn, StoreLocal,
        LoadLocal, CountShared, HandOver, Maximum, StoreUniform, Shuffle,     Ballot,
        If,        While,       For,      If,      While,        For};
    Statement::Kind kind = kinds[below(depth < 3 ? 20 : 14)];
    bool isMeeting = kind == HandOver || kind == Shuffle || kind == Ballot;
    if (isMeeting && !isTogether)
      kind = Assign;
    bool isUniform = below(3) == 0, staysTogether = isTogether && isUniform;
    Statement made{kind, below(differingVariables), 0, {}};
    if (kind == StoreUniform)
      made.number = below(uniformSlots);
    if (kind == Shuffle)
      made.number = below(ways);
    if (kind == Assign && staysTogether)
      made.variable = differingVariables + below(2);
    for (Expr &e : made.e)
      e = expression(isUniform);
    if (kind == If || kind == While || kind == For)
      made.body = list(staysTogether, depth + 1, 1 + below(3));
    if ((kind == If && below(2)) || (kind == While && below(3) == 0))
      made.other = list(staysTogether, depth + 1, 1 + below(2));
    return made;
  }

  std::mt19937 random;
};

} // namespace

RandomKernel randomKernel(uint32_t seed) { return Maker(seed).kernel(); }

ThreadMemory randomMemory(const RandomKernel &kernel, int programs, uint32_t seed) {
  std::mt19937 random(seed);
  auto some = [&](size_t count) {
    std::vector<int32_t> values(count);
    std::ranges::generate(values, [&] { return static_cast<int32_t>(random() % 50) - 10; });
    return values;
  };
  auto all = static_cast<size_t>(programs * kernel.block.threads());
  return {some(inputSize),
          some(all * ownSlots),
          some(bins),
          some(bins),
          some(static_cast<size_t>(programs) * uniformSlots),
          some(all * variables),
          static_cast<int32_t>(random() % 20)};
}

} // namespace nereid::test::threads
