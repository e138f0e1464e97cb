// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/launch/Binding.h"

#include "frontend/sema/Annotation.h"
#include "frontend/sema/Promotion.h"
#include "jit/Suggest.h"
#include "support/Check.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace nereid::jit {
namespace {

std::vector<std::string> parameterNames(const ast::Function &function) {
  std::vector<std::string> names;
  for (const ast::Parameter &parameter : function.parameters)
    names.push_back(parameter.name);
  return names;
}

/// Looks at parameter `likely` first.
size_t findParameter(const ast::Function &function, llvm::StringRef name, size_t likely) {
  if (likely < function.parameters.size() && name == function.parameters[likely].name)
    return likely;
  for (size_t i = 0; i < function.parameters.size(); ++i)
    if (name == function.parameters[i].name)
      return i;
  failWithNote(function.nameRange,
               {{}, suggest(name.str(), parameterNames(function), "parameters", "parameter")},
               DiagnosticId::unknown_argument, describe(function), name.str());
}

[[noreturn]] void failMissing(const ast::Function &function, const ast::Parameter &parameter) {
  if (!sema::readAnnotation(parameter.annotation.get()).isConstexpr)
    fail(parameter.range, DiagnosticId::missing_argument, parameter.name, describe(function));
  failWithNote(parameter.range,
               {{}, "an int, a float, a bool, a string, a dtype or None is accepted"},
               DiagnosticId::missing_constexpr, parameter.name, function.name);
}

} // namespace

std::string describe(const ast::Function &function) { return "kernel '" + function.name + "'"; }

std::optional<Diagnostic> mistakeOfExtents(llvm::ArrayRef<int64_t> extents, SourceRange range,
                                           llvm::StringRef argument, llvm::StringRef callee) {
  for (int64_t extent : extents)
    if (!sema::fits(extent, DType::Int32))
      return diagnose(range, DiagnosticId::argument_value, argument, callee,
                      "a descriptor of an array whose extents are int32", std::to_string(extent));
  return std::nullopt;
}

std::optional<Diagnostic> mistakeOfPadding(DType dtype, bool padsWithNan, SourceRange range,
                                           llvm::StringRef argument, llvm::StringRef callee) {
  if (!padsWithNan || isFloat(dtype))
    return std::nullopt;
  return diagnose(range, DiagnosticId::argument_value, argument, callee,
                  "a descriptor that pads with zero, since it holds integers", "NaN");
}

sema::ConstantValue toConstant(const Argument::Value &value) {
  struct Visitor {
    sema::ConstantValue operator()(std::monostate none) const { return none; }
    sema::ConstantValue operator()(bool boolean) const { return boolean; }
    sema::ConstantValue operator()(int64_t integer) const { return sema::Integer(integer); }
    sema::ConstantValue operator()(uint64_t integer) const { return sema::Integer(integer); }
    sema::ConstantValue operator()(double number) const { return number; }
    sema::ConstantValue operator()(const std::string &text) const { return text; }
    sema::ConstantValue operator()(DType dtype) const { return sema::ScalarType{dtype, false}; }
    sema::ConstantValue operator()(const Array &) const {
      NEREID_UNREACHABLE("an array is no constant");
    }
    sema::ConstantValue operator()(const TensorDescriptor &) const {
      NEREID_UNREACHABLE("a tensor descriptor is no constant");
    }
  };
  return std::visit(Visitor(), value);
}

Argument toArgument(const sema::ConstantValue &value) {
  struct Visitor {
    Argument operator()(std::monostate) const { return nullptr; }
    Argument operator()(bool boolean) const { return boolean; }
    Argument operator()(double number) const { return number; }
    Argument operator()(const std::string &text) const { return text; }
    Argument operator()(sema::ScalarType type) const {
      NEREID_CHECK(!type.isPointer, "a pointer's type is no argument");
      return type.dtype;
    }
    Argument operator()(sema::Integer integer) const {
      if (sema::fits(integer, DType::Int64))
        return static_cast<int64_t>(integer);
      NEREID_CHECK(sema::fits(integer, DType::UInt64), "a constant has up to 64 bits");
      return static_cast<uint64_t>(integer);
    }
  };
  return std::visit(Visitor(), value);
}

llvm::SmallVector<std::optional<size_t>, 16> bindNames(const ast::Function &function,
                                                       llvm::ArrayRef<llvm::StringRef> names) {
  llvm::SmallVector<std::optional<size_t>, 16> bound(function.parameters.size());
  size_t likely = 0; // most calls give names in the order of the declaration
  for (size_t i = 0; i < names.size(); ++i) {
    size_t parameter = findParameter(function, names[i], likely);
    if (bound[parameter])
      fail(function.parameters[parameter].range, DiagnosticId::duplicate_argument, names[i].str(),
           describe(function));
    bound[parameter] = i;
    likely = parameter + 1;
  }
  for (size_t i = 0; i < bound.size(); ++i) {
    const ast::Parameter &parameter = function.parameters[i];
    if (parameter.isVariadic)
      fail(parameter.range, DiagnosticId::unsupported_syntax, "*" + parameter.name);
    if (!bound[i] && !parameter.defaultValue)
      failMissing(function, parameter);
  }
  return bound;
}

/// Puts argument `index`, of which `path` is what its name says after a point, where it belongs.
static void place(Given &given, llvm::StringRef name, llvm::StringRef path, size_t index) {
  auto refuse = [&](const char *why) {
    throw Error(Error::Kind::Usage, "'" + name.str() + "' " + why);
  };
  if (given.index || (path.empty() && !given.elements.empty()))
    refuse("comes beside another argument in its place");
  if (path.empty()) {
    given.index = index;
    return;
  }
  auto [number, rest] = path.split('.');
  size_t element = 0;
  if (number.getAsInteger(10, element) || element > given.elements.size())
    refuse("is no element of a tuple, or comes before the one with the number below its own");
  if (element == given.elements.size())
    given.elements.emplace_back();
  place(given.elements[element], name, rest, index);
}

llvm::SmallVector<std::optional<Given>, 16> bindParts(const ast::Function &function,
                                                      llvm::ArrayRef<llvm::StringRef> names) {
  llvm::SmallVector<llvm::StringRef> parameters;
  llvm::SmallVector<Given> given;
  for (auto [i, name] : llvm::enumerate(names)) {
    auto [parameter, path] = name.split('.');
    auto known = path.empty() ? parameters.end() : llvm::find(parameters, parameter);
    auto index = static_cast<size_t>(known - parameters.begin());
    if (known == parameters.end()) { // also one that comes twice, which bindNames refuses
      parameters.push_back(parameter);
      given.emplace_back();
    }
    place(given[index], name, path, i);
  }
  llvm::SmallVector<std::optional<Given>, 16> parts;
  for (std::optional<size_t> index : bindNames(function, parameters))
    parts.push_back(index ? std::optional(std::move(given[*index])) : std::nullopt);
  return parts;
}

} // namespace nereid::jit
