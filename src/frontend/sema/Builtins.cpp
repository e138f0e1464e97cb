// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Builtins.h"

#include "frontend/sema/DeviceFunctions.h"
#include "support/Check.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <mutex>
#include <span>
#include <utility>

namespace nereid::sema {
namespace {

BuiltinParameter parseParameter(llvm::StringRef text, bool isKeywordOnly) {
  BuiltinParameter parameter;
  parameter.isKeywordOnly = isKeywordOnly;
  parameter.isVariadic = text.consume_front("*");
  auto [name, value] = text.split('=');
  parameter.name = name.trim().str();
  if (!value.empty())
    parameter.defaultText = value.trim().str();
  return parameter;
}

/// No default in the table holds a comma.
std::vector<BuiltinParameter> parseSignature(llvm::StringRef signature) {
  std::vector<BuiltinParameter> parameters;
  bool isKeywordOnly = false;
  while (!signature.empty()) {
    auto [head, tail] = signature.split(',');
    parameters.push_back(parseParameter(head.trim(), isKeywordOnly));
    isKeywordOnly |= parameters.back().isVariadic;
    signature = tail.trim();
  }
  return parameters;
}

constexpr std::string_view language = "triton.language", math = "triton.language.math";

bool isFunctionOf(BuiltinPlace place, std::string_view module) {
  switch (place) {
  case BuiltinPlace::Language:
  case BuiltinPlace::Member:
    return module == language;
  case BuiltinPlace::Math:
    return module == language || module == math;
  case BuiltinPlace::Method:
  case BuiltinPlace::Descriptor:
  case BuiltinPlace::Threads:
    return false;
  case BuiltinPlace::Python:
    return module.empty();
  case BuiltinPlace::Global:
    return module.empty() || module == language;
  case BuiltinPlace::GlobalMath:
    return module.empty() || module == language || module == math;
  case BuiltinPlace::Host:
    return module == "triton";
  case BuiltinPlace::Shared:
    return module == language || module == "triton";
  case BuiltinPlace::Cuda:
    return module == "triton.language.extra.cuda";
  case BuiltinPlace::Target:
    return module == "triton.language.target_info";
  }
  return false;
}

bool isMethod(BuiltinPlace place) {
  return place == BuiltinPlace::Member || place == BuiltinPlace::Math ||
         place == BuiltinPlace::GlobalMath || place == BuiltinPlace::Method ||
         place == BuiltinPlace::Shared;
}

/// What the language calls a row of the table.
constexpr std::string_view spoken(std::string_view row, BuiltinPlace place) {
  constexpr std::string_view prefix = "descriptor_";
  return place == BuiltinPlace::Descriptor ? row.substr(prefix.size()) : row;
}

constexpr MissingName missingNames[] = {
#define UPSTREAM(name, place, instead, because) {#name, BuiltinPlace::place, instead, because},
#include "frontend/sema/upstream.def"
};

constexpr std::pair<std::string_view, std::string_view> foreignSpellings[] = {
#define ELSEWHERE(name, instead) {#name, instead},
#include "frontend/sema/upstream.def"
};

constexpr std::pair<std::string_view, std::string_view> namesOfPython[] = {
#define PYTHON(name, instead) {#name, instead},
#include "frontend/sema/upstream.def"
};

} // namespace

bool Builtin::isFunctionOf(std::string_view other) const {
  return place == BuiltinPlace::Threads ? module == other : sema::isFunctionOf(place, other);
}

bool Builtin::isMethod() const { return sema::isMethod(place); }

const MissingName *findMissingFunction(std::string_view module, std::string_view name) {
  for (const MissingName &row : missingNames)
    if (row.name == name && isFunctionOf(row.place, module))
      return &row;
  return nullptr;
}

const MissingName *findMissingMethod(std::string_view name) {
  for (const MissingName &row : missingNames)
    if (row.name == name && isMethod(row.place))
      return &row;
  return nullptr;
}

std::string_view spellingHere(std::string_view name) {
  for (const auto &[foreign, instead] : foreignSpellings)
    if (foreign == name)
      return instead;
  return {};
}

std::optional<std::string_view> insteadOfPython(std::string_view name) {
  for (const auto &[known, instead] : namesOfPython)
    if (known == name)
      return instead;
  return std::nullopt;
}

const std::vector<Builtin> &allBuiltins() {
  static const std::vector<Builtin> rows = {
#define BUILTIN(name, place, signature, meaning)                                                   \
  {spoken(#name, BuiltinPlace::place), BuiltinPlace::place, signature, meaning,                    \
   BuiltinId::name##Builtin},
#define LIBRARY(name, place, meaning) {#name, BuiltinPlace::place, "", meaning, std::nullopt},
#include "frontend/sema/builtins.def"
#define THREADS(id, module, name, signature, meaning)                                              \
  {#name, BuiltinPlace::Threads, signature, meaning, BuiltinId::id##Builtin, module},
#include "frontend/sema/threads.def"
  };
  return rows;
}

/// A kernel calls a few of them: all together are a twentieth of a short kernel's compilation.
const std::vector<BuiltinParameter> &Builtin::parameters() const {
  struct Parsed {
    std::once_flag once;
    std::vector<BuiltinParameter> parameters;
  };
  static const auto signatures = std::make_unique<Parsed[]>(allBuiltins().size());
  auto index = static_cast<size_t>(this - allBuiltins().data());
  NEREID_CHECK(index < allBuiltins().size(), "a built-in outside the table");
  Parsed &own = signatures[index];
  std::call_once(own.once, [&] { own.parameters = parseSignature(signature); });
  return own.parameters;
}

const Builtin *findFunction(std::string_view module, std::string_view name) {
  for (const Builtin &row : allBuiltins())
    if (row.name == name && row.isFunctionOf(module))
      return &row;
  return nullptr;
}

const Builtin *findMethod(std::string_view name) {
  for (const Builtin &row : allBuiltins())
    if (row.name == name && row.isMethod())
      return &row;
  return nullptr;
}

const Builtin *findDescriptorMethod(std::string_view name) {
  for (const Builtin &row : allBuiltins())
    if (row.name == name && row.place == BuiltinPlace::Descriptor)
      return &row;
  return nullptr;
}

std::string_view threadMathFunction(std::string_view module, std::string_view name) {
  struct Row {
    std::string_view name, device;
    bool isOfNumPyAlone;
  };
  static constexpr Row rows[] = {
#define THREAD_MATH(name, device) {#name, #device, false},
#define NUMPY_MATH(name, device) {#name, #device, true},
#include "frontend/sema/threads.def"
  };
  for (const Row &row : rows)
    if (row.name == name && (!row.isOfNumPyAlone || module == "numpy"))
      return row.device;
  return {};
}

namespace {
using NamedType = std::pair<std::string_view, DType>;

constexpr NamedType typesOfNumba[] = {
#define THREAD_TYPE(name, dtype) {#name, DType::dtype},
#define NUMBA_TYPE(name, dtype) {#name, DType::dtype},
#include "frontend/sema/threads.def"
};

constexpr NamedType typesOfNumPy[] = {
#define THREAD_TYPE(name, dtype) {#name, DType::dtype},
#define NUMPY_TYPE(name, dtype) {#name, DType::dtype},
#include "frontend/sema/threads.def"
};
} // namespace

std::optional<DType> threadTypeNamed(std::string_view module, std::string_view name) {
  std::span<const NamedType> rows;
  if (module == "numpy")
    rows = typesOfNumPy;
  else if (module == "numba" || module == "numba.types")
    rows = typesOfNumba;
  for (const auto &[known, type] : rows)
    if (known == name)
      return type;
  return std::nullopt;
}

std::vector<std::pair<std::string_view, DType>> numbaTypes() {
  return {std::begin(typesOfNumba), std::end(typesOfNumba)};
}

std::vector<std::string> threadNames() {
  std::vector<std::string> names = {
#define THREAD_PLACE(name) #name,
#include "frontend/sema/threads.def"
  };
  constexpr std::string_view cuda = "numba.cuda";
  for (const Builtin &row : allBuiltins())
    if (row.place == BuiltinPlace::Threads && row.module.starts_with(cuda))
      names.push_back(
          (std::string(row.module) + "." + std::string(row.name)).substr(cuda.size() + 1));
  for (const std::string &symbol : deviceSymbolNames())
    names.push_back("libdevice." + symbol);
  return names;
}

std::vector<std::string> functionNames(std::string_view module) {
  std::vector<std::string> names;
  for (const Builtin &row : allBuiltins())
    if (row.isFunctionOf(module))
      names.emplace_back(row.name);
  return names;
}

std::vector<std::string> methodNames() {
  std::vector<std::string> names;
  for (const Builtin &row : allBuiltins())
    if (row.isMethod())
      names.emplace_back(row.name);
  return names;
}

std::vector<std::string> descriptorMethodNames() {
  std::vector<std::string> names;
  for (const Builtin &row : allBuiltins())
    if (row.place == BuiltinPlace::Descriptor)
      names.emplace_back(row.name);
  return names;
}

} // namespace nereid::sema
