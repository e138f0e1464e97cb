// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions and prints, and Python's own functions of constants.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/tiles/SoftwareFloat.h"
#include "nereid/error.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace nereid::emit {

using sema::ConstantValue;

Value static_assertBuiltin(Emitter &emitter, const Arguments &arguments) {
  auto truth = emitter.condition(arguments["cond"], arguments.range("cond"));
  const bool *constant = std::get_if<bool>(&truth);
  if (!constant)
    fail(arguments.range("cond"), DiagnosticId::argument_not_constexpr, "cond", "static_assert");
  std::string message = arguments.text("msg");
  if (!*constant)
    fail(arguments.callRange(), DiagnosticId::static_assert_failed,
         message.empty() ? "" : ": " + message);
  return {};
}

Value static_printBuiltin(Emitter &emitter, const Arguments &arguments) {
  std::string separator, line;
  for (const Value &value : arguments.elements("values")) {
    const auto *constant = value.as<ConstantValue>();
    line += separator + (constant ? sema::str(*constant) : describe(value));
    separator = arguments.text("sep");
  }
  line += arguments.isNone("end") ? "\n" : arguments.text("end");
  line = printable(line);
  if (!emitter.mistaken) // a kernel that is traced again has printed
    std::fwrite(line.data(), 1, line.size(), stdout);
  return {};
}

Value device_assertBuiltin(Emitter &emitter, const Arguments &arguments) {
  Value condition = arguments["cond"];
  SourceRange range = arguments.callRange();
  if (!arguments.isNone("mask")) {
    Value isOff = emitter.logicalNot(arguments["mask"], range);
    Value holds = emitter.logicalNot(emitter.logicalNot(condition, range), range);
    condition = emitter.logical(ast::BoolOp::Or, isOff, holds, range);
  }
  emitter.emitReachedAssert(condition, arguments.text("msg"), range);
  return {};
}

namespace {

struct PrintContent {
  std::vector<std::string> texts;
  std::vector<Tensor> values;
};

void emitPrint(Emitter &emitter, tile::PrintStyle style, const PrintContent &content, bool isHex,
               bool isDebug, SourceRange range) {
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<bool> areSigned;
  for (Tensor value : content.values) {
    if (!value.isPointer() && isSoftwareFloat(value.dtype()))
      value = isHex ? emitter.bitcast(value, {DType::UInt8}, range)
                    : emitter.cast(value, {DType::Float32}, range);
    values.push_back(value.value);
    areSigned.push_back(isSigned(value.dtype()));
  }
  llvm::SmallVector<llvm::StringRef> texts(content.texts.begin(), content.texts.end());
  tile::PrintOp::create(emitter.builder, emitter.locate(range), style,
                        emitter.builder.getStrArrayAttr(texts), values, areSigned, isHex, isDebug);
}

PrintContent contentOf(const FormattedText &text) { return {text.texts, text.values}; }

/// Upstream's form of a prefix: " prefix: " before a value, " prefix" alone.
std::string normalisedPrefix(const std::string &text, bool hasValue) {
  llvm::StringRef trimmed = llvm::StringRef(text).trim();
  if (hasValue)
    trimmed.consume_back(":");
  return (trimmed.empty() ? "" : " " + trimmed.str()) + (hasValue ? ": " : "");
}

/// Each value on lines of its own, one per element.
void printElements(Emitter &emitter, const std::string &prefix, llvm::ArrayRef<Value> values,
                   bool isHex, SourceRange range) {
  PrintContent content;
  for (const Value &value : values) {
    content.texts.push_back(normalisedPrefix(prefix, /*hasValue=*/true));
    content.values.push_back(emitter.toTensor(value, range));
  }
  content.texts.push_back(values.empty() ? normalisedPrefix(prefix, /*hasValue=*/false) : "");
  emitPrint(emitter, tile::PrintStyle::PerElement, content, isHex, false, range);
}

/// One value of a line: a tuple in its parentheses, and what is there three times, as threadIdx.
void appendShown(Emitter &emitter, PrintContent &content, const Value &value, SourceRange range) {
  const auto *tuple = value.as<Tuple>();
  const auto *place = value.as<ModuleReference>();
  if (const auto *constant = value.as<ConstantValue>()) {
    content.texts.back() += sema::str(*constant);
  } else if ((tuple && !tuple->record) || place) {
    std::vector<Value> elements;
    for (const char *axis : {"x", "y", "z"})
      if (place)
        elements.push_back(emitter.attribute(value, axis, range));
    if (tuple)
      elements = tuple->elements;
    content.texts.back() += "(";
    for (size_t i = 0; i < elements.size(); ++i) {
      content.texts.back() += i ? ", " : "";
      appendShown(emitter, content, elements[i], range);
    }
    content.texts.back() += elements.size() == 1 ? ",)" : ")";
  } else {
    content.values.push_back(emitter.toTensor(value, range));
    content.texts.emplace_back();
  }
}

/// A line for each thread, as Python's print writes it.
void printLine(Emitter &emitter, llvm::ArrayRef<Value> values, SourceRange range) {
  PrintContent content{{""}, {}};
  llvm::StringRef separator;
  for (const Value &value : values) {
    content.texts.back() += separator;
    separator = " ";
    appendShown(emitter, content, value, range);
  }
  emitPrint(emitter, tile::PrintStyle::Plain, content, false, false, range);
}

} // namespace

Value device_printBuiltin(Emitter &emitter, const Arguments &arguments) {
  printElements(emitter, arguments.text("prefix"), arguments.elements("args"),
                arguments.flag("hex"), arguments.range("args"));
  return {};
}

Value printBuiltin(Emitter &emitter, const Arguments &arguments) {
  emitter.refuseOutsideKernels();
  std::vector<Value> values = arguments.elements("args");
  SourceRange range = arguments.callRange();
  bool isHex = arguments.flag("hex");
  if (values.size() == 1)
    if (const auto *text = values[0].as<FormattedText>()) {
      emitPrint(emitter, tile::PrintStyle::Inline, contentOf(*text), isHex, false, range);
      return {};
    }
  if (emitter.isOfThreads()) { // a tuple alone is one value there
    printLine(emitter, arguments["args"].as<Tuple>()->elements, arguments.range("args"));
    return {};
  }
  const auto *first = values.empty() ? nullptr : values[0].as<ConstantValue>();
  const auto *prefix = first ? std::get_if<std::string>(first) : nullptr;
  llvm::ArrayRef<Value> rest(values);
  printElements(emitter, prefix ? *prefix : "", prefix ? rest.drop_front() : rest, isHex,
                arguments.range("args"));
  return {};
}

namespace {

struct ProgramCondition {
  ast::CompareOp op;
  int32_t bound;
};

/// One part of a condition: an operator and a number, as in ">=2".
std::optional<ProgramCondition> parseCondition(llvm::StringRef text) {
  using Op = ast::CompareOp;
  constexpr std::pair<const char *, Op> operators[] = {
      {"<=", Op::Le}, {">=", Op::Ge}, {"!=", Op::Ne}, {"==", Op::Eq},
      {"<", Op::Lt},  {">", Op::Gt},  {"=", Op::Eq}};
  for (auto [spelling, op] : operators) {
    if (!text.consume_front(spelling))
      continue;
    int32_t bound;
    if (text.getAsInteger(10, bound))
      return std::nullopt;
    return ProgramCondition{op, bound};
  }
  return std::nullopt;
}

/// The programs that a string like ">1,=0" selects: one condition a grid axis, each may be empty.
Value selectedPrograms(Emitter &emitter, const Arguments &arguments) {
  std::string text = arguments.text("conds");
  llvm::erase(text, ' ');
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ',');
  if (parts.size() > 3)
    arguments.failValue("conds", "at most three conditions");
  SourceRange range = arguments.callRange();
  Value selected = boolValue(true);
  for (size_t axis = 0; axis < parts.size(); ++axis) {
    if (parts[axis].empty())
      continue;
    auto condition = parseCondition(parts[axis]);
    if (!condition)
      arguments.failValue("conds", "conditions such as '>0' or '=1,<2'");
    Tensor id{emitter.make<tile::ProgramIdOp>(
                  range, emitter.builder.getI32Type(),
                  emitter.builder.getI32IntegerAttr(static_cast<int32_t>(axis))),
              {{DType::Int32}, {}}};
    Value holds = emitter.compare(condition->op, id,
                                  emitter.integer(condition->bound, DType::Int32, range), range);
    selected = emitter.logical(ast::BoolOp::And, selected, holds, range);
  }
  return selected;
}

} // namespace

Value print_ifBuiltin(Emitter &emitter, const Arguments &arguments) {
  emitter.refuseOutsideKernels();
  SourceRange range = arguments.callRange();
  PrintContent content;
  if (const auto *text = arguments["txt"].as<FormattedText>())
    content = contentOf(*text);
  else
    content.texts.push_back(arguments.text("txt"));
  Value selected = selectedPrograms(emitter, arguments);
  const auto *bit = selected.as<Tensor>();
  mlir::OpBuilder::InsertionGuard guard(emitter.builder);
  if (bit) {
    auto branch = mlir::scf::IfOp::create(emitter.builder, emitter.locate(range), bit->value,
                                          /*withElseRegion=*/false);
    emitter.builder.setInsertionPointToStart(branch.thenBlock());
  }
  emitPrint(emitter, tile::PrintStyle::Inline, content, false, true, range);
  return {};
}

Value lenBuiltin(Emitter &, const Arguments &arguments) {
  const Value &value = arguments["x"];
  if (const auto *tuple = value.as<Tuple>())
    return integerValue(static_cast<sema::Integer>(tuple->elements.size()));
  if (const auto *tensor = value.as<Tensor>(); tensor && tensor->isTile())
    return integerValue(tensor->shape()[0]);
  if (const auto *dictionary = value.as<Dictionary>())
    return integerValue(static_cast<sema::Integer>(dictionary->keys.size()));
  const auto *constant = value.as<ConstantValue>();
  const auto *text = constant ? std::get_if<std::string>(constant) : nullptr;
  if (!text)
    arguments.failType("x", "a tuple, a string or a tile");
  auto isFirst = [](char byte) { return (byte & 0xc0) != 0x80; }; // of a character in UTF-8
  return integerValue(static_cast<sema::Integer>(llvm::count_if(*text, isFirst)));
}

Value intBuiltin(Emitter &, const Arguments &arguments) {
  ConstantValue value = arguments.constant("x");
  if (auto integer = sema::asInteger(value))
    return integerValue(*integer);
  if (const double *number = std::get_if<double>(&value)) {
    if (!(std::fabs(*number) < 0x1p63))
      arguments.failValue("x", "a number of up to 64 bits");
    return integerValue(static_cast<sema::Integer>(*number));
  }
  const auto *text = std::get_if<std::string>(&value);
  int64_t parsed;
  if (!text || llvm::StringRef(*text).trim().getAsInteger(10, parsed))
    arguments.failValue("x", "a number");
  return integerValue(parsed);
}

Value floatBuiltin(Emitter &, const Arguments &arguments) {
  ConstantValue value = arguments.constant("x");
  if (auto number = sema::asNumber(value))
    return ConstantValue(*number);
  const auto *text = std::get_if<std::string>(&value);
  if (!text)
    arguments.failType("x", "a number or a string");
  if (auto number = sema::parseFloat(*text))
    return ConstantValue(*number);
  arguments.failValue("x", "a number, 'inf' or 'nan'");
}

Value boolBuiltin(Emitter &emitter, const Arguments &arguments) {
  return boolValue(
      emitter.constantCondition(arguments["x"], "the argument of bool", arguments.range("x")));
}

Value strBuiltin(Emitter &, const Arguments &arguments) {
  return stringValue(sema::str(arguments.constant("x")));
}

std::optional<Value> asTuple(Emitter &emitter, const Value &value, SourceRange range) {
  if (const auto *tuple = value.as<Tuple>())
    return Value(Tuple{tuple->elements});
  if (const auto *type = value.as<TupleType>())
    return Value(Tuple{type->types});
  if (const auto *sequence = value.as<RangeValue>())
    return Value(Tuple{emitter.staticElements(*sequence, range)});
  if (const auto *dictionary = value.as<Dictionary>())
    return Value(Tuple{dictionary->keys});
  return std::nullopt;
}

Value tupleBuiltin(Emitter &emitter, const Arguments &arguments) {
  if (auto tuple = asTuple(emitter, arguments["x"], arguments.range("x")))
    return *tuple;
  arguments.failType("x", "a tuple or a range");
}

Value listBuiltin(Emitter &emitter, const Arguments &arguments) {
  return tupleBuiltin(emitter, arguments);
}

} // namespace nereid::emit
