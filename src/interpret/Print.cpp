// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"
#include "interpret/OperationTable.h"
#include "support/PrintText.h"

using namespace mlir;

namespace nereid::interpret {

namespace {

struct PrintPlan {
  PrintFormat format;
  std::vector<PrintedOperand> operands; // all but the elements
  std::vector<Slot> slots;
};

DType dtypeOf(ElementKind kind, bool isSigned) {
  switch (kind) {
  case ElementKind::I1:
    return DType::Int1;
  case ElementKind::I8:
    return isSigned ? DType::Int8 : DType::UInt8;
  case ElementKind::I16:
    return isSigned ? DType::Int16 : DType::UInt16;
  case ElementKind::I32:
    return isSigned ? DType::Int32 : DType::UInt32;
  case ElementKind::I64:
    return isSigned ? DType::Int64 : DType::UInt64;
  case ElementKind::F16:
    return DType::Float16;
  case ElementKind::BF16:
    return DType::BFloat16;
  case ElementKind::F32:
    return DType::Float32;
  case ElementKind::F64:
    return DType::Float64;
  case ElementKind::Pointer:
    return DType::UInt64;
  }
  NEREID_UNREACHABLE("unknown element kind");
}

void print(const PrintPlan &plan, Execution &execution) {
  std::vector<PrintedOperand> operands = plan.operands;
  std::vector<std::vector<uint64_t>> addresses(operands.size());
  for (auto [i, slot] : llvm::enumerate(plan.slots)) {
    operands[i].elements = slot.as<uint8_t>();
    if (!operands[i].isPointer)
      continue;
    for (int64_t lane = 0; lane < slot.capacity; ++lane)
      addresses[i].push_back(execution.memory.toAddress(slot.as<uint64_t>()[lane]));
    operands[i].elements = addresses[i].data();
  }
  ProgramId program = execution.program;
  printLines(plan.format, operands, {program.x, program.y, program.z},
             [&](const std::string &line) { execution.observer.print(line); });
}

} // namespace

static Step planPrint(Planner &planner, tile::PrintOp op) {
  PrintPlan plan;
  plan.format.isInline = op.getStyle() == tile::PrintStyle::Inline;
  plan.format.isHex = op.getHex();
  for (llvm::StringRef text : op.getTexts().getAsValueRange<StringAttr>())
    plan.format.texts.push_back(text.str());
  for (auto [value, isSigned] : llvm::zip_equal(op.getValues(), op.getIsSigned())) {
    Slot slot = planner.slotOf(value);
    plan.slots.push_back(slot);
    plan.operands.push_back({dtypeOf(slot.kind, isSigned), slot.kind == ElementKind::Pointer,
                             tile::shapeOf(value.getType()).vec(), nullptr});
  }
  return [plan = std::move(plan)](Execution &execution) { print(plan, execution); };
}

void addPrintOperations(OperationTable &table) { table.add<tile::PrintOp>(planPrint); }

} // namespace nereid::interpret
