// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"
#include "interpret/NumberText.h"
#include "interpret/OperationTable.h"
#include "interpret/Strides.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace nereid::interpret {

struct PrintedValue {
  Slot slot;
  llvm::SmallVector<int64_t> shape;
  NumberStyle style;
};

struct PrintPlan {
  std::vector<std::string> texts; // one more than values
  std::vector<PrintedValue> values;
};

/// "pid (x, y, z) idx (i, j) text"
static std::string linePrefix(ProgramId program, llvm::ArrayRef<int64_t> index,
                              const std::string &text) {
  std::string place;
  llvm::ListSeparator comma;
  for (int64_t coordinate : index) {
    place += llvm::StringRef(comma);
    place += std::to_string(coordinate);
  }
  return llvm::formatv("pid ({0}, {1}, {2}) idx ({3}) {4}", program.x, program.y, program.z, place,
                       text)
      .str();
}

static void printElements(const PrintedValue &value, const std::string &text,
                          Execution &execution) {
  std::vector<std::string> numbers = textsOf(value.slot, execution.memory, value.style);
  llvm::SmallVector<int64_t> strides = rowMajorStrides(value.shape), index(value.shape.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (size_t dim = 0; dim < index.size(); ++dim)
      index[dim] = int64_t(i) / strides[dim] % value.shape[dim];
    execution.observer.print(linePrefix(execution.program, index, text) + ": " + numbers[i]);
  }
}

static void printPerElement(const PrintPlan &plan, Execution &execution) {
  if (plan.values.empty())
    execution.observer.print(linePrefix(execution.program, {}, plan.texts[0]));
  for (size_t i = 0; i < plan.values.size(); ++i)
    printElements(plan.values[i], plan.texts[i], execution);
}

/// Appends nested brackets round the numbers from `next` on.
static void appendBrackets(std::string &line, const std::string *&next,
                           llvm::ArrayRef<int64_t> shape) {
  line += '[';
  for (int64_t i = 0; i < shape[0]; ++i) {
    if (i)
      line += ' ';
    if (shape.size() > 1)
      appendBrackets(line, next, shape.drop_front());
    else
      line += *next++;
  }
  line += ']';
}

static void printInline(const PrintPlan &plan, Execution &execution) {
  std::string line;
  for (size_t i = 0; i < plan.values.size(); ++i) {
    const PrintedValue &value = plan.values[i];
    line += plan.texts[i];
    std::vector<std::string> numbers = alignedTextsOf(value.slot, execution.memory, value.style);
    const std::string *next = numbers.data();
    appendBrackets(line, next, value.shape.empty() ? llvm::ArrayRef<int64_t>(1) : value.shape);
  }
  execution.observer.print(line + plan.texts.back());
}

static Step planPrint(Planner &planner, tile::PrintOp op) {
  PrintPlan plan;
  for (llvm::StringRef text : op.getTexts().getAsValueRange<StringAttr>())
    plan.texts.push_back(text.str());
  for (auto [value, isSigned] : llvm::zip_equal(op.getValues(), op.getIsSigned()))
    plan.values.push_back({planner.slotOf(value),
                           llvm::SmallVector<int64_t>(tile::shapeOf(value.getType())),
                           {isSigned, op.getHex()}});
  auto print = op.getStyle() == tile::PrintStyle::Inline ? printInline : printPerElement;
  return [plan = std::move(plan), print](Execution &execution) { print(plan, execution); };
}

void addPrintOperations(OperationTable &table) { table.add<tile::PrintOp>(planPrint); }

} // namespace nereid::interpret
