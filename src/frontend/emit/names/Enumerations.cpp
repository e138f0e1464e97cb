// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/names/Enumerations.h"

#include "support/Diagnostics.h"

namespace nereid::emit {

using sema::ConstantValue;
using sema::HostNamespace;
using sema::HostValue;

namespace {

bool isAuto(const ast::Expr &value) {
  std::string_view text = value.range.text();
  return text == "auto()" || text == "enum.auto()";
}

class Members {
public:
  Members(const ast::Record &record, llvm::function_ref<Value(const ast::Expr &)> evaluate)
      : record(record), evaluate(evaluate) {}

  std::shared_ptr<const HostNamespace> read() {
    auto space = std::make_shared<HostNamespace>();
    space->name = "class " + record.name;
    for (const ast::Record::Field &field : record.fields) {
      auto value = valueOf(*field.defaultValue);
      HostValue member{sema::Foreign{record.name + "." + field.name +
                                     ", whose value only a running Python knows"}};
      if (value)
        member = areValues ? HostValue{*value} : object(field.name, *value);
      space->members[field.name] = std::move(member);
    }
    return space;
  }

private:
  bool isBase(std::string_view name) const { return llvm::is_contained(record.bases, name); }

  std::optional<ConstantValue> valueOf(const ast::Expr &expr) {
    if (isAuto(expr))
      return next();
    autos.reset();
    try {
      Value value = evaluate(expr);
      if (const auto *constant = value.as<ConstantValue>())
        return *constant;
    } catch (const SourceError &) {
      // Made of other members, or of what only a running Python knows.
    }
    return std::nullopt;
  }

  /// Of auto(). What it gives after a value that was written, versions of Python differ about.
  std::optional<ConstantValue> next() {
    if (!autos || isText || *autos > 62)
      return std::nullopt;
    sema::Integer count = (*autos)++;
    return isFlag ? sema::Integer(1) << count : count + 1;
  }

  HostValue object(const std::string &name, const ConstantValue &value) const {
    auto member = std::make_shared<HostNamespace>();
    member->name = record.name + "." + name;
    member->members = {{"name", HostValue{ConstantValue(name)}}, {"value", HostValue{value}}};
    return HostValue{std::shared_ptr<const HostNamespace>(std::move(member))};
  }

  const ast::Record &record;
  llvm::function_ref<Value(const ast::Expr &)> evaluate;
  bool isFlag = isBase("Flag") || isBase("IntFlag"), isText = isBase("StrEnum") || isBase("str");
  bool areValues = isText || isBase("IntEnum") || isBase("IntFlag") || isBase("int");
  std::optional<int> autos = 0; // so far; nothing where other values stand between
};

} // namespace

Value enumeration(const ast::Record &record,
                  llvm::function_ref<Value(const ast::Expr &)> evaluate) {
  return Members(record, evaluate).read();
}

} // namespace nereid::emit
