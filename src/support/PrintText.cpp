// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/PrintText.h"

#include "nereid/error.h"
#include "support/NumberText.h"

namespace nereid {

using Write = std::function<void(const std::string &)>;

/// "pid (x, y, z)"
static std::string programText(const uint32_t (&programId)[3]) {
  return "pid (" + std::to_string(programId[0]) + ", " + std::to_string(programId[1]) + ", " +
         std::to_string(programId[2]) + ")";
}

/// " idx (i, j)", in columns: each index has room for the last one of its dimension.
static std::string indexText(std::span<const int64_t> index, std::span<const int64_t> shape) {
  std::string text = " idx (";
  for (size_t dim = 0; dim < index.size(); ++dim) {
    std::string number = std::to_string(index[dim]);
    size_t width = std::to_string(shape[dim] - 1).size();
    text += (dim ? ", " : "") + std::string(width - number.size(), ' ') + number;
  }
  return text + ")";
}

/// Steps to the next index in row-major order.
static void stepIndex(std::vector<int64_t> &index, std::span<const int64_t> shape) {
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (++index[dim] < shape[dim])
      return;
    index[dim] = 0;
  }
}

static void printPerElement(const PrintFormat &format, std::span<const PrintedOperand> operands,
                            const uint32_t (&programId)[3], const Write &write) {
  std::string program = programText(programId);
  if (operands.empty())
    write(program + format.texts[0]);
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::vector<int64_t> &shape = operands[i].shape;
    std::string text = format.texts[i];
    if (operands.size() > 1)
      text += "(operand " + std::to_string(i) + ") ";
    std::vector<int64_t> index(shape.size(), 0);
    for (const std::string &number : plainTextsOf(operands[i], format.isHex)) {
      write(program + indexText(index, shape) + text + number);
      stepIndex(index, shape);
    }
  }
}

/// Appends nested brackets round the numbers from `next` on.
static void appendBrackets(std::string &line, const std::string *&next,
                           std::span<const int64_t> shape) {
  line += '[';
  for (int64_t i = 0; i < shape[0]; ++i) {
    if (i)
      line += ' ';
    if (shape.size() > 1)
      appendBrackets(line, next, shape.subspan(1));
    else
      line += *next++;
  }
  line += ']';
}

static void printInline(const PrintFormat &format, std::span<const PrintedOperand> operands,
                        const Write &write) {
  static constexpr int64_t one[] = {1};
  std::string line;
  for (size_t i = 0; i < operands.size(); ++i) {
    line += format.texts[i];
    std::vector<std::string> numbers = alignedTextsOf(operands[i], format.isHex);
    const std::string *next = numbers.data();
    const std::vector<int64_t> &shape = operands[i].shape;
    appendBrackets(line, next, shape.empty() ? std::span<const int64_t>(one) : shape);
  }
  write(line + format.texts.back());
}

/// Scalars alone, as Python writes them: a boolean by its name.
static void printPlain(const PrintFormat &format, std::span<const PrintedOperand> operands,
                       const Write &write) {
  auto textOf = [&](const PrintedOperand &operand) -> std::string {
    if (isBool(operand.dtype) && !operand.isPointer)
      return *static_cast<const uint8_t *>(operand.elements) ? "True" : "False";
    return plainTextsOf(operand, format.isHex)[0];
  };
  std::string line;
  for (size_t i = 0; i < operands.size(); ++i)
    line += format.texts[i] + textOf(operands[i]);
  write(line + format.texts.back());
}

void printLines(const PrintFormat &written, std::span<const PrintedOperand> operands,
                const uint32_t (&programId)[3], const Write &write) {
  PrintFormat format = written;
  for (std::string &text : format.texts)
    text = printable(text);
  switch (format.style) {
  case PrintStyle::PerElement:
    return printPerElement(format, operands, programId, write);
  case PrintStyle::Inline:
    return printInline(format, operands, write);
  case PrintStyle::Plain:
    return printPlain(format, operands, write);
  }
}

} // namespace nereid
