// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/parse/ModuleAssignment.h"

#include "frontend/parse/ExpressionParser.h"
#include "frontend/parse/Operators.h"
#include "support/Diagnostics.h"

#include "llvm/Support/Casting.h"

namespace nereid {
namespace {

using SharedExpr = std::shared_ptr<const ast::Expr>;

const ast::ExprList *elementsOf(const ast::Expr &expr) {
  if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(&expr))
    return &tuple->elements;
  const auto *list = llvm::dyn_cast<ast::List>(&expr);
  return list ? &list->elements : nullptr;
}

class AssignmentReader {
public:
  AssignmentReader(TokenCursor &cursor, ast::Place place)
      : cursor(cursor), expressions(cursor), begin(cursor.begin()), place(place) {}

  /// Throws where what stands there is no expression.
  std::optional<ModuleAssignment> read() {
    ast::ExprPtr first = expressions.parseList();
    bool isAssignment = false;
    if (llvm::isa<ast::Name>(first.get()) && cursor.at(TokenKind::Colon))
      isAssignment = readDeclared(*first);
    else if (const BinaryOperator *op = assigningOperator(cursor.peek().kind))
      isAssignment = readChanged(std::move(first), *op);
    else
      isAssignment = readChain(std::move(first));
    bool isWhole = cursor.at(TokenKind::Newline) || cursor.at(TokenKind::Semicolon);
    if (!isAssignment || !isWhole)
      return std::nullopt;
    return std::move(made);
  }

private:
  bool readDeclared(const ast::Expr &name) {
    cursor.skip();
    ast::ExprPtr annotation = expressions.parse();
    if (!cursor.accept(TokenKind::Equal))
      return true;
    bind(name, expressions.parseList(), {});
    made.bindings.front().annotation = std::move(annotation);
    return true;
  }

  /// `A += B` binds A to A + B.
  bool readChanged(ast::ExprPtr target, const BinaryOperator &op) {
    const auto *name = llvm::dyn_cast<ast::Name>(target.get());
    if (!name)
      return false;
    ast::Name bound = *name;
    SourceRange opRange = cursor.take().range;
    ast::ExprPtr change = expressions.parseList();
    SourceRange range = cursor.rangeFrom(begin);
    auto sum = std::make_shared<ast::Binary>(range);
    sum->height = std::max(target->height, change->height) + 1;
    sum->first = std::move(target);
    sum->steps.push_back({op.op, opRange, std::move(change), range});
    bind(bound, std::move(sum), {});
    return true;
  }

  bool readChain(ast::ExprPtr first) {
    ast::ExprList targets;
    ast::ExprPtr last = std::move(first);
    while (cursor.accept(TokenKind::Equal)) {
      targets.push_back(std::move(last));
      last = expressions.parseList();
    }
    SharedExpr value = std::move(last);
    for (const ast::ExprPtr &target : targets)
      bind(*target, value, {});
    return !targets.empty();
  }

  /// Binds the names of a target. Where both sides are written as tuples, each gets its own part.
  void bind(const ast::Expr &target, const SharedExpr &value,
            const std::vector<ast::Binding::Element> &path) {
    if (const auto *name = llvm::dyn_cast<ast::Name>(&target)) {
      ast::Binding binding{ast::Binding::Kind::Constant, name->name, cursor.rangeFrom(begin),
                           place};
      binding.value = value;
      binding.path = path;
      made.bindings.push_back(std::move(binding));
      return;
    }
    const ast::ExprList *targets = elementsOf(target);
    if (!targets) {
      made.hasOtherTargets = true;
      return;
    }
    const ast::ExprList *values = path.empty() ? elementsOf(*value) : nullptr;
    for (size_t i = 0; i < targets->size(); ++i) {
      if (values && values->size() == targets->size()) {
        bind(*(*targets)[i], SharedExpr(value, (*values)[i].get()), {});
        continue;
      }
      std::vector<ast::Binding::Element> inner = path;
      inner.push_back({i, targets->size()});
      bind(*(*targets)[i], value, inner);
    }
  }

  TokenCursor &cursor;
  ExpressionParser expressions;
  uint32_t begin;
  ast::Place place;
  ModuleAssignment made;
};

/// Whether a statement that begins so may be one; a call is not worth the try.
bool mayAssign(const TokenCursor &cursor) {
  if (cursor.at(TokenKind::LParen) || cursor.at(TokenKind::LBracket))
    return true;
  TokenKind next = cursor.peek(1).kind;
  return next == TokenKind::Equal || next == TokenKind::Colon || next == TokenKind::Comma ||
         assigningOperator(next);
}

} // namespace

std::optional<ModuleAssignment> parseModuleAssignment(TokenCursor &cursor, ast::Place place) {
  size_t start = cursor.position();
  if (mayAssign(cursor)) {
    try {
      if (auto assignment = AssignmentReader(cursor, place).read())
        return assignment;
    } catch (const SourceError &) {
      // Host code: not a constant that a kernel can use.
    }
  }
  cursor.rewind(start);
  return std::nullopt;
}

} // namespace nereid
