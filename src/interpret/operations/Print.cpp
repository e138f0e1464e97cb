// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Kernel.h"
#include "dialect/tile/Tile.h"
#include "interpret/operations/OperationTable.h"
#include "support/PrintText.h"

using namespace mlir;

namespace nereid::interpret {

namespace {

struct PrintPlan {
  PrintFormat format;
  std::vector<PrintedOperand> operands; // all but the elements
  std::vector<Slot> slots;
  std::optional<size_t> receiver; // instead of the observer's print()
};

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
  if (plan.receiver)
    return execution.observer.receive(*plan.receiver, operands);
  ProgramId program = execution.program;
  printLines(plan.format, operands, {program.x, program.y, program.z},
             [&](const std::string &line) { execution.observer.print(line); });
}

} // namespace

static Step planPrint(Planner &planner, tile::PrintOp op) {
  PrintPlan plan;
  plan.format.style = static_cast<PrintStyle>(op.getStyle());
  plan.format.isHex = op.getHex();
  if (auto receiver = op->getAttrOfType<IntegerAttr>(tile::receiverAttr))
    plan.receiver = receiver.getInt();
  for (llvm::StringRef text : op.getTexts().getAsValueRange<StringAttr>())
    plan.format.texts.push_back(text.str());
  for (auto [value, isSigned] : llvm::zip_equal(op.getValues(), op.getIsSigned())) {
    Slot slot = planner.slotOf(value);
    plan.slots.push_back(slot);
    Type element = tile::elementOf(value.getType());
    plan.operands.push_back({tile::dtypeOf(element, isSigned).value_or(DType::UInt64),
                             slot.kind == ElementKind::Pointer,
                             tile::shapeOf(value.getType()).vec(), nullptr});
  }
  return [plan = std::move(plan)](Execution &execution) { print(plan, execution); };
}

void addPrintOperations(OperationTable &table) { table.add<tile::PrintOp>(planPrint); }

} // namespace nereid::interpret
