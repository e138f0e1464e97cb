// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What names and attributes mean: locals, the module's functions and constants, imports, built-ins.
#include "frontend/emit/threads/Names.h"
#include "frontend/emit/Advice.h"
#include "frontend/emit/builtins/ExternFunctions.h"
#include "frontend/emit/names/LibraryModules.h"
#include "frontend/emit/threads/Arrays.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/threads/Functions.h"
#include "frontend/names/PythonModules.h"
#include "frontend/names/TypeFacts.h"

namespace nereid::emit {

using sema::ConstantValue;

/// What the library writes is a function of its own.
static Value functionValue(const sema::Builtin &row) {
  if (row.id)
    return &row;
  return findLibraryFunction(row.name);
}

std::optional<Value> Emitter::builtinOf(std::string_view module, const std::string &name) {
  auto row = names::builtinOf(module, name);
  return row ? std::optional(valueOf(*row)) : std::nullopt;
}

Value Emitter::valueOf(const names::Meaning &meaning) {
  if (const auto *row = names::as<const sema::Builtin *>(meaning))
    return functionValue(**row);
  return std::visit([](const auto &known) { return Value(known); }, meaning);
}

[[noreturn]] static void failUnknown(const Frame &frame, const sema::Environment &environment,
                                     const ast::Name &name) {
  std::vector<std::string> candidates = sema::functionNames("");
  for (const auto &[local, value] : frame.scope.values)
    candidates.push_back(local);
  for (const ast::Module *module = &frame.module; module; module = module->outer)
    for (const ast::Binding &binding : module->bindings)
      candidates.push_back(binding.name);
  llvm::append_range(candidates, environment.definedNames());
  if (sema::findMissingFunction("", name.name))
    fail(name.range, DiagnosticId::not_supported_yet, "'" + name.name + "'");
  std::vector<DiagnosticNote> notes;
  if (auto instead = sema::insteadOfPython(name.name)) {
    notes.push_back({{},
                     "Python has '" + name.name + "', " +
                         (frame.isHost ? "which is not known here" : "kernels have not")});
    if (!instead->empty() && !frame.isHost)
      notes.push_back({{}, "write " + std::string(*instead)});
  } else if (std::string here = spellingInKernels(name.name); !here.empty()) {
    notes.push_back({{}, here});
  } else {
    notes = suggestion(name.name, candidates);
  }
  const ast::Module *file = &frame.module; // stars are imported outside functions alone
  while (file->outer)
    file = file->outer;
  for (const ast::Binding &binding : file->bindings)
    if (binding.name == "*" && !environment.findModule(*file, binding.import.module))
      notes.push_back({binding.range, "what this brings is not known: the module is not found"});
  failWithNotes(std::move(notes), diagnose(name.range, DiagnosticId::unknown_name, name.name));
}

Value Emitter::lookUp(const ast::Name &name) {
  const Scope &scope = frame->scope;
  if (auto local = scope.values.find(name.name); local != scope.values.end())
    return local->second;
  if (auto last = scope.lastTurns.find(name.name); last != scope.lastTurns.end())
    return last->second();
  if (auto lost = scope.lost.find(name.name); lost != scope.lost.end()) {
    if (lost->second.isMistake)
      failAsConsequence(name.range);
    if (const ast::Stmt *loop = lost->second.loop; loop && namesAfterLoops && isOfThreads())
      if ((*namesAfterLoops)[loop].insert(name.name).second)
        throw IsReadAfterLoop();
    failWithNote(name.range, {lost->second.because, lost->second.reason},
                 DiagnosticId::undefined_after_branch, name.name);
  }
  if (const Value *outer = threads::valueAround(*frame, name.name))
    return *outer;
  if (auto global = globalValue(frame->module, name.name, frame->before, name.range))
    return *global;
  if (auto function = isOfThreads() ? threads::pythonValue(*this, name.name) : std::nullopt)
    return *function;
  if (auto builtin = builtinOf("", name.name))
    return *builtin;
  if (auto function = frame->isHost ? constantFunction(name.name) : std::nullopt)
    return *function;
  if (name.name == "tl")
    return ModuleReference{"triton.language"};
  if (name.name == "triton")
    return ModuleReference{"triton"};
  failUnknown(*frame, environment, name);
}

/// Refuses `np.exp` where `np` is a module that is not read or looks like one, and says what a
/// kernel writes.
static void refuseForeign(Emitter &emitter, const ast::Attribute &expr) {
  const ast::Expr *root = expr.object.get();
  while (const auto *inner = llvm::dyn_cast<ast::Attribute>(root))
    root = inner->object.get();
  const auto *name = llvm::dyn_cast<ast::Name>(root);
  auto foreign = name ? emitter.foreignName(*name) : std::nullopt;
  if (!foreign)
    return;
  SourceRange rest{expr.range.file, root->range.end, expr.range.end};
  std::string path = foreign->path + std::string(rest.text());
  auto known = foreign->isImported ? emitter.hostValue(path) : std::nullopt;
  bool isForKernels =
      known && (known->is<ConstantValue>() || known->is<const sema::HostFunction *>());
  if (!known || !(emitter.frame->isHost || isForKernels))
    emitter.failForeign(path, foreign->module, expr.range);
}

Value Emitter::evaluateAttribute(const ast::Attribute &expr) {
  if (auto limit = frame->isHost ? names::limitOfType(expr) : std::nullopt)
    return Value(*limit);
  if (auto method = superMethod(expr))
    return *method;
  if (auto given = frame->isLibrary ? std::nullopt : definition(expr))
    return *given; // torch.version.hip, settled as outside kernels
  refuseForeign(*this, expr);
  return attribute(evaluate(*expr.object), expr.name, expr.nameRange);
}

/// What a module of the program binds.
Value Emitter::partOf(const ModuleReference &module, const std::string &name, SourceRange range) {
  if (auto value = globalValue(*module.module, name, UINT32_MAX, range))
    return *value;
  if (auto part = names.submodule(frame->module, module, name))
    return *part;
  std::vector<std::string> candidates;
  for (const ast::Binding &binding : module.module->bindings)
    candidates.push_back(binding.name);
  failWithNotes(suggestion(name, candidates),
                diagnose(range, DiagnosticId::unknown_attribute, describe(module), name));
}

Value Emitter::moduleAttribute(const ModuleReference &module, const std::string &name,
                               SourceRange range) {
  const std::string &path = module.path;
  if (module.module)
    return partOf(module, name, range);
  if (threads::isKnownModule(path) && (isOfThreads() || path != "math"))
    if (auto value = threads::valueOf(*this, path + "." + name, range))
      return *value;
  if (auto known = hostValue(path + "." + name))
    return *known;
  return valueOf(names::attributeOfLanguage(module, name, range));
}

namespace {

/// Facts about a type: attributes, and methods without arguments.
std::optional<Value> factValue(const std::optional<names::TypeFact> &fact,
                               const std::string &name) {
  if (!fact)
    return std::nullopt;
  const auto *shape = std::get_if<sema::Shape>(&fact->value);
  Value value = shape ? tupleOf(*shape) : Value(std::get<ConstantValue>(fact->value));
  return fact->isMethod ? Value(KnownResult{name, share(std::move(value))}) : std::move(value);
}

std::optional<Value> tensorAttribute(Emitter &emitter, const Tensor &tensor,
                                     const std::string &name, SourceRange range) {
  if (name == "dtype")
    return dtypeValue(tensor.type.scalar);
  if (name == "shape")
    return tupleOf(tensor.shape());
  if (name == "numel")
    return integerValue(tensor.type.elements());
  if (name == "value") // of a constexpr that an assignment made a scalar
    if (auto constant = asConstant(tensor))
      return Value(*constant);
  if (name == "T") {
    if (tensor.shape().size() != 2)
      failWithNote(range, {{}, ".T needs a tile of rank 2"}, DiagnosticId::operand_type, ".T",
                   sema::toString(tensor.type));
    return Value(emitter.permute(tensor, {1, 0}, range));
  }
  return std::nullopt;
}

Value tupleOfScalars(const std::vector<Tensor> &scalars) {
  return Tuple{std::vector<Value>(scalars.begin(), scalars.end())};
}

std::optional<Value> blockPointerAttribute(const TypeReference &pointer, const std::string &name) {
  if (name == "element_ty") // the block
    return Value(TypeReference{pointer.type});
  return factValue(
      names::factOf(sema::ScalarType{pointer.type.scalar.dtype, /*isPointer=*/true}, name), name);
}

std::optional<Value> descriptorAttribute(const TensorDescriptor &descriptor,
                                         const std::string &name) {
  if (name == "dtype")
    return dtypeValue({descriptor.base.dtype()});
  if (name == "shape")
    return tupleOfScalars(descriptor.shape);
  if (name == "strides")
    return tupleOfScalars(descriptor.strides);
  if (name == "block_shape")
    return tupleOf(descriptor.block);
  if (name == "block_type")
    return Value(TypeReference{{{descriptor.base.dtype()}, descriptor.block}});
  return std::nullopt;
}

std::optional<Value> tupleTypeAttribute(const TupleType &type, const std::string &name) {
  if (name == "types")
    return Value(Tuple{type.types});
  if (name != "fields")
    return std::nullopt;
  Tuple names;
  for (const std::string &field : type.fields)
    names.elements.push_back(stringValue(field));
  return type.fields.empty() ? Value() : Value(std::move(names));
}

std::optional<Value> dataAttribute(Emitter &emitter, const Value &object, const std::string &name,
                                   SourceRange range) {
  if (name == "type")
    if (auto type = typeValue(object))
      return type;
  if (const auto *tensor = object.as<Tensor>())
    return tensorAttribute(emitter, *tensor, name, range);
  if (const auto *type = object.as<TypeReference>())
    return type->isBlockPointer ? blockPointerAttribute(*type, name)
                                : factValue(names::factOf(type->type, name), name);
  if (object.as<BlockPointer>() && name == "dtype")
    return typeValue(object);
  if (const auto *descriptor = object.as<TensorDescriptor>())
    return descriptorAttribute(*descriptor, name);
  if (const auto *array = object.as<ArrayView>())
    return threads::arrayAttribute(emitter, *array, name, range);
  if (const auto *array = object.as<sema::ArrayFacts>()) {
    if (name == "shape")
      return tupleOf(array->shape);
    if (name == "stride")
      return tupleOf(array->strides);
  }
  if (const auto *type = object.as<TupleType>())
    return tupleTypeAttribute(*type, name);
  if (const auto *constant = object.as<ConstantValue>()) {
    if (name == "value") // of a tl.constexpr
      return object;
    if (const auto *dtype = std::get_if<sema::ScalarType>(constant))
      return factValue(names::factOf(*dtype, name), name);
  }
  return std::nullopt;
}

bool isConstantNumber(const Value &object) {
  const auto *constant = object.as<ConstantValue>();
  return constant && sema::asNumber(*constant);
}

/// The names of the methods that `object` has.
std::vector<std::string> methodsOf(const Value &object) {
  if (object.is<TensorDescriptor>())
    return sema::descriptorMethodNames();
  if (object.is<BlockPointer>())
    return {"advance", "store"};
  if (object.is<Tensor>() || isConstantNumber(object))
    return sema::methodNames();
  return {};
}

std::vector<std::string> attributesOf(const Value &object) {
  if (const auto *tuple = object.as<Tuple>(); tuple && tuple->record)
    return tuple->record->fields;
  if (object.is<Tensor>())
    return {"dtype", "shape", "type", "numel", "T"};
  if (object.is<BlockPointer>())
    return {"dtype"};
  if (object.is<TupleType>())
    return {"types", "fields"};
  if (object.is<TensorDescriptor>())
    return {"dtype", "shape", "strides", "block_shape", "block_type"};
  if (object.is<ArrayView>())
    return threads::arrayAttributes();
  if (object.is<sema::ArrayFacts>())
    return {"shape", "stride"};
  return {};
}

} // namespace

Value Emitter::attribute(const Value &object, const std::string &name, SourceRange range) {
  if (const auto *module = object.as<ModuleReference>())
    return moduleAttribute(*module, name, range);
  if (const auto *type = object.as<ClassReference>()) {
    if (auto value = builderAttribute(*this, *type, name))
      return *value;
    if (type->name == upstreamBuilder || type->name == upstreamOptions)
      failWithNote(range, {{}, "functions of tl and tl.inline_asm_elementwise are accepted"},
                   DiagnosticId::upstream_builder, name);
    if (auto value = names::attributeOfClass(*type, name))
      return valueOf(*value);
  }
  if (const auto *record = object.as<RecordReference>())
    if (auto method = methodOf(*record->type, name, range))
      return *method;
  if (const auto *space = object.as<std::shared_ptr<const sema::HostNamespace>>())
    return hostedAttribute(**space, name, range);
  if (const auto *tuple = object.as<Tuple>(); tuple && tuple->record)
    if (auto value = recordAttribute(*tuple, name, range))
      return *value;
  if (isOfThreads())
    if (auto value = threads::groupAttribute(*this, object, name))
      return *value;
  if (isOfThreads())
    if (auto value = threads::numberAttribute(*this, object, name, range))
      return *value;
  if (auto value = dataAttribute(*this, object, name, range))
    return *value;
  if (auto method = constantMethod(object, name))
    return *method;
  std::vector<std::string> methods = methodsOf(object), candidates = attributesOf(object);
  if (llvm::is_contained(methods, name)) {
    const sema::Builtin *method =
        object.is<TensorDescriptor>() ? sema::findDescriptorMethod(name) : sema::findMethod(name);
    return BoundMethod{share(object), share(functionValue(*method))};
  }
  if (!methods.empty() && sema::findMissingMethod(name))
    fail(range, DiagnosticId::not_supported_yet, "." + name);
  candidates.insert(candidates.end(), methods.begin(), methods.end());
  std::vector<DiagnosticNote> notes = suggestion(name, candidates);
  if (std::string_view here = sema::spellingHere(name); !methods.empty() && !here.empty())
    notes = {{{}, "write " + std::string(here)}};
  if (object.is<Tuple>() && (name == "append" || name == "extend"))
    notes = {{{}, "a list is a tuple here, which grows by being made anew: xs = xs + [x]"}};
  failWithNotes(std::move(notes),
                diagnose(range, DiagnosticId::unknown_attribute, describe(object), name));
}

} // namespace nereid::emit
