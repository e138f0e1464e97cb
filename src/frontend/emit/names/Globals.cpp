// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a name of a module stands for: the value of the binding that names::Meanings finds. Where a
// condition is open, only a difference that it makes is a mistake.
#include "frontend/emit/Advice.h"
#include "frontend/emit/names/Enumerations.h"
#include "frontend/emit/names/LibraryModules.h"
#include "frontend/parse/RecordParser.h"

#include "llvm/ADT/ScopeExit.h"

namespace nereid::emit {

using sema::ConstantValue;

Value Emitter::evaluateOutside(const ast::Expr &expr, const ast::Module &module, uint32_t before) {
  Frame outside{.module = module,
                .caller = frame,
                .isLibrary = isLibraryModule(module),
                .isHost = true,
                .before = before};
  Frame *caller = std::exchange(frame, &outside);
  llvm::scope_exit restore([&] { frame = caller; });
  return evaluate(expr);
}

std::optional<Value> Emitter::definition(const std::string &text) {
  auto given = hasDefinitions ? environment.definition(text) : std::nullopt;
  if (!given)
    return std::nullopt;
  const auto *constant = std::get_if<ConstantValue>(&*given);
  const auto *path = constant ? std::get_if<std::string>(constant) : nullptr;
  if (path && llvm::StringRef(*path).starts_with("triton.language")) // a part of the language
    return tritonValue(*path, currentRange);
  return std::visit([](const auto &value) { return Value(value); }, *given);
}

std::optional<Value> Emitter::definition(const ast::Expr &expr) {
  if (!hasDefinitions || llvm::isa<ast::Constant, ast::Name>(expr))
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream out(text);
  ast::print(expr, out);
  return definition(text);
}

// Conditions

std::optional<bool> Emitter::holds(const ast::Module &module, const ast::Choice &choice,
                                   const ast::Expr &expr) {
  try {
    auto truth = condition(evaluateOutside(expr, module, choice.range.begin), expr.range);
    if (const bool *known = std::get_if<bool>(&truth))
      return *known;
  } catch (const SourceError &) {
    // Open, which is no mistake unless it makes a difference.
  }
  return std::nullopt;
}

bool Emitter::isComputable(const ast::Module &module, const ast::Binding &constant) {
  try {
    moduleConstant(module, constant);
    return true;
  } catch (const SourceError &) {
    return false;
  }
}

// Bindings

std::optional<Value> Emitter::globalValue(const ast::Module &module, const std::string &name,
                                          uint32_t before, SourceRange use) {
  if (auto hosted = hostedValue(module, name, use))
    return hosted;
  if (hasDefinitions && !isLibraryModule(module))
    if (auto given = definition(name))
      return given;
  names::Meanings::Bindings found = names.of(module, name, before);
  if (found.empty() && module.outer) // whose names are known as they are at its end
    return globalValue(*module.outer, name, UINT32_MAX, use);
  if (found.empty())
    return std::nullopt;
  return found.size() == 1 ? meaning(module, *found.front(), name, use)
                           : agreedMeaning(module, found, name, use);
}

static Diagnostic notConstant(const ast::Module &module, const std::string &name,
                              SourceRange range) {
  if (!module.outer)
    return diagnose(range, DiagnosticId::global_not_constant, name);
  return diagnose(range, DiagnosticId::only_python_knows,
                  "'" + name + "' in '" + module.holder + "'");
}

Value Emitter::meaning(const ast::Module &module, const ast::Binding &binding,
                       const std::string &name, SourceRange use) {
  auto enumerationOnce = [&]() -> Value { // whose members are equal to themselves
    auto [entry, isNew] = moduleConstants.try_emplace(&binding, std::nullopt);
    if (isNew)
      entry->second = enumeration(*binding.record, [&](const ast::Expr &member) {
        return evaluateOutside(member, module, binding.range.begin);
      });
    if (!entry->second)
      fail(binding.range, DiagnosticId::global_not_constant, binding.name); // names itself
    return *entry->second;
  };
  switch (binding.kind) {
  case ast::Binding::Kind::Function:
    return JitFunction{binding.function.get(), &module};
  case ast::Binding::Kind::Constant:
    return moduleConstant(module, binding);
  case ast::Binding::Kind::Import:
    return importedValue(module, binding, name, use);
  case ast::Binding::Kind::Record:
    if (isEnumeration(*binding.record))
      return enumerationOnce();
    return RecordReference{recordType(module, binding)};
  case ast::Binding::Kind::Skipped:
    if (binding.function && frame && frame->function && frame->function->isConstexpr)
      return JitFunction{binding.function.get(), &module};
    failWithNote(use, {binding.range, "decorate it with @triton.jit"},
                 DiagnosticId::not_a_jit_function, name);
  case ast::Binding::Kind::Parameter:
    failWithNotes({{binding.range, "its callers say, none of which is run"},
                   {{}, "--define " + name + "=VALUE gives it a value"}},
                  diagnose(use, DiagnosticId::only_python_knows,
                           "'" + name + "', a parameter of '" + module.holder + "',"));
  case ast::Binding::Kind::Unread:
    break;
  }
  failWithNotes({{binding.range, "bound here, but only imports, functions and assignments of "
                                 "constants, also under if and try, are read"},
                 {{}, "--define " + name + "=VALUE gives it a value"}},
                notConstant(module, name, use));
}

/// Says of each open condition how it can be settled.
static std::vector<DiagnosticNote> openConditions(const names::Meanings::Bindings &bindings) {
  std::vector<DiagnosticNote> notes;
  std::set<const ast::Choice *> seen;
  for (const ast::Binding *binding : llvm::reverse(bindings)) {
    notes.push_back({binding->range, "it may be this"});
    for (ast::Place place = binding->place; place.choice; place = place.choice->place) {
      if (!seen.insert(place.choice).second)
        continue;
      for (const ast::ExprPtr &condition : place.choice->conditions) {
        if (!condition)
          continue;
        std::string text(condition->range.text());
        notes.push_back({condition->range, "settled by --define '" + text + "=True', or False"});
      }
    }
  }
  return notes;
}

/// Whether Python would have ended at the binding, here where the language lacks what it asks for.
static bool endsTheModule(const ast::Binding &binding, DiagnosticId id) {
  bool isLack = id == DiagnosticId::not_supported_yet || id == DiagnosticId::unknown_attribute;
  return isLack && (binding.kind == ast::Binding::Kind::Import ||
                    binding.kind == ast::Binding::Kind::Constant);
}

/// Whether both are one function: many a program takes `rsqrt` from libdevice or from tl.math,
/// after the version of Triton.
static bool areInterchangeable(const Value &one, const Value &other) {
  const auto *device = one.as<const sema::DeviceFunction *>();
  const auto *builtin = other.as<const sema::Builtin *>();
  return device && builtin && (*device)->name == (*builtin)->name && (*device)->written.empty();
}

/// An arm that would have ended the module, whose kernels are in use, is not the one that ran.
Value Emitter::agreedMeaning(const ast::Module &module, const names::Meanings::Bindings &bindings,
                             const std::string &name, SourceRange use) {
  std::optional<Value> agreed;
  bool differs = false;
  std::exception_ptr lack;
  for (const ast::Binding *binding : bindings) {
    try {
      Value value = meaning(module, *binding, name, use);
      differs |= agreed && !isSame(*agreed, value) && !areInterchangeable(*agreed, value) &&
                 !areInterchangeable(value, *agreed);
      agreed = std::move(value);
    } catch (const SourceError &error) {
      bool isRuledOut = endsTheModule(*binding, error.diagnostic.id);
      differs |= !isRuledOut;
      lack = isRuledOut && !lack ? std::current_exception() : lack;
    }
  }
  if (!agreed && !differs)
    std::rethrow_exception(lack);
  if (!differs)
    return *agreed;
  std::vector<DiagnosticNote> notes = openConditions(bindings);
  notes.push_back({{}, "--define " + name + "=VALUE gives a constant its value"});
  failWithNotes(std::move(notes),
                diagnose(use, DiagnosticId::only_python_knows, "which '" + name + "' is meant"));
}

/// Whether the mistake explains itself better than that the constant is none.
static bool explainsItself(DiagnosticId id) {
  return id == DiagnosticId::not_supported_yet || id == DiagnosticId::unknown_attribute ||
         id == DiagnosticId::module_not_found || id == DiagnosticId::import_cycle ||
         id == DiagnosticId::only_python_knows || id == DiagnosticId::cannot_unpack;
}

/// The part of a value that is assigned to a name beside others.
static Value assignedPart(Value value, const ast::Binding &constant) {
  for (auto [index, count] : constant.path) {
    const auto *tuple = value.as<Tuple>();
    size_t found = tuple ? tuple->elements.size() : 1;
    if (!tuple || found != count)
      fail(constant.range, DiagnosticId::cannot_unpack, found, count);
    value = Value(tuple->elements[index]);
  }
  return value;
}

Value Emitter::moduleConstant(const ast::Module &module, const ast::Binding &constant) {
  auto [entry, isNew] = moduleConstants.try_emplace(&constant, std::nullopt);
  if (!isNew && !entry->second)
    fail(constant.range, DiagnosticId::global_not_constant, constant.name); // names itself
  if (entry->second)
    return *entry->second;
  try {
    entry->second =
        assignedPart(evaluateOutside(*constant.value, module, constant.range.begin), constant);
  } catch (const SourceError &error) {
    moduleConstants.erase(&constant);
    if (explainsItself(error.diagnostic.id))
      throw;
    failWithNotes({{{},
                    "literals, tl.constexpr(...), functions of math and their arithmetic are "
                    "constants"},
                   {{}, "--define " + constant.name + "=VALUE gives it a value"}},
                  notConstant(module, constant.name, constant.range));
  }
  return *entry->second;
}

} // namespace nereid::emit
