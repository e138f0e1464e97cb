// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names, objects and functions of a running host (sema/HostScope.h) as values of a trace.
#include "frontend/emit/Advice.h"
#include "frontend/emit/threads/Arrays.h"
#include "frontend/emit/threads/Names.h"
#include "frontend/emit/threads/Structures.h"
#include "frontend/emit/tiles/SoftwareFloat.h"

namespace nereid::emit {

using sema::ConstantValue;
using sema::HostValue;

std::optional<Value> Emitter::hostedValue(const ast::Module &module, const std::string &name,
                                          SourceRange use) {
  const HostValue *given = module.host ? module.host->find(name) : nullptr;
  return given ? std::optional(valueOf(*given, use)) : std::nullopt;
}

std::optional<Value> Emitter::hostedDefault(const ast::Module &module, const std::string &parameter,
                                            SourceRange use) {
  const HostValue *given = module.host ? module.host->defaultOf(parameter) : nullptr;
  return given ? std::optional(valueOf(*given, use)) : std::nullopt;
}

namespace {

struct ValueMaker {
  Emitter &emitter;
  SourceRange use;

  Value operator()(const ConstantValue &constant) const { return constant; }
  Value operator()(const sema::LanguagePart &part) const {
    if (threads::isKnownModule(part.path))
      if (auto value = threads::valueOf(emitter, part.path, use))
        return *value;
    return emitter.tritonValue(part.path, use);
  }
  Value operator()(const sema::HostedFunction &function) const {
    return JitFunction{function.function, function.module};
  }
  Value operator()(const std::shared_ptr<const sema::HostTuple> &tuple) const {
    Tuple result;
    if (tuple->record)
      result.record = emitter.recordType(tuple->record);
    for (const HostValue &element : tuple->elements)
      result.elements.push_back(emitter.valueOf(element, use));
    if (tuple->record && emitter.isOfThreads())
      if (auto array = threads::hostedArray(emitter, *tuple->record, result, use))
        return *array;
    return emitter.checkedTuple(std::move(result), use);
  }
  Value operator()(const std::shared_ptr<const sema::HostNamespace> &space) const { return space; }
  Value operator()(const std::shared_ptr<const sema::HostCall> &call) const { return call; }
  Value operator()(const std::shared_ptr<const sema::HostRecord> &record) const {
    return RecordReference{emitter.recordType(record)};
  }
  Value operator()(const std::shared_ptr<const sema::HostArray> &array) const {
    return threads::constantArray(emitter, *array, use);
  }
  Value operator()(const sema::Foreign &foreign) const {
    fail(use, DiagnosticId::foreign_name, foreign.description);
  }
};

} // namespace

Value Emitter::valueOf(const HostValue &given, SourceRange use) {
  return std::visit(ValueMaker{*this, use}, given.variant);
}

std::shared_ptr<const RecordType>
Emitter::recordType(const std::shared_ptr<const sema::HostRecord> &host) {
  if (!hostedTypes[host.get()]) {
    RecordType made{host->name, host->fields, nullptr, nullptr, {}, {}, host};
    for (const auto &base : host->bases)
      made.bases.push_back(recordType(base));
    hostedTypes[host.get()] = std::make_shared<const RecordType>(std::move(made));
  }
  return hostedTypes[host.get()];
}

Value Emitter::hostedAttribute(const sema::HostNamespace &space, const std::string &name,
                               SourceRange range) {
  if (auto member = space.members.find(name); member != space.members.end())
    return valueOf(member->second, range);
  fail(range, DiagnosticId::unknown_attribute, space.name, name);
}

/// A value as the host gets it; nothing for what it could do nothing with.
static std::optional<HostValue> toHost(const Value &value) {
  if (auto constant = asConstant(value))
    return HostValue{*constant};
  if (const auto *tuple = value.as<Tuple>()) {
    auto result = std::make_shared<sema::HostTuple>();
    result->record = tuple->record ? tuple->record->host : nullptr;
    for (const Value &element : tuple->elements) {
      auto given = toHost(element);
      if (!given)
        return std::nullopt;
      result->elements.push_back(std::move(*given));
    }
    return HostValue{std::shared_ptr<const sema::HostTuple>(std::move(result))};
  }
  if (const auto *space = value.as<std::shared_ptr<const sema::HostNamespace>>())
    return HostValue{*space};
  if (const auto *call = value.as<std::shared_ptr<const sema::HostCall>>())
    return HostValue{*call};
  return std::nullopt;
}

namespace {

using Given = sema::HostCall::Given;

/// A call that every program makes: a print whose values go to a function of the host. Tiles and
/// scalars are operands, and so are the values in f-strings.
class ProgramCall {
public:
  ProgramCall(Emitter &emitter, std::shared_ptr<const sema::HostCall> callee)
      : emitter(emitter), callee(std::move(callee)) {}

  void add(const Emitter::CallArgument &argument) {
    Part part{{argument.name, nullptr}, operands.size(), std::nullopt};
    if (const auto *text = argument.value.as<FormattedText>()) {
      part.text = PrintFormat{PrintStyle::Inline, false, text->texts};
      llvm::append_range(operands, text->values);
    } else if (auto constant = toHost(argument.value)) {
      part.given.constant = std::make_shared<const HostValue>(std::move(*constant));
    } else {
      Tensor tensor = emitter.toTensor(argument.value, argument.range);
      bool isSoftware = !tensor.isPointer() && isSoftwareFloat(tensor.dtype());
      operands.push_back(isSoftware ? emitter.cast(tensor, {DType::Float32}, argument.range)
                                    : tensor);
    }
    parts.push_back(std::move(part));
  }

  void emit(SourceRange range) {
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<bool> areSigned;
    for (const Tensor &operand : operands) {
      values.push_back(operand.value);
      areSigned.push_back(isSigned(operand.dtype()));
    }
    llvm::SmallVector<llvm::StringRef> texts(operands.size() + 1);
    auto print =
        tile::PrintOp::create(emitter.builder, emitter.locate(range), tile::PrintStyle::Inline,
                              emitter.builder.getStrArrayAttr(texts), values, areSigned,
                              /*hex=*/false, /*debug=*/true);
    print->setAttr(tile::receiverAttr, emitter.builder.getI64IntegerAttr(
                                           static_cast<int64_t>(emitter.receivers.size())));
    emitter.receivers.push_back([callee = callee, parts = std::move(parts)](auto operands) {
      std::vector<Given> arguments;
      for (const Part &part : parts)
        arguments.push_back(part.from(operands));
      callee->run(arguments);
    });
  }

private:
  struct Part {
    Given given;
    size_t firstOperand;
    std::optional<PrintFormat> text; // of an f-string

    Given from(std::span<const PrintedOperand> operands) const {
      Given result = given;
      if (text) {
        std::string line;
        printLines(*text, operands.subspan(firstOperand, text->texts.size() - 1), {0, 0, 0},
                   [&](const std::string &part) { line += (line.empty() ? "" : "\n") + part; });
        result.constant = std::make_shared<const HostValue>(HostValue{ConstantValue(line)});
      } else if (!result.constant) {
        result.operand = operands[firstOperand];
      }
      return result;
    }
  };

  Emitter &emitter;
  std::shared_ptr<const sema::HostCall> callee;
  std::vector<Tensor> operands;
  std::vector<Part> parts;
};

} // namespace

Value Emitter::callHosted(const std::shared_ptr<const sema::HostCall> &function,
                          const std::vector<CallArgument> &arguments, SourceRange range) {
  if (function->run) {
    refuseOutsideKernels();
    ProgramCall call(*this, function);
    for (const CallArgument &argument : arguments)
      call.add(argument);
    call.emit(range);
    return {};
  }
  const sema::HostCall &callee = *function;
  std::vector<sema::HostCall::Named> given;
  for (const CallArgument &argument : arguments) {
    auto value = toHost(argument.value);
    if (!value)
      failNotConstexpr(
          *this, argument.value,
          diagnose(argument.range, DiagnosticId::argument_not_constexpr,
                   argument.name.empty() ? std::to_string(given.size()) : argument.name,
                   callee.name));
    given.emplace_back(argument.name, std::move(*value));
  }
  return valueOf(callee.call(given), range);
}

} // namespace nereid::emit
