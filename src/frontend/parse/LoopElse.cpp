// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/LoopElse.h"

#include "llvm/Support/Casting.h"

namespace nereid {
namespace {

using namespace ast;

ExprPtr truth(bool value, SourceRange range) {
  auto node = std::make_unique<Constant>(range);
  node->valueKind = Constant::Kind::Bool;
  node->intValue = value;
  return node;
}

/// The variable of one loop.
class Memory {
public:
  explicit Memory(SourceRange loop)
      : range(loop), name("a break of the loop at " + std::to_string(loop.begin)) {}

  ExprPtr read() const {
    auto node = std::make_unique<Name>(range);
    node->name = name;
    return node;
  }

  StmtPtr set(bool value) const {
    auto node = std::make_unique<Assign>(range);
    node->targets.push_back(read());
    node->value = truth(value, range);
    return node;
  }

  /// Sets it before each break of the loop; loops inside have breaks of their own.
  bool setBeforeBreaks(StmtList &body) const {
    bool hasBreak = false;
    for (size_t i = 0; i < body.size(); ++i) {
      if (auto *branch = llvm::dyn_cast<If>(body[i].get())) {
        for (If::Arm &arm : branch->arms)
          hasBreak |= setBeforeBreaks(arm.body);
        hasBreak |= setBeforeBreaks(branch->elseBody);
      } else if (llvm::isa<Break>(body[i].get())) {
        body.insert(body.begin() + static_cast<ptrdiff_t>(i++), set(true));
        hasBreak = true;
      }
    }
    return hasBreak;
  }

private:
  SourceRange range;
  std::string name;
};

StmtPtr conditional(ExprPtr condition, StmtList body, SourceRange range) {
  auto node = std::make_unique<If>(range);
  node->arms.push_back({std::move(condition), std::move(body)});
  return node;
}

} // namespace

StmtPtr withElse(StmtPtr loop, StmtList &body, StmtList otherwise) {
  SourceRange range = loop->range;
  Memory memory(range);
  StmtList all;
  if (memory.setBeforeBreaks(body)) {
    auto isWhole = std::make_unique<Unary>(range);
    isWhole->op = UnaryOp::Not;
    isWhole->operand = memory.read();
    all.push_back(memory.set(false));
    all.push_back(std::move(loop));
    all.push_back(conditional(std::move(isWhole), std::move(otherwise), range));
  } else {
    all.push_back(std::move(loop));
    for (StmtPtr &stmt : otherwise)
      all.push_back(std::move(stmt));
  }
  return conditional(truth(true, range), std::move(all), range);
}

} // namespace nereid
