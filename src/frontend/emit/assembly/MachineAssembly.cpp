// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// inline_asm_elementwise with text for the CPU's assembler: tile.assembly, which the CPU's back end
// hands to LLVM.
#include "frontend/emit/assembly/InlineAssembly.h"

#include "llvm/ADT/StringExtras.h"

namespace nereid::emit {

bool isMachineText(llvm::StringRef text) {
  text = text.ltrim(" \t\r\n;");
  if (text.starts_with("#"))
    return true;
  if (text.empty() || text.starts_with("{") || text.starts_with("}") || text.starts_with("@") ||
      text.starts_with("//") || text.starts_with("/*"))
    return false;
  llvm::StringRef opcode = text.take_until([](char c) { return llvm::isSpace(c) || c == ';'; });
  return opcode.starts_with(".") ? !opcode.starts_with(".reg") : !opcode.contains('.');
}

/// Whether the text is for AMD's assembler, whose instructions begin with the unit that runs them.
static bool isOfAmd(llvm::StringRef text) {
  text = text.ltrim(" \t\r\n;");
  return llvm::any_of(
      llvm::ArrayRef<llvm::StringRef>{"v_", "s_", "ds_", "global_", "flat_", "buffer_", "scratch_"},
      [&](llvm::StringRef unit) { return text.starts_with(unit); });
}

/// As a register of the machine can hold it.
static Tensor asRegister(Emitter &emitter, const Tensor &operand, SourceRange range) {
  if (operand.isPointer())
    return emitter.cast(operand, {DType::Int64}, range);
  return isBool(operand.dtype()) ? emitter.cast(operand, {DType::UInt8}, range) : operand;
}

std::vector<Tensor> machineAssembly(Emitter &emitter, const Arguments &arguments) {
  SourceRange range = arguments.callRange();
  if (isOfAmd(arguments.text("asm")))
    failWithNote(arguments.range("asm"), {{}, "tl.target_info.is_hip() is False here"},
                 DiagnosticId::not_supported_yet, "AMD's assembly");
  if (!emitter.target.empty())
    failWithNote(arguments.range("asm"), {{}, "GPUs run instructions of PTX"},
                 DiagnosticId::not_supported_yet, "the CPU's assembly on a GPU");
  if (!arguments.flag("is_pure"))
    arguments.failValue("is_pure", "True: what no result needs is not run, and masked lanes are");
  std::vector<Tensor> operands;
  sema::Shape shape;
  for (const Value &value : arguments.elements("args")) {
    operands.push_back(emitter.toTensor(value, arguments.range("args")));
    shape = emitter.commonShape(shape, operands.back().shape(), range);
  }
  if (operands.empty())
    arguments.failType("args", "a list with at least one tile");
  std::vector<mlir::Value> values;
  for (const Tensor &operand : operands)
    values.push_back(emitter.broadcastTo(asRegister(emitter, operand, range), shape, range).value);
  std::vector<sema::ScalarType> types = assemblyResults(arguments);
  size_t pack = assemblyPack(arguments, sema::ValueType{{}, shape}.elements());
  llvm::SmallVector<mlir::Type> outputs;
  for (sema::ScalarType type : types)
    outputs.push_back(emitter.irType(sema::ValueType{type, shape}));
  auto assembly = tile::AssemblyOp::create(emitter.builder, emitter.locate(range), outputs,
                                           arguments.text("asm"), arguments.text("constraints"),
                                           pack, /*effects=*/false, values);
  std::vector<Tensor> results;
  for (auto [output, type] : llvm::zip_equal(assembly.getOutputs(), types))
    results.push_back({output, sema::ValueType{type, shape}});
  return results;
}

} // namespace nereid::emit
