// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/emit/Arguments.h"

#include "frontend/emit/Advice.h"
#include "support/Check.h"

namespace nereid::emit {

using sema::ConstantValue;

/// The defaults of the table are few enough to be read by their first character.
static Value defaultValue(const std::string &text) {
  if (text == "None")
    return {};
  if (text == "()")
    return Tuple{};
  if (text == "True" || text == "False")
    return boolValue(text == "True");
  if (text.front() == '\'')
    return stringValue(text.substr(1, text.size() - 2));
  if (auto dtype = parseDType(text))
    return dtypeValue({*dtype});
  if (text.find('.') != std::string::npos)
    return ConstantValue(std::stod(text));
  return integerValue(std::stoll(text));
}

Arguments::Arguments(Emitter &emitter, const sema::Builtin &builtin,
                     std::vector<Emitter::CallArgument> given, SourceRange callRange)
    : emitter(emitter), builtin(builtin), callRange_(callRange) {
  for (const sema::BuiltinParameter &parameter : builtin.parameters())
    values.push_back({parameter.name, {}, callRange, false});
  bindPositional(given);
  bind(given);
  bindDefaults();
}

void Arguments::bindPositional(std::vector<Emitter::CallArgument> &given) {
  const auto &parameters = builtin.parameters();
  size_t index = 0, positional = 0;
  for (Emitter::CallArgument &argument : given) {
    if (!argument.name.empty())
      continue;
    ++positional;
    if (index < parameters.size() && parameters[index].isVariadic) {
      Bound &rest = values[index];
      if (!rest.isGiven)
        rest = {rest.name, Tuple{}, argument.range, true};
      rest.value.as<Tuple>()->elements.push_back(argument.value);
      continue;
    }
    if (index >= parameters.size() || parameters[index].isKeywordOnly)
      fail(argument.range, DiagnosticId::too_many_arguments, builtin.name, index,
           std::max(positional, given.size()));
    values[index] = {values[index].name, argument.value, argument.range, true, argument.origin};
    ++index;
  }
}

void Arguments::bind(std::vector<Emitter::CallArgument> &given) {
  for (Emitter::CallArgument &argument : given) {
    if (argument.name.empty())
      continue;
    auto slot = std::find_if(values.begin(), values.end(),
                             [&](const Bound &value) { return value.name == argument.name; });
    if (slot == values.end()) {
      std::vector<std::string> names;
      for (const Bound &value : values)
        names.push_back(value.name);
      failWithNotes(suggestParameter(argument.name, names),
                    diagnose(argument.nameRange, DiagnosticId::unknown_argument, builtin.name,
                             argument.name));
    }
    if (slot->isGiven)
      fail(argument.range, DiagnosticId::duplicate_argument, argument.name, builtin.name);
    *slot = {slot->name, argument.value, argument.range, true, argument.origin};
  }
}

void Arguments::bindDefaults() {
  const auto &parameters = builtin.parameters();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].isGiven)
      continue;
    if (parameters[i].isVariadic)
      values[i].value = Tuple{};
    else if (parameters[i].defaultText)
      values[i].value = defaultValue(*parameters[i].defaultText);
    else
      failWithNote(callRange_,
                   {{},
                    "the signature is " + std::string(builtin.name) + "(" +
                        std::string(builtin.signature) + ")"},
                   DiagnosticId::missing_argument, values[i].name, builtin.name);
  }
}

const Arguments::Bound &Arguments::bound(std::string_view name) const {
  for (const Bound &value : values)
    if (value.name == name)
      return value;
  NEREID_UNREACHABLE("a built-in asked for a parameter that its signature lacks");
}

std::string_view Arguments::labelOf(std::string_view name) const {
  const Bound &value = bound(name);
  return value.origin.empty() ? value.name : value.origin;
}

std::string_view Arguments::functionOf(std::string_view name) const {
  return bound(name).origin.empty() ? builtin.name : emitter.frame->calledName;
}

void Arguments::failType(std::string_view name, std::string_view expected) const {
  fail(range(name), DiagnosticId::argument_type, labelOf(name), functionOf(name), expected,
       describe((*this)[name]));
}

void Arguments::failValue(std::string_view name, std::string_view expected) const {
  fail(range(name), DiagnosticId::argument_value, labelOf(name), functionOf(name), expected,
       describe((*this)[name]));
}

Tensor Arguments::tensor(std::string_view name) const {
  const Value &value = (*this)[name];
  const auto *constant = value.as<ConstantValue>();
  if (!value.is<Tensor>() && !(constant && sema::asNumber(*constant)))
    failType(name, "a scalar or a tile");
  return emitter.toTensor(value, range(name));
}

Tensor Arguments::tile(std::string_view name) const {
  const auto *tensor = (*this)[name].as<Tensor>();
  if (!tensor || !tensor->isTile())
    failType(name, "a tile");
  return *tensor;
}

ConstantValue Arguments::constant(std::string_view name) const {
  auto constant = asConstant((*this)[name]);
  if (!constant)
    failNotConstant((*this)[name], name);
  return *constant;
}

void Arguments::failNotConstant(const Value &value, std::string_view name) const {
  Diagnostic mistake =
      diagnose(range(name), DiagnosticId::argument_not_constexpr, labelOf(name), functionOf(name));
  if (emitter.isOfThreads())
    mistake.notes.push_back(
        {{}, "the size of a block's memory is known when the kernel is compiled"});
  else if (name == "shape" || builtin.name == "arange")
    mistake.notes.push_back({{},
                             "the size of a tile is known when the kernel is compiled: take one "
                             "that is large enough, and a mask"});
  failNotConstexpr(emitter, value, std::move(mistake));
}

sema::Integer Arguments::integerOf(const Value &value, std::string_view name) const {
  auto constant = asConstant(value);
  if (!constant && value.is<Tensor>())
    failNotConstant(value, name);
  auto integer = constant ? sema::asInteger(*constant) : std::nullopt;
  if (!integer)
    fail(range(name), DiagnosticId::argument_type, labelOf(name), functionOf(name),
         "a constexpr integer", describe(value));
  return *integer;
}

sema::Integer Arguments::integer(std::string_view name) const {
  return integerOf((*this)[name], name);
}

bool Arguments::flag(std::string_view name) const { return sema::isTrue(constant(name)); }

std::string Arguments::text(std::string_view name) const {
  if (isNone(name))
    return "";
  const auto *constant = (*this)[name].as<ConstantValue>();
  const auto *text = constant ? std::get_if<std::string>(constant) : nullptr;
  if (!text)
    failType(name, "a constexpr string");
  return *text;
}

std::string Arguments::choice(std::string_view name) const {
  const auto *constant = (*this)[name].as<ConstantValue>();
  bool isSwitch = constant && sema::asNumber(*constant);
  return isSwitch && !sema::isTrue(*constant) ? "" : text(name);
}

sema::ScalarType Arguments::dtype(std::string_view name) const {
  const auto *constant = (*this)[name].as<ConstantValue>();
  if (const auto *type = constant ? std::get_if<sema::ScalarType>(constant) : nullptr)
    return *type;
  if (const auto *type = (*this)[name].as<TypeReference>(); type && !type->isBlockPointer)
    return type->type.scalar; // as of a block that a pointer points at
  // "float32", and Python's float and int
  const auto *text = constant ? std::get_if<std::string>(constant) : nullptr;
  const auto *function = (*this)[name].as<const sema::Builtin *>();
  std::string given = text ? *text : function ? std::string((*function)->name) : "";
  auto meant = parseDType(given);
  std::string advice =
      meant ? "write tl." + std::string(nereid::name(*meant)) : spellingInKernels(given);
  failWithNote(range(name), {{}, advice.empty() ? "tl.float32 is one" : advice},
               DiagnosticId::argument_type, labelOf(name), functionOf(name), "a dtype",
               describe((*this)[name]));
}

std::vector<Value> Arguments::elements(std::string_view name) const {
  const auto *tuple = (*this)[name].as<Tuple>();
  if (!tuple)
    return {(*this)[name]};
  if (tuple->elements.size() == 1)
    if (const auto *inner = tuple->elements[0].as<Tuple>())
      return inner->elements;
  return tuple->elements;
}

std::vector<sema::Integer> Arguments::integers(std::string_view name) const {
  std::vector<sema::Integer> result;
  for (const Value &element : elements(name))
    result.push_back(integerOf(element, name));
  return result;
}

sema::Shape Arguments::shape(std::string_view name) const {
  sema::Shape shape;
  for (sema::Integer size : integers(name)) {
    if (size < 1 || size > (sema::Integer(1) << 40))
      failWithNote(range(name), {{}, "each dimension must be at least 1"},
                   DiagnosticId::invalid_shape, sema::toString(ConstantValue(size)));
    shape.push_back(static_cast<int64_t>(size));
  }
  emitter.checkShape(shape, range(name));
  return shape;
}

} // namespace nereid::emit
