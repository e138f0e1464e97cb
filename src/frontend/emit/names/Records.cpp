// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named tuples and aggregates: tuples whose elements have names, and functions of their own.
#include "frontend/emit/Advice.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid::emit {

using sema::ConstantValue;

static void addField(RecordType &type, const std::string &name) {
  if (!llvm::is_contained(type.fields, name))
    type.fields.push_back(name);
}

/// What was defined before, as Python has it. What is no class of tuples is the host's concern.
std::vector<std::shared_ptr<const RecordType>> Emitter::basesOf(const ast::Module &module,
                                                                const ast::Binding &binding) {
  std::vector<std::shared_ptr<const RecordType>> bases;
  for (const std::string &name : binding.record->bases) {
    try {
      auto value = globalValue(module, name, binding.range.begin, binding.range);
      if (const auto *base = value ? value->as<RecordReference>() : nullptr)
        bases.push_back(base->type);
    } catch (const SourceError &) {
      // An import of what is not read.
    }
  }
  return bases;
}

const RecordType *RecordType::ownerOfField(std::string_view field) const {
  auto isIt = [&](const ast::Record::Field &own) { return own.name == field; };
  if (definition && llvm::any_of(definition->fields, isIt))
    return this;
  if (host && host->defaults.contains(field))
    return this;
  for (const auto &base : bases)
    if (const RecordType *owner = base->ownerOfField(field))
      return owner;
  return nullptr;
}

bool RecordType::isOrDerivesFrom(const RecordType &other) const {
  return this == &other ||
         llvm::any_of(bases, [&](const auto &base) { return base->isOrDerivesFrom(other); });
}

const RecordType *RecordType::ownerOfMethod(std::string_view method) const {
  if ((definition && definition->method(method)) || (host && host->methods.contains(method)))
    return this;
  for (const auto &base : bases)
    if (const RecordType *owner = base->ownerOfMethod(method))
      return owner;
  return nullptr;
}

std::optional<JitFunction> RecordType::ownMethod(std::string_view method) const {
  if (const ast::Function *function = definition ? definition->method(method) : nullptr)
    return JitFunction{function, module};
  auto hosted = host ? host->methods.find(method) : decltype(host->methods.end()){};
  if (!host || hosted == host->methods.end())
    return std::nullopt;
  const auto *function = hosted->second.as<sema::HostedFunction>();
  return function ? std::optional(JitFunction{function->function, function->module}) : std::nullopt;
}

std::optional<Value> Emitter::methodOf(const RecordType &type, std::string_view name,
                                       SourceRange use) {
  const RecordType *owner = type.ownerOfMethod(name);
  if (!owner)
    return std::nullopt;
  if (auto function = owner->ownMethod(name))
    return Value(*function);
  return valueOf(owner->host->methods.find(name)->second, use);
}

std::shared_ptr<const RecordType> Emitter::recordType(const ast::Module &module,
                                                      const ast::Binding &binding) {
  if (!recordTypes[&binding]) {
    RecordType made{
        binding.name, {}, binding.record.get(), &module, binding.range, basesOf(module, binding)};
    for (const auto &base : made.bases)
      for (const std::string &field : base->fields)
        addField(made, field);
    for (const ast::Record::Field &field : binding.record->fields)
      addField(made, field.name);
    recordTypes[&binding] = std::make_shared<const RecordType>(std::move(made));
  }
  return recordTypes[&binding];
}

static std::optional<std::string> textOf(const Value &value) {
  const auto *constant = value.as<ConstantValue>();
  const auto *text = constant ? std::get_if<std::string>(constant) : nullptr;
  return text ? std::optional(*text) : std::nullopt;
}

Value makeNamedTuple(const std::vector<Emitter::CallArgument> &arguments, SourceRange range) {
  auto name = arguments.size() == 2 ? textOf(arguments[0].value) : std::nullopt;
  if (!name)
    fail(range, DiagnosticId::argument_type, "typename", "namedtuple", "a text, and then fields",
         arguments.empty() ? "nothing" : describe(arguments[0].value));
  RecordType type{*name, {}, nullptr, nullptr, range};
  if (auto text = textOf(arguments[1].value)) {
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(*text, words, " ,\t\n");
    for (llvm::StringRef word : words)
      type.fields.push_back(word.str());
  } else if (const auto *list = arguments[1].value.as<Tuple>()) {
    for (const Value &each : list->elements)
      if (auto field = textOf(each))
        type.fields.push_back(*field);
  }
  if (type.fields.empty())
    fail(range, DiagnosticId::argument_type, "field_names", "namedtuple",
         "the names of its fields, as a text or a tuple", describe(arguments[1].value));
  return RecordReference{std::make_shared<const RecordType>(std::move(type))};
}

static size_t fieldOf(const RecordType &type, const std::string &name) {
  return static_cast<size_t>(llvm::find(type.fields, name) - type.fields.begin());
}

/// What the class gives a field that nothing was said of.
std::optional<Value> Emitter::fieldDefault(const RecordType &type, const std::string &field,
                                           SourceRange use) {
  const RecordType *owner = type.ownerOfField(field);
  if (!owner)
    return std::nullopt;
  if (owner->host)
    return valueOf(owner->host->defaults.find(field)->second, use);
  for (const ast::Record::Field &own : owner->definition->fields)
    if (own.name == field && own.defaultValue)
      return evaluateOutside(*own.defaultValue, *owner->module, owner->range.begin);
  return std::nullopt;
}

Value Emitter::makeRecord(const std::shared_ptr<const RecordType> &type,
                          std::vector<CallArgument> given, SourceRange range) {
  Tuple tuple{std::vector<Value>(type->fields.size()), type};
  if (auto init = methodOf(*type, "__init__", range)) {
    given.insert(given.begin(), {"", std::move(tuple), range});
    return call(*init, std::move(given), range);
  }
  std::vector<bool> isGiven(type->fields.size());
  size_t positional = 0;
  for (CallArgument &argument : given) {
    size_t index = argument.name.empty() ? positional++ : fieldOf(*type, argument.name);
    if (index >= type->fields.size() && argument.name.empty())
      fail(argument.range, DiagnosticId::too_many_arguments, type->name, type->fields.size(),
           given.size());
    if (index >= type->fields.size())
      failWithNotes(
          suggestParameter(argument.name, type->fields),
          diagnose(argument.nameRange, DiagnosticId::unknown_argument, type->name, argument.name));
    if (isGiven[index])
      fail(argument.range, DiagnosticId::duplicate_argument, type->fields[index], type->name);
    isGiven[index] = true;
    tuple.elements[index] = argument.value;
  }
  for (size_t i = 0; i < isGiven.size(); ++i) {
    if (isGiven[i])
      continue;
    auto otherwise = fieldDefault(*type, type->fields[i], range);
    if (!otherwise)
      fail(range, DiagnosticId::missing_argument, type->fields[i], type->name);
    tuple.elements[i] = std::move(*otherwise);
  }
  return checkedTuple(std::move(tuple), range);
}

std::optional<Value> Emitter::recordAttribute(const Tuple &tuple, const std::string &name,
                                              SourceRange range) {
  const RecordType &type = *tuple.record;
  if (size_t index = fieldOf(type, name); index < type.fields.size())
    return tuple.elements[index];
  auto method = methodOf(type, name, range);
  if (!method)
    return std::nullopt;
  return BoundMethod{share(tuple), share(std::move(*method))};
}

/// The classes in the order in which a method is looked for.
static void addLine(const RecordType &type, std::vector<const RecordType *> &line) {
  if (llvm::is_contained(line, &type))
    return;
  line.push_back(&type);
  for (const auto &base : type.bases)
    addLine(*base, line);
}

/// The object of the method that is being traced; null in other functions.
Tuple *Emitter::self() {
  if (!frame->function || frame->function->parameters.empty())
    return nullptr;
  auto object = frame->scope.values.find(frame->function->parameters.front().name);
  Tuple *tuple = object == frame->scope.values.end() ? nullptr : object->second.as<Tuple>();
  return tuple && tuple->record ? tuple : nullptr;
}

static bool isSuper(const ast::Expr &expr) {
  const auto *call = llvm::dyn_cast<ast::Call>(&expr);
  const auto *name = call ? llvm::dyn_cast<ast::Name>(call->callee.get()) : nullptr;
  return name && name->name == "super" && call->arguments.empty();
}

std::optional<Value> Emitter::superMethod(const ast::Attribute &expr) {
  const Tuple *object = isSuper(*expr.object) ? self() : nullptr;
  if (!object)
    return std::nullopt;
  std::vector<const RecordType *> line;
  addLine(*object->record, line);
  auto isHere = [&](const RecordType *type) {
    auto method = type->ownMethod(frame->function->name);
    return method && method->function == frame->function;
  };
  auto here = llvm::find_if(line, isHere);
  if (here == line.end())
    return std::nullopt;
  for (const RecordType *type :
       llvm::ArrayRef(line).drop_front(static_cast<size_t>(here - line.begin()) + 1))
    if (auto method = type->ownMethod(expr.name))
      return BoundMethod{share(*object), share(*method)};
  fail(expr.nameRange, DiagnosticId::unknown_attribute, "super() of class " + (*here)->name,
       expr.name);
}

bool Emitter::takeFields(const ast::Expr &callee, const Value &made) {
  const auto *attribute = llvm::dyn_cast<ast::Attribute>(&callee);
  Tuple *object = attribute && attribute->name == "__init__" ? self() : nullptr;
  const auto *fields = made.as<Tuple>();
  if (!object || !fields || fields->record != object->record || frame->function->name != "__init__")
    return false;
  object->elements = fields->elements;
  return true;
}

Value withFields(const std::vector<Emitter::CallArgument> &arguments, SourceRange range) {
  const Tuple *object = arguments.empty() ? nullptr : arguments[0].value.as<Tuple>();
  if (!object || !object->record)
    fail(range, DiagnosticId::argument_type, "obj", "aggregate_replace", "an object with fields",
         arguments.empty() ? "nothing" : describe(arguments[0].value));
  Tuple result = *object;
  for (const Emitter::CallArgument &argument : llvm::ArrayRef(arguments).drop_front()) {
    size_t index = fieldOf(*object->record, argument.name);
    if (index >= object->record->fields.size())
      failWithNotes(suggestParameter(argument.name, object->record->fields),
                    diagnose(argument.name.empty() ? argument.range : argument.nameRange,
                             DiagnosticId::unknown_argument, "aggregate_replace", argument.name));
    result.elements[index] = argument.value;
  }
  return result;
}

/// `self.field = value`, which only the function that makes the object may say.
bool Emitter::assignField(const ast::Attribute &target, const Value &value) {
  const auto *name = llvm::dyn_cast<ast::Name>(target.object.get());
  if (!name || !frame->function || frame->function->name != "__init__")
    return false;
  auto object = frame->scope.values.find(name->name);
  Tuple *tuple = object == frame->scope.values.end() ? nullptr : object->second.as<Tuple>();
  if (!tuple || !tuple->record)
    return false;
  size_t index = fieldOf(*tuple->record, target.name);
  if (index >= tuple->record->fields.size())
    failWithNotes(
        suggestion(target.name, tuple->record->fields),
        diagnose(target.nameRange, DiagnosticId::unknown_attribute, describe(*tuple), target.name));
  tuple->elements[index] = value;
  return true;
}

} // namespace nereid::emit
