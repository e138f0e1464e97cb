// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are marked core.extern or core.builtin: what upstream's compiler hands them, and
// the symbols of libraries that they name.
#include "frontend/emit/Arguments.h"
#include "frontend/emit/Capability.h"
#include "frontend/emit/builtins/ExternFunctions.h"
#include "frontend/emit/names/LibraryModules.h"

namespace nereid::emit {

using sema::ConstantValue;

bool isBuilderName(std::string_view parameter) {
  return parameter == "_semantic" || parameter == "_builder" || parameter == "_generator";
}

void dropBuilder(const Value &callee, std::vector<Emitter::CallArgument> &arguments) {
  const auto *called = callee.as<JitFunction>();
  if (called && called->function->isExtern)
    return;
  llvm::erase_if(arguments, [](const Emitter::CallArgument &argument) {
    const auto *type = argument.value.as<ClassReference>();
    return !argument.name.empty() && type && type->name == upstreamBuilder;
  });
}

std::optional<Value> builderAttribute(Emitter &emitter, const ClassReference &object,
                                      std::string_view name) {
  if (object.name == upstreamBuilder) {
    if (name == "builder")
      return object;
    if (name == "options")
      return ClassReference{std::string(upstreamOptions)};
    if (name == "create_barrier")
      return Value(sema::findFunction("triton.language", "debug_barrier"));
  }
  if (object.name == upstreamOptions) {
    if (name == "backend_name")
      return Value(ConstantValue(std::string(capabilityOf(emitter) ? "cuda" : "cpu")));
    if (name == "num_warps")
      return integerValue(emitter.target.empty() ? 1 : emitter.countedWarps());
  }
  return std::nullopt;
}

/// "(float32, int32)"
static std::string spell(const Value &types) {
  std::string text;
  const auto *tuple = types.as<Tuple>();
  for (const Value &type : tuple ? tuple->elements : std::vector<Value>{types}) {
    auto scalar = scalarTypeOf(type);
    text += (text.empty() ? "" : ", ") + (scalar ? sema::toString(*scalar) : describe(type));
  }
  return "(" + text + ")";
}

struct ExternSymbol {
  std::string name;
  Value result; // a dtype, or nothing where the table has none
};

/// That for operands of these types, of {(dtype, ...): (symbol, dtype)}.
static ExternSymbol symbolFor(const Arguments &arguments, const Tuple &types) {
  const auto *table = arguments["arg_type_symbol_dict"].as<Dictionary>();
  if (!table)
    arguments.failType("arg_type_symbol_dict", "a dictionary {(dtype, ...): (symbol, dtype)}");
  const Value *row = table->find(types);
  const auto *pair = row ? row->as<Tuple>() : nullptr;
  bool hasName = pair && !pair->elements.empty();
  const auto *name = hasName ? pair->elements[0].as<ConstantValue>() : nullptr;
  if (const auto *symbol = name ? std::get_if<std::string>(name) : nullptr)
    return {*symbol, pair->elements.size() > 1 ? pair->elements[1] : Value()};
  std::string keys;
  for (const Value &key : table->keys)
    keys += (keys.empty() ? "" : ", ") + spell(key);
  failWithNote(arguments.range("args"), {{}, "it has " + (keys.empty() ? "none" : keys)},
               DiagnosticId::argument_type, "args", "extern_elementwise",
               "of types that the table has", spell(types));
}

/// Registers that PTX reads and LLVM names as functions: %tid.x, %laneid, %clock64.
static std::optional<std::string> specialRegister(std::string_view symbol) {
  llvm::StringRef name = symbol;
  bool isRegister = name.consume_front("llvm.nvvm.read.ptx.sreg.") && !name.empty() &&
                    name.find_if_not([](char letter) {
                      return llvm::isAlnum(letter) || letter == '.' || letter == '_';
                    }) == llvm::StringRef::npos;
  return isRegister ? std::optional(name.str()) : std::nullopt;
}

/// Of libdevice's functions, which upstream's kernels name by their symbols, those that are here;
/// and registers.
Value extern_elementwiseBuiltin(Emitter &emitter, const Arguments &arguments) {
  auto operands = asTuple(emitter, arguments["args"], arguments.range("args"));
  if (!operands)
    arguments.failType("args", "a tuple of values");
  Tuple types;
  std::vector<Emitter::CallArgument> given;
  for (const Value &operand : operands->as<Tuple>()->elements) {
    Tensor tensor = emitter.toTensor(operand, arguments.range("args"));
    types.elements.push_back(dtypeValue(tensor.type.scalar));
    given.push_back({"", Value(tensor), arguments.range("args")});
  }
  auto [symbol, result] = symbolFor(arguments, types);
  if (auto name = specialRegister(symbol); name && given.empty())
    return emitter.call(Value(findLibraryFunction("read_register")),
                        {{"", Value(ConstantValue(*name)), arguments.callRange()},
                         {"", result, arguments.range("arg_type_symbol_dict")}},
                        arguments.callRange());
  constexpr std::string_view prefix = "__nv_";
  const sema::DeviceFunction *function =
      std::string_view(symbol).starts_with(prefix)
          ? sema::findDeviceSymbol(std::string_view(symbol).substr(prefix.size()))
          : nullptr;
  if (!function || !function->refusal.empty())
    failWithNote(arguments.callRange(),
                 {{}, "of libdevice's, __nv_*, most are; tl.inline_asm_elementwise takes PTX"},
                 DiagnosticId::extern_symbol, symbol);
  return emitter.call(Value(function), std::move(given), arguments.callRange());
}

} // namespace nereid::emit
