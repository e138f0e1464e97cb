// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What names and attributes mean: locals, the module's functions and constants, imports, built-ins.
#include "frontend/emit/threads/Names.h"
#include "frontend/emit/Advice.h"
#include "frontend/emit/builtins/ExternFunctions.h"
#include "frontend/emit/names/LibraryModules.h"
#include "frontend/emit/threads/Arrays.h"
#include "frontend/emit/threads/Complex.h"
#include "frontend/emit/threads/Functions.h"
#include "support/FloatFormat.h"

namespace nereid::emit {

using sema::ConstantValue;

constexpr std::string_view language = "triton.language", math = "triton.language.math",
                           extra = "triton.language.extra",
                           libdevice = "triton.language.extra.libdevice";

static std::vector<std::string> classNames() {
  return {"constexpr",         "tensor",        "dtype", "pointer_type",
          "block_type",        "const",         "tuple", "tensor_descriptor",
          "aggregate_replace", "constexpr_type", "tuple_type"};
}

Value Emitter::functionValue(const sema::Builtin &row) {
  if (row.id)
    return &row;
  return findLibraryFunction(row.name);
}

std::optional<Value> Emitter::builtinOf(std::string_view module, const std::string &name) {
  if (const sema::Builtin *row = sema::findFunction(module, name))
    return functionValue(*row);
  return std::nullopt;
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
    return ModuleReference{std::string(language)};
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
  if (auto limit = frame->isHost ? hostLimit(expr) : std::nullopt)
    return *limit;
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
  if (auto value = submodule(module, name))
    return *value;
  std::vector<std::string> candidates;
  for (const ast::Binding &binding : module.module->bindings)
    candidates.push_back(binding.name);
  failWithNotes(suggestion(name, candidates),
                diagnose(range, DiagnosticId::unknown_attribute, describe(module), name));
}

/// Modules inside the language.
static std::optional<Value> partOfLanguage(std::string_view path, std::string_view name) {
  auto module = [](std::string_view path) { return Value(ModuleReference{std::string(path)}); };
  if (path == language && (name == "core" || name == "standard" || name == "random"))
    return module(language); // the parts that the language is written in
  if (path == language && name == "math")
    return module(math);
  if (path == language && name == "extra")
    return module(extra);
  if (path == language && name == "target_info")
    return module("triton.language.target_info");
  bool isVendor = name == "cuda" || name == "hip" || name == "intel";
  if (path == extra && isVendor)
    return module(std::string(path) + "." + std::string(name));
  if (name == "libdevice" && (path == language || path.starts_with(extra)))
    return module(libdevice);
  return std::nullopt;
}

std::optional<Value> Emitter::deviceFunction(std::string_view path, const std::string &name,
                                             SourceRange range) {
  // What is in tl.math of Triton 2 is in libdevice now.
  const sema::DeviceFunction *function =
      path == libdevice || path == math ? sema::findDeviceFunction(name) : nullptr;
  if (!function)
    return std::nullopt;
  if (!function->refusal.empty())
    failWithNote(range, {{}, std::string(function->refusal)}, DiagnosticId::not_supported_yet,
                 "libdevice." + name);
  return Value(function);
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
  if (path == "triton" && name == "language")
    return ModuleReference{std::string(language)};
  if (auto part = partOfLanguage(path, name))
    return *part;
  if (auto builtin = builtinOf(path, name))
    return *builtin;
  if (auto function = deviceFunction(path, name, range))
    return *function;
  std::vector<std::string> candidates = sema::functionNames(path);
  if (path == libdevice)
    candidates = sema::deviceFunctionNames();
  if (path == language) {
    auto dtype = parseDType(name);
    if (dtype && nereid::name(*dtype) == name)
      return dtypeValue({*dtype});
    if (name == "pi32_t")
      return dtypeValue({DType::Int32, /*isPointer=*/true});
    if (name == "CONSTEXPR_0") // a default of upstream's library, which programs share
      return integerValue(0);
    if (name == "TRITON_MAX_TENSOR_NUMEL")
      return integerValue(Emitter::mostElements);
    if (name == "PropagateNan" || name == "void")
      return ClassReference{name};
    auto classes = classNames();
    if (llvm::is_contained(classes, name))
      return ClassReference{name};
    for (DType type : allDTypes())
      candidates.emplace_back(nereid::name(type));
    candidates.insert(candidates.end(), classes.begin(), classes.end());
  }
  if (const auto *missing = sema::findMissingFunction(path, name)) {
    std::vector<DiagnosticNote> notes;
    if (!missing->instead.empty())
      notes.push_back({{}, "write " + std::string(missing->instead)});
    if (!missing->because.empty())
      notes.push_back({{}, std::string(missing->because)});
    failWithNotes(std::move(notes),
                  diagnose(range, DiagnosticId::not_supported_yet, path + "." + name));
  }
  std::vector<DiagnosticNote> notes = suggestion(name, candidates);
  auto dtype = path == language ? parseDType(name) : std::nullopt;
  std::string_view here = path == language || path == math ? sema::spellingHere(name) : "";
  if (dtype)
    notes = {{{}, "did you mean '" + std::string(nereid::name(*dtype)) + "'?"}};
  else if (!here.empty())
    notes = {{{}, "write " + std::string(here)}};
  failWithNotes(std::move(notes),
                diagnose(range, DiagnosticId::unknown_attribute, describe(module), name));
}

namespace {

/// Facts about an element type: attributes, and methods without arguments.
std::optional<Value> dtypeAttribute(sema::ScalarType type, const std::string &name) {
  DType dtype = type.dtype;
  bool isNumber = !type.isPointer, isWholeNumber = isNumber && isInteger(dtype);
  auto known = [&](Value result) -> Value { return KnownResult{name, share(std::move(result))}; };
  auto method = [&](bool result) { return known(boolValue(result)); };
  auto is = [&](DType other) { return method(isNumber && dtype == other); };
  if (name == "name")
    return stringValue(sema::languageName(type));
  if (name == "scalar")
    return dtypeValue(type);
  if (name == "element_ty")
    return type.isPointer ? std::optional<Value>(dtypeValue({dtype})) : std::nullopt;
  if (name == "primitive_bitwidth" || name == "int_bitwidth")
    return integerValue(type.isPointer ? 64 : bitWidth(dtype));
  if (name == "itemsize")
    return integerValue(type.isPointer ? 8 : byteSize(dtype));
  if (name == "fp_mantissa_width" && isNumber && isFloat(dtype))
    return integerValue(formatOf(dtype).mantissaBits);
  if (name == "exponent_bias" && isNumber && isFloat(dtype))
    return integerValue(formatOf(dtype).bias);
  if (name == "kind" && isNumber)
    return known(integerValue(isBool(dtype) ? 0 : isFloat(dtype) ? 2 : 1)); // of tl.dtype.KIND
  if (name == "int_signedness" && isWholeNumber)
    return integerValue(isSigned(dtype) ? 0 : 1); // of tl.dtype.SIGNEDNESS
  if (name == "get_int_max_value" && isWholeNumber)
    return known(integerValue((sema::Integer(1) << (bitWidth(dtype) - isSigned(dtype))) - 1));
  if (name == "get_int_min_value" && isWholeNumber)
    return known(integerValue(isSigned(dtype) ? -(sema::Integer(1) << (bitWidth(dtype) - 1)) : 0));
  if (name == "is_ptr")
    return method(type.isPointer);
  if (name == "is_const")
    return method(type.isPointer && type.isConst);
  if (name == "is_block" || name == "is_void")
    return method(false);
  if (name == "is_floating")
    return method(isNumber && isFloat(dtype));
  if (name == "is_standard_floating")
    return method(isNumber && isFloat(dtype) && !isFloat8(dtype));
  if (name == "is_int")
    return method(isWholeNumber);
  if (name == "is_int_signed")
    return method(isNumber && isSigned(dtype));
  if (name == "is_int_unsigned")
    return method(isWholeNumber && !isSigned(dtype));
  if (name == "is_bool" || name == "is_int1")
    return is(DType::Int1);
  if (name == "is_fp8")
    return method(isNumber && isFloat8(dtype));
  if (llvm::StringRef(name).starts_with("is_"))
    if (auto other = parseDType(name.substr(3)))
      return is(*other);
  return std::nullopt;
}

std::optional<Value> typeAttribute(const sema::ValueType &type, const std::string &name) {
  if (name == "shape")
    return tupleOf(type.shape);
  if (name == "scalar" || (name == "element_ty" && type.isTile()))
    return dtypeValue(type.scalar);
  if (name == "is_block")
    return Value(KnownResult{name, share(boolValue(type.isTile()))});
  if (name == "get_block_shapes" && type.isTile())
    return Value(KnownResult{name, share(tupleOf(type.shape))});
  return dtypeAttribute(type.scalar, name);
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
  return dtypeAttribute({pointer.type.scalar.dtype, /*isPointer=*/true}, name);
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
                                : typeAttribute(type->type, name);
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
      return dtypeAttribute(*dtype, name);
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

/// What `tl.dtype` and the classes inside it hold, of which `kind()` and `int_signedness` are.
std::optional<Value> classAttribute(const ClassReference &type, std::string_view name) {
  struct Row {
    std::string_view type, name;
    int value;
  };
  static constexpr Row rows[] = {{"dtype.KIND", "BOOLEAN", 0},
                                 {"dtype.KIND", "INTEGRAL", 1},
                                 {"dtype.KIND", "FLOATING", 2},
                                 {"dtype.SIGNEDNESS", "SIGNED", 0},
                                 {"dtype.SIGNEDNESS", "UNSIGNED", 1}};
  if (type.name == "PropagateNan" && (name == "ALL" || name == "NONE"))
    return boolValue(name == "ALL");
  if (type.name == "dtype" && (name == "KIND" || name == "SIGNEDNESS"))
    return ClassReference{"dtype." + std::string(name)};
  for (const Row &row : rows)
    if (row.type == type.name && row.name == name)
      return integerValue(row.value);
  return std::nullopt;
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
    if (auto value = classAttribute(*type, name))
      return *value;
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
