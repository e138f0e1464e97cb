// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/names/Language.h"

#include "frontend/names/Advice.h"
#include "frontend/names/PythonModules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace nereid::names {

using sema::ConstantValue;

constexpr std::string_view language = "triton.language", math = "triton.language.math",
                           extra = "triton.language.extra",
                           libdevice = "triton.language.extra.libdevice";

static std::vector<std::string> classNames() {
  return {"constexpr",         "tensor",         "dtype",     "pointer_type",
          "block_type",        "const",          "tuple",     "tensor_descriptor",
          "aggregate_replace", "constexpr_type", "tuple_type"};
}

bool isOfTriton(std::string_view path) { return path == "triton" || path.starts_with("triton."); }

std::optional<Meaning> builtinOf(std::string_view module, const std::string &name) {
  if (const sema::Builtin *row = sema::findFunction(module, name))
    return row;
  return std::nullopt;
}

/// Modules inside the language.
static std::optional<Meaning> partOfLanguage(std::string_view path, std::string_view name) {
  auto module = [](std::string_view path) {
    return Meaning(ModuleReference{std::string(path), nullptr});
  };
  if (path == "triton" && name == "language")
    return module(language);
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

/// A function of libdevice, which goes by many paths; nothing if there is none of that name.
static std::optional<Meaning> deviceFunction(std::string_view path, const std::string &name,
                                             SourceRange range) {
  // What is in tl.math of Triton 2 is in libdevice now.
  const sema::DeviceFunction *function =
      path == libdevice || path == math ? sema::findDeviceFunction(name) : nullptr;
  if (!function)
    return std::nullopt;
  if (!function->refusal.empty())
    failWithNote(range, {{}, std::string(function->refusal)}, DiagnosticId::not_supported_yet,
                 "libdevice." + name);
  return Meaning(function);
}

/// Types, constants and classes of tl.
static std::optional<Meaning> valueOfLanguage(const std::string &name) {
  auto dtype = parseDType(name);
  if (dtype && nereid::name(*dtype) == name)
    return ConstantValue(sema::ScalarType{*dtype});
  if (name == "pi32_t")
    return ConstantValue(sema::ScalarType{DType::Int32, /*isPointer=*/true});
  if (name == "CONSTEXPR_0") // a default of upstream's library, which programs share
    return ConstantValue(sema::Integer(0));
  if (name == "TRITON_MAX_TENSOR_NUMEL")
    return ConstantValue(sema::Integer(mostElements));
  if (name == "PropagateNan" || name == "void" || llvm::is_contained(classNames(), name))
    return ClassReference{name};
  return std::nullopt;
}

static std::vector<std::string> candidatesIn(std::string_view path) {
  if (path == libdevice)
    return sema::deviceFunctionNames();
  std::vector<std::string> candidates = sema::functionNames(path);
  if (path == language) {
    for (DType type : allDTypes())
      candidates.emplace_back(nereid::name(type));
    llvm::append_range(candidates, classNames());
  }
  return candidates;
}

[[noreturn]] static void failUnknown(const std::string &path, const std::string &name,
                                     SourceRange range) {
  if (const auto *missing = sema::findMissingFunction(path, name)) {
    std::vector<DiagnosticNote> notes;
    if (!missing->instead.empty())
      notes.push_back({{}, "write " + std::string(missing->instead)});
    if (!missing->because.empty())
      notes.push_back({{}, std::string(missing->because)});
    failWithNotes(std::move(notes),
                  diagnose(range, DiagnosticId::not_supported_yet, path + "." + name));
  }
  std::vector<DiagnosticNote> notes = suggestion(name, candidatesIn(path));
  auto dtype = path == language ? parseDType(name) : std::nullopt;
  std::string_view here = path == language || path == math ? sema::spellingHere(name) : "";
  if (dtype)
    notes = {{{}, "did you mean '" + std::string(nereid::name(*dtype)) + "'?"}};
  else if (!here.empty())
    notes = {{{}, "write " + std::string(here)}};
  failWithNotes(std::move(notes),
                diagnose(range, DiagnosticId::unknown_attribute, "module " + path, name));
}

Meaning attributeOfLanguage(const ModuleReference &module, const std::string &name,
                            SourceRange range) {
  const std::string &path = module.path;
  if (auto part = partOfLanguage(path, name))
    return *part;
  if (auto builtin = builtinOf(path, name))
    return *builtin;
  if (auto function = deviceFunction(path, name, range))
    return *function;
  if (auto value = path == language ? valueOfLanguage(name) : std::nullopt)
    return *value;
  failUnknown(path, name, range);
}

std::optional<Meaning> attributeOfClass(const ClassReference &type, std::string_view name) {
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
    return ConstantValue(name == "ALL");
  if (type.name == "dtype" && (name == "KIND" || name == "SIGNEDNESS"))
    return ClassReference{"dtype." + std::string(name)};
  for (const Row &row : rows)
    if (row.type == type.name && row.name == name)
      return ConstantValue(sema::Integer(row.value));
  return std::nullopt;
}

bool hasPart(std::string_view path) {
  Meaning found = ModuleReference{"triton", nullptr};
  auto rest = llvm::StringRef(path.data(), path.size()).split('.').second;
  for (; !rest.empty(); rest = rest.split('.').second) {
    std::string name = rest.split('.').first.str();
    std::optional<Meaning> next;
    try {
      if (const auto *module = as<ModuleReference>(found)) {
        next = partOfPython(module->path + "." + name, /*isForLibrary=*/false);
        if (!next)
          next = attributeOfLanguage(*module, name, {});
      } else if (const auto *type = as<ClassReference>(found)) {
        next = attributeOfClass(*type, name);
      }
    } catch (const SourceError &) {
      return false;
    }
    if (!next)
      return false;
    found = std::move(*next);
  }
  return true;
}

} // namespace nereid::names
