// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/Advice.h"

#include "frontend/sema/Annotation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid::emit {

using sema::ConstantValue;

std::vector<DiagnosticNote> suggestParameter(const std::string &name,
                                             const std::vector<std::string> &parameters) {
  constexpr std::pair<std::string_view, std::string_view> synonyms[] = {
      {"dim", "axis"},      {"axis", "dim"},   {"keepdim", "keep_dims"}, {"keepdims", "keep_dims"},
      {"default", "other"}, {"fill", "other"}, {"fill_value", "other"},  {"fill_value", "value"},
      {"ptr", "pointer"},   {"val", "value"},  {"value", "val"},         {"x", "input"},
      {"type", "dtype"}};
  for (auto [foreign, ours] : synonyms)
    if (foreign == name && llvm::is_contained(parameters, ours))
      return {{{}, "did you mean '" + std::string(ours) + "'?"}};
  if (auto close = suggestion(name, parameters); !close.empty() || parameters.empty())
    return close;
  return {{{}, "there are: " + llvm::join(parameters, ", ")}};
}

namespace {

const ast::Parameter *parameterOf(const Emitter &emitter, mlir::Value value) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  // A loop's body stands nowhere yet while it is traced.
  mlir::Operation *owner = argument ? argument.getOwner()->getParentOp() : nullptr;
  auto kernel = llvm::dyn_cast_or_null<mlir::func::FuncOp>(owner);
  if (!kernel)
    return nullptr;
  auto name = kernel.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), tile::nameAttr);
  const Frame *frame = emitter.frame;
  while (frame->caller)
    frame = frame->caller;
  for (const ast::Parameter &parameter : frame->function->parameters)
    if (parameter.name == name.getValue())
      return &parameter;
  return nullptr;
}

using Parameters = llvm::SmallVector<const ast::Parameter *>;

/// Adds the kernel's parameters that `value` is computed from; false if it is computed from
/// anything else, or by more than `steps` operations.
bool collectParameters(const Emitter &emitter, mlir::Value value, Parameters &found,
                       unsigned &steps) {
  if (const ast::Parameter *parameter = parameterOf(emitter, value)) {
    if (!llvm::is_contained(found, parameter))
      found.push_back(parameter);
    return true;
  }
  mlir::Operation *op = value.getDefiningOp();
  if (!op || !mlir::isPure(op) || op->getNumRegions() != 0 || steps-- == 0)
    return false;
  if (op->getNumOperands() == 0)
    return op->hasTrait<mlir::OpTrait::ConstantLike>();
  return llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
    return collectParameters(emitter, operand, found, steps);
  });
}

/// The first summand of a sum, through casts and broadcasts, that is a parameter.
const ast::Parameter *firstSummand(const Emitter &emitter, mlir::Value value, unsigned &steps) {
  if (const ast::Parameter *parameter = parameterOf(emitter, value))
    return parameter;
  mlir::Operation *op = value.getDefiningOp();
  bool isSum = llvm::isa_and_nonnull<mlir::arith::AddIOp, mlir::arith::AddFOp>(op);
  if (!op || !mlir::isPure(op) || (!isSum && op->getNumOperands() != 1) || steps-- == 0)
    return nullptr;
  for (mlir::Value operand : op->getOperands())
    if (const ast::Parameter *parameter = firstSummand(emitter, operand, steps))
      return parameter;
  return nullptr;
}

constexpr unsigned mostAdvisedSteps = 64;

} // namespace

void failNotConstexpr(const Emitter &emitter, const Value &value, Diagnostic diagnostic) {
  if (emitter.isOfThreads()) {
    diagnostic.notes.push_back({{}, "a number of the text or of the module is one"});
    throw SourceError(std::move(diagnostic));
  }
  std::vector<Tensor> parts;
  flatten(value, parts);
  Parameters found;
  unsigned steps = mostAdvisedSteps;
  bool isKnown = llvm::all_of(parts, [&](const Tensor &part) {
    return collectParameters(emitter, part.value, found, steps);
  });
  for (const ast::Parameter *parameter : isKnown ? found : Parameters())
    emitter.wantedConstants.push_back(parameter->name);
  for (const ast::Parameter *parameter : isKnown ? found : Parameters())
    diagnostic.notes.push_back(
        {parameter->range, "declared as '" + parameter->name + ": tl.constexpr' it is one"});
  throw SourceError(std::move(diagnostic));
}

/// A parameter that was passed a number that became a constant, such as 1, and is named in `text`.
static const ast::Parameter *constantNamedIn(Emitter &emitter, llvm::StringRef text) {
  if (emitter.frame->caller || emitter.frame->isHost)
    return nullptr;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words, " \t\r\n()[]+-*,");
  for (const ast::Parameter &parameter : emitter.frame->function->parameters)
    if (llvm::is_contained(words, parameter.name) &&
        !sema::readAnnotation(parameter.annotation.get()).isConstexpr &&
        emitter.frame->scope.values[parameter.name].is<ConstantValue>())
      return &parameter;
  return nullptr;
}

const ast::Parameter *numberUsedAsPointer(Emitter &emitter, const Value &value, SourceRange range) {
  unsigned steps = mostAdvisedSteps;
  if (const auto *tensor = value.as<Tensor>(); tensor && !tensor->isPointer())
    if (const ast::Parameter *parameter = firstSummand(emitter, tensor->value, steps))
      return parameter;
  return constantNamedIn(emitter, range.text());
}

namespace {

/// The text of an expression as one summand of a sum.
std::string summand(const ast::Expr &expr) {
  std::string text(expr.range.text());
  const auto *binary = llvm::dyn_cast<ast::Binary>(&expr);
  using Op = ast::BinaryOp;
  bool isLoose = llvm::isa<ast::Compare, ast::Bool, ast::Conditional, ast::NamedExpr>(expr) ||
                 (binary && llvm::is_contained({Op::Shl, Op::Shr, Op::And, Op::Or, Op::Xor},
                                               binary->steps.front().op));
  return isLoose ? "(" + text + ")" : text;
}

/// `p + i` for `p[i]`. How several indices make one offset, only the author knows.
std::string address(const ast::Subscript &expr) {
  bool isOne = !llvm::isa<ast::Tuple, ast::Slice>(*expr.index);
  return summand(*expr.object) + " + " + (isOne ? summand(*expr.index) : "OFFSETS");
}

/// Whether the index only inserts dimensions, as in `pointers[:, None]`.
bool isExpansion(const ast::Expr &index) {
  if (const auto *tuple = llvm::dyn_cast<ast::Tuple>(&index))
    return llvm::all_of(tuple->elements,
                        [](const ast::ExprPtr &each) { return isExpansion(*each); });
  const auto *constant = llvm::dyn_cast<ast::Constant>(&index);
  return llvm::isa<ast::Slice>(index) ||
         (constant && constant->valueKind == ast::Constant::Kind::None);
}

} // namespace

void refuseElement(const ast::Subscript &expr, const Value &object) {
  const auto *tuple = object.as<Tuple>();
  const auto *attribute = llvm::dyn_cast<ast::Attribute>(expr.object.get());
  if (tuple && tuple->elements.empty() && attribute && attribute->name == "shape") {
    std::string owner(attribute->object->range.text());
    failWithNote(expr.range,
                 {{}, "only tiles have one; the size of an array is passed as an argument"},
                 DiagnosticId::cannot_index, "the shape of " + owner + ", which is no tile,");
  }
  if (isPointer(object) && !isExpansion(*expr.index))
    failWithNote(expr.range, {{}, "write tl.load(" + address(expr) + ")"},
                 DiagnosticId::cannot_index, describe(object));
}

void failElementAssignment(const ast::Subscript &target, const Value &object,
                           std::string_view value, std::optional<ast::BinaryOp> op) {
  std::string advice = "a tuple is made anew, with all its elements";
  if (isPointer(object)) {
    std::string where = address(target);
    std::string before = op ? "tl.load(" + where + ") " + std::string(spelling(*op)) + " " : "";
    advice = "write tl.store(" + where + ", " + before + std::string(value) + ")";
  } else if (object.is<Tensor>()) {
    advice = "only an element of a tile that has a name is assigned";
  }
  failWithNote(target.range, {{}, advice}, DiagnosticId::invalid_assignment_target, "an element");
}

void refuseOperator(ast::BinaryOp op, std::string_view lhsText, const Value &lhs,
                    std::string_view rhsText, const Value &rhs, SourceRange range) {
  bool isPower = op == ast::BinaryOp::Pow;
  if ((!isPower && op != ast::BinaryOp::MatMul) ||
      (lhs.is<ConstantValue>() && rhs.is<ConstantValue>()))
    return;
  std::string x(lhsText), y(rhsText), advice;
  auto number = [](const Value &value) {
    const auto *constant = value.as<ConstantValue>();
    return constant ? sema::asNumber(*constant) : std::nullopt;
  };
  bool isName = llvm::all_of(x, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isPower)
    advice = "write tl.dot(" + x + ", " + y + ")";
  else if (number(rhs) == 2.0)
    advice = isName ? "write " + x + " * " + x : "write v * v with v = " + x;
  else if (number(rhs) == 3.0)
    advice = isName ? "write " + x + " * " + x + " * " + x : "write v * v * v with v = " + x;
  else if (number(rhs) == 0.5)
    advice = "write tl.sqrt(" + x + ")";
  else if (number(lhs) == 2.0)
    advice = "write tl.exp2(" + y + ")";
  else
    advice = "write tl.exp2(" + y + " * tl.log2(" + x + ")), for a positive base";
  failWithNote(range, {{}, advice}, DiagnosticId::operand_types, spelling(op), describe(lhs),
               describe(rhs));
}

std::string startAdvice(const std::string &name, const Value &before, const Value &after) {
  const auto *last = after.as<Tensor>(), *first = before.as<Tensor>();
  std::string keeps = "a loop keeps the types of its variables; ";
  if (!last || last->isPointer() || (!first && !before.isNone()))
    return keeps + "cast with .to(...)";
  if (first && first->shape() == last->shape() && first->isTile())
    return keeps + "cast what is assigned with .to(tl." +
           std::string(nereid::name(first->dtype())) + ")";
  if (first && first->isTile())
    return "a loop keeps the shapes of its variables";
  auto start = asConstant(before);
  auto number = start ? sema::asNumber(*start) : std::nullopt;
  std::string dtype = "tl." + std::string(nereid::name(last->dtype()));
  std::string value = number ? sema::toString(*start) : "0";
  if (number && !std::isfinite(*number))
    value = "float('" + value + "')";
  if (!last->isTile() && number && last->dtype() == DType::Float32)
    return "start with " + name + " = " + sema::toString(ConstantValue(*number));
  if (!last->isTile())
    return "start with " + name + " = tl.cast(" + value + ", " + dtype + ")";
  std::string shape = sema::toString(last->shape());
  bool isZero = number.value_or(0) == 0;
  return "start with " + name + " = " +
         (isZero ? "tl.zeros(" + shape + ", " : "tl.full(" + shape + ", " + value + ", ") + dtype +
         ")";
}

} // namespace nereid::emit
