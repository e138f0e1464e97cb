// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls: of @triton.jit functions, which are traced in place, and of built-ins.
#include "frontend/emit/Advice.h"
#include "frontend/emit/Arguments.h"
#include "frontend/emit/builtins/ExternFunctions.h"
#include "frontend/emit/names/LibraryModules.h"
#include "frontend/emit/names/PackageVersion.h"
#include "frontend/emit/threads/Functions.h"
#include "frontend/emit/threads/Recursion.h"
#include "frontend/emit/threads/WholeArrays.h"
#include "frontend/sema/Annotation.h"

#include "llvm/ADT/ScopeExit.h"

namespace nereid::emit {

using sema::ConstantValue;

constexpr unsigned deepestCall = 64;
constexpr size_t mostCallNotes = 5;

/// A statement that calls what gives a result and does nothing else.
static void refuseDropped(const Value &callee, const ast::Call &call) {
  if (const auto *method = callee.as<BoundMethod>())
    return refuseDropped(*method->callee, call);
  SourceRange range = call.range;
  const auto *builtin = callee.as<const sema::Builtin *>();
  if (builtin && (*builtin)->id == sema::BuiltinId::advanceBuiltin)
    fail(range, DiagnosticId::result_not_used, "advance",
         ": the pointer itself stays where it is, so assign the one that is given");
  const auto *function = callee.as<JitFunction>();
  const auto *hosted = callee.as<std::shared_ptr<const sema::HostCall>>();
  if (auto reason = function ? function->function->resultMatters
                    : hosted ? (*hosted)->resultMatters
                             : std::nullopt)
    fail(range, DiagnosticId::result_not_used, std::string(call.callee->range.text()),
         reason->empty() ? "" : ": " + *reason);
}

Value Emitter::evaluateCall(const ast::Call &expr) {
  bool isDropped = std::exchange(dropped, nullptr) == &expr;
  Value callee = evaluate(*expr.callee);
  if (isDropped)
    refuseDropped(callee, expr);
  std::vector<CallArgument> arguments;
  for (const ast::Argument &argument : expr.arguments) {
    if (!argument.isStarred) {
      arguments.push_back(evaluateArgument(argument));
      continue;
    }
    Value value = evaluate(*argument.value);
    const auto *tuple = value.as<Tuple>();
    if (!tuple)
      fail(argument.value->range, DiagnosticId::argument_type, "*", "a call", "a tuple",
           describe(value));
    for (const Value &element : tuple->elements)
      arguments.push_back({"", element, argument.value->range});
  }
  dropBuilder(callee, arguments);
  Value result = call(callee, std::move(arguments), expr.range);
  return takeFields(*expr.callee, result) ? Value() : result;
}

Emitter::CallArgument Emitter::evaluateArgument(const ast::Argument &argument) {
  CallArgument result{argument.name, evaluate(*argument.value), argument.value->range,
                      argument.nameRange};
  const auto *name = llvm::dyn_cast<ast::Name>(argument.value.get());
  auto origin = name ? frame->origins.find(name->name) : frame->origins.end();
  if (origin != frame->origins.end()) {
    result.origin = origin->second.name;
    result.range = origin->second.range;
  }
  return result;
}

/// tl.dtype("fp32")
static Value dtypeNamed(const sema::ConstantValue &name, SourceRange range) {
  const auto *text = std::get_if<std::string>(&name);
  auto type = text ? sema::parseTypeName(*text) : std::nullopt;
  if (!type || type->isPointer)
    fail(range, DiagnosticId::argument_value, "name", "tl.dtype", "the name of a type, as 'fp32'",
         sema::toString(name));
  return dtypeValue(*type);
}

/// tl.constexpr(x), tl.constexpr_type(x), tl.tuple(x), tl.pointer_type(dtype), tl.dtype(name), and
/// version.parse(text).
static Value construct(Emitter &emitter, const ClassReference &type,
                       const std::vector<Emitter::CallArgument> &arguments, SourceRange range) {
  if (type.name == "tuple" && arguments.size() == 1) {
    if (auto tuple = asTuple(emitter, arguments[0].value, arguments[0].range))
      return *tuple;
    fail(arguments[0].range, DiagnosticId::argument_type, "args", "tl.tuple", "a tuple or a range",
         describe(arguments[0].value));
  }
  if (type.name == "tensor" && arguments.size() == 2 && arguments[0].value.isNone())
    return {}; // of an operation of upstream's builder that has no value
  if (type.name == "tuple_type" || type.name == "block_type")
    return constructType(emitter, type, arguments, range);
  if (type.name == "constexpr_type" && arguments.size() == 1)
    if (auto known = constexprForm(arguments[0].value))
      return ConstantType{share(*known)};
  auto constant = arguments.size() == 1 ? asConstant(arguments[0].value) : std::nullopt;
  if (type.name == "constexpr" && arguments.size() == 1) // a run-time value stays one
    return constant ? Value(*constant) : arguments[0].value;
  const auto *element = constant ? std::get_if<sema::ScalarType>(&*constant) : nullptr;
  if (type.name == "dtype" && constant)
    return element ? dtypeValue(*element) : dtypeNamed(*constant, range);
  if (type.name == "pointer_type" && element && !element->isPointer)
    return dtypeValue({element->dtype, true});
  const auto *text = constant ? std::get_if<std::string>(&*constant) : nullptr;
  if (auto version = type.name == packageVersion && text ? versionOf(*text) : std::nullopt)
    return std::move(*version);
  fail(range, DiagnosticId::not_callable, describe(type));
}

/// A function of Python's own modules.
Value Emitter::callOutside(const Value &callee, const std::vector<CallArgument> &arguments,
                           SourceRange range) {
  std::vector<Value> values;
  for (const CallArgument &argument : arguments) {
    if (!argument.name.empty())
      fail(argument.range, DiagnosticId::unknown_argument, describe(callee), argument.name);
    values.push_back(argument.value);
  }
  if (const auto *function = callee.as<const sema::HostFunction *>())
    return callHost(**function, values, range);
  if (values.empty())
    fail(range, DiagnosticId::missing_argument, "key", describe(callee));
  return environmentVariable(values.front(), values.size() > 1 ? values[1] : Value(), range);
}

/// tl.float32(x)
Value Emitter::callType(const sema::ScalarType &type, const std::vector<CallArgument> &arguments,
                        SourceRange range) {
  refuseOutsideKernels();
  std::string name = sema::toString(type);
  if (arguments.empty())
    fail(range, DiagnosticId::missing_argument, "x", name);
  if (arguments.size() > 1)
    fail(arguments[1].range, DiagnosticId::too_many_arguments, name, 1, arguments.size());
  const auto *number = arguments[0].value.as<ConstantValue>();
  if (number && sema::asNumber(*number) && !type.isPointer && isFloat(type.dtype))
    return constant(*number, type, range);
  return cast(toTensor(arguments[0].value, arguments[0].range), type, range);
}

Value Emitter::call(const Value &callee, std::vector<CallArgument> arguments, SourceRange range) {
  if (isOfThreads())
    if (auto result = threads::callOnArrays(*this, callee, arguments, range))
      return *result;
  if (const auto *function = callee.as<JitFunction>())
    return callJit(*function, std::move(arguments), range);
  if (const auto *builtin = callee.as<const sema::Builtin *>())
    return callBuiltin(**builtin, std::move(arguments), range);
  if (const auto *method = callee.as<BoundMethod>()) {
    arguments.insert(arguments.begin(), {"", *method->object, range});
    return call(*method->callee, std::move(arguments), range);
  }
  if (const auto *known = callee.as<KnownResult>()) {
    if (!arguments.empty())
      fail(range, DiagnosticId::too_many_arguments, known->name, 0, arguments.size());
    return *known->result;
  }
  if (const auto *method = callee.as<ConstantMethod>())
    return callConstant(*method, std::move(arguments), range);
  if (const auto *record = callee.as<RecordReference>())
    return makeRecord(record->type, std::move(arguments), range);
  if (const auto *type = callee.as<ClassReference>(); type && type->name == "namedtuple")
    return makeNamedTuple(arguments, range);
  if (const auto *type = callee.as<ClassReference>(); type && type->name == "aggregate_replace")
    return withFields(arguments, range);
  if (const auto *type = callee.as<ClassReference>())
    return construct(*this, *type, arguments, range);
  if (const auto *function = callee.as<const sema::DeviceFunction *>())
    return callDevice(**function, std::move(arguments), range);
  if (const auto *constant = callee.as<ConstantValue>())
    if (const auto *type = std::get_if<sema::ScalarType>(constant))
      return callType(*type, arguments, range);
  if (const auto *function = callee.as<std::shared_ptr<const sema::HostCall>>())
    return callHosted(*function, arguments, range);
  if (callee.is<const sema::HostFunction *>() || callee.is<EnvironmentLookup>())
    return callOutside(callee, arguments, range);
  fail(range, DiagnosticId::not_callable, describe(callee));
}

/// Whether Python has the function as well: outside kernels there is no other.
static bool isOfPython(const sema::Builtin &builtin) {
  return builtin.isFunctionOf("") || builtin.isFunctionOf("triton") ||
         builtin.place == sema::BuiltinPlace::Target;
}

Value Emitter::callBuiltin(const sema::Builtin &builtin, std::vector<CallArgument> given,
                           SourceRange range) {
  if (!isOfPython(builtin))
    refuseOutsideKernels();
  Arguments arguments(*this, builtin, std::move(given), range);
  switch (*builtin.id) {
#define BUILTIN(name, place, signature, meaning)                                                   \
  case sema::BuiltinId::name##Builtin:                                                             \
    return name##Builtin(*this, arguments);
#include "frontend/sema/builtins.def"
#define THREADS(id, module, name, signature, meaning)                                              \
  case sema::BuiltinId::id##Builtin:                                                               \
    return id##Builtin(*this, arguments);
#include "frontend/sema/threads.def"
  }
  NEREID_UNREACHABLE("a built-in without an id");
}

namespace {

using CallArgument = Emitter::CallArgument;

/// Gives parameters their arguments by position and by name.
class Binder {
public:
  Binder(const ast::Function &function, SourceRange range)
      : function(function), range(range), slots(function.parameters.size()) {
    for (const ast::Parameter &parameter : function.parameters) {
      isVariadic |= parameter.isVariadic;
      byPosition += !parameter.isVariadic && !parameter.isKeywordOnly;
    }
  }

  void bind(std::vector<CallArgument> &given) {
    for (CallArgument &argument : given)
      if (argument.name.empty())
        bindPositional(argument);
    if (positional > mostPositional())
      fail(firstExtra, DiagnosticId::too_many_arguments, function.name, mostPositional(),
           positional);
    for (CallArgument &argument : given)
      if (!argument.name.empty())
        bindNamed(argument);
  }

  std::optional<CallArgument> &slot(size_t index) { return slots[index]; }
  Tuple rest;

private:
  size_t mostPositional() const { return isVariadic ? SIZE_MAX : byPosition; }

  void bindPositional(CallArgument &argument) {
    size_t index = positional++;
    if (index < byPosition) // these come first
      slots[index] = argument;
    else if (isVariadic)
      rest.elements.push_back(argument.value);
    else if (!firstExtra.file)
      firstExtra = argument.range;
  }

  void bindNamed(CallArgument &argument) {
    const auto &parameters = function.parameters;
    auto parameter = llvm::find_if(parameters, [&](const ast::Parameter &p) {
      return p.name == argument.name && !p.isVariadic;
    });
    if (parameter == parameters.end())
      failUnknown(argument);
    auto &slot = slots[static_cast<size_t>(parameter - parameters.begin())];
    if (slot)
      fail(argument.range, DiagnosticId::duplicate_argument, argument.name, function.name);
    slot = argument;
  }

  [[noreturn]] void failUnknown(const CallArgument &argument) {
    std::vector<std::string> names;
    for (const ast::Parameter &parameter : function.parameters)
      names.push_back(parameter.name);
    failWithNotes(
        suggestParameter(argument.name, names),
        diagnose(argument.nameRange, DiagnosticId::unknown_argument, function.name, argument.name));
  }

  const ast::Function &function;
  SourceRange range, firstExtra;
  std::vector<std::optional<CallArgument>> slots;
  size_t positional = 0, byPosition = 0;
  bool isVariadic = false;
};

/// Tells the reader how the mistake was reached. Inside the language's own library the place is the
/// call or one of its arguments, since its text is no concern of the author.
void explainCall(Diagnostic &diagnostic, const ast::Function &function, const Frame &callee) {
  if (callee.isLibrary) {
    if (!callee.caller->isLibrary && diagnostic.range.file != callee.callRange.file) {
      diagnostic.range = callee.callRange;
      diagnostic.notes.push_back({{}, "found inside tl." + function.name});
    }
    return;
  }
  size_t count = llvm::count_if(diagnostic.notes, [](const auto &note) { return note.isCall; });
  if (count < mostCallNotes)
    diagnostic.notes.push_back(
        {callee.callRange,
         llvm::formatv(formatOf(DiagnosticId::call_failed_here), function.name).str(),
         /*isCall=*/true});
}

} // namespace

[[noreturn]] static void failMissing(const ast::Function &function, const ast::Parameter &missing,
                                     SourceRange range) {
  std::string names;
  for (const ast::Parameter &parameter : function.parameters)
    names += (names.empty() ? "" : ", ") + parameter.name;
  failWithNote(range, {{}, "the parameters are " + names}, DiagnosticId::missing_argument,
               missing.name, function.name);
}

/// What Python computes may ask a run-time value for its type, which is known, and nothing else.
Value Emitter::traceWithRuntime(const ast::Function &function, Frame &inner,
                                const RuntimeArgument &given) {
  if (!function.isConstexpr)
    failNotConstexpr(*this, given.value, given.mistake);
  try {
    return traceBody(function, inner);
  } catch (const SourceError &error) {
    if (error.diagnostic.id == DiagnosticId::not_constexpr)
      failNotConstexpr(*this, given.value, given.mistake);
    throw;
  }
}

/// What a function that computes constants is told beside a mistake that Python may not find.
static DiagnosticNote whereAnyPythonRuns(const ast::Function &function) {
  return {function.nameRange,
          "'" + function.name +
              "' is a constexpr function, whose Python is read here as far as it computes with "
              "constants; python -m nereid runs any Python in it"};
}

[[noreturn]] static void failUnread(const ast::Function &function, SourceRange range) {
  std::vector<DiagnosticNote> notes{
      {range, llvm::formatv(formatOf(DiagnosticId::call_failed_here), function.name)}};
  if (function.isConstexpr)
    notes.push_back(whereAnyPythonRuns(function));
  failWithNotes(std::move(notes), *function.mistake);
}

Value Emitter::callJit(const JitFunction &callee, std::vector<CallArgument> given,
                       SourceRange range) {
  const ast::Function &function = *callee.function;
  if (callDepth >= deepestCall)
    fail(range, DiagnosticId::recursion_too_deep, deepestCall);
  if (!isLibraryModule(*callee.module) && !function.isConstexpr)
    refuseOutsideKernels();
  if (function.mistake)
    failUnread(function, range);
  Binder binder(function, range);
  binder.bind(given);
  bool isHost = frame->isHost || function.isConstexpr;
  Frame inner{.module = *callee.module,
              .caller = frame,
              .callRange = range,
              .callSite = isHost ? std::nullopt : std::optional(locate(range)),
              .isLibrary = isLibraryModule(*callee.module),
              .isHost = isHost,
              .function = &function,
              .around = callee.around};
  inner.calledName = frame->isLibrary ? frame->calledName : function.name;
  std::optional<RuntimeArgument> runtime;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ast::Parameter &parameter = function.parameters[i];
    auto &slot = binder.slot(i);
    if (parameter.isVariadic) {
      inner.scope.define(parameter.name, std::move(binder.rest));
      continue;
    }
    if (!slot && !parameter.defaultValue)
      failMissing(function, parameter, range);
    Value value;
    if (slot)
      value = slot->value;
    else
      value = defaultValue(*callee.module, function, parameter);
    if (function.isExtern && value.isNone() && isBuilderName(parameter.name))
      value = ClassReference{std::string(upstreamBuilder)};
    // A run-time value may stand for a constexpr, for whatever does not need it to be one.
    bool isConstexpr = sema::readAnnotation(parameter.annotation.get()).isConstexpr;
    if (isConstexpr || inner.isHost) {
      auto constant = constexprForm(value);
      if (!constant && inner.isHost && !runtime)
        runtime = RuntimeArgument{value, diagnose(slot ? slot->range : range,
                                                  DiagnosticId::argument_not_constexpr,
                                                  parameter.name, function.name)};
      value = constant.value_or(value);
    }
    if (slot && inner.isLibrary && (!frame->isLibrary || !slot->origin.empty()))
      inner.origins[parameter.name] = {frame->isLibrary ? slot->origin : parameter.name,
                                       slot->range};
    inner.scope.define(parameter.name, std::move(value));
  }
  keepParameters(function, inner);
  bool isInit = function.name == "__init__" && !function.parameters.empty();
  Value result = runtime ? traceWithRuntime(function, inner, *runtime)
                         : threads::traceCall(*this, function, inner);
  if (inner.isResultUnknown)
    failAsConsequence(range);
  if (const Tuple *self =
          isInit ? inner.scope.values[function.parameters[0].name].as<Tuple>() : nullptr)
    return self->record ? Value(*self) : result;
  return result;
}

/// As Python does it: when the function is defined, and without its parameters.
Value Emitter::defaultValue(const ast::Module &module, const ast::Function &function,
                            const ast::Parameter &parameter) {
  if (auto hosted = hostedDefault(module, parameter.name, parameter.range))
    return *hosted;
  return evaluateOutside(*parameter.defaultValue, module, function.range.begin);
}

Value Emitter::traceBody(const ast::Function &function, Frame &inner) {
  Frame *caller = std::exchange(frame, &inner);
  ++callDepth;
  llvm::scope_exit restore([&] {
    frame = caller;
    --callDepth;
  });
  ast::StmtList end; // what comes to it returns None
  end.push_back(std::make_unique<ast::Return>(function.nameRange));
  inner.end = end.back().get();
  Continuation atEnd{end};
  try {
    run(function.body, &atEnd);
  } catch (SourceError &error) {
    using Id = DiagnosticId;
    constexpr Id unknown[] = {Id::unknown_name,       Id::unknown_attribute, Id::unsupported_syntax,
                              Id::not_a_jit_function, Id::foreign_name,      Id::cannot_iterate};
    if (function.isConstexpr && llvm::is_contained(unknown, error.diagnostic.id))
      error.diagnostic.notes.push_back(whereAnyPythonRuns(function));
    if (inner.caller)
      explainCall(error.diagnostic, function, inner);
    throw;
  }
  Value result = inner.scope.result.value_or(Value()); // none where every path raises
  threads::refuseLeaving(result, inner, inner.scope.resultRange);
  return result;
}

} // namespace nereid::emit
