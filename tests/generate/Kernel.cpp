// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernel.h"

#include "llvm/Support/FormatVariadic.h"

namespace nereid::generate {

static void print(std::string &out, const std::vector<Statement> &block, unsigned depth) {
  std::string indent(4 * depth, ' ');
  for (const Statement &statement : block) {
    if (statement.isWhole()) {
      print(out, statement.body, depth);
      continue;
    }
    out += indent + statement.text + "\n";
    bool opens = statement.text.back() == ':';
    if (!opens)
      continue;
    print(out, statement.body, depth + 1);
    if (statement.otherwise.empty())
      continue;
    out += indent + "else:\n";
    print(out, statement.otherwise, depth + 1);
  }
  if (block.empty())
    out += indent + "pass\n";
}

std::string Kernel::source() const {
  std::string body;
  print(body, this->body, 1);
  std::string signature;
  for (const ArrayParameter &array : arrays)
    signature += (signature.empty() ? "" : ", ") + array.name;
  for (const ScalarParameter &scalar : scalars)
    signature += (signature.empty() ? "" : ", ") + scalar.name +
                 (scalar.annotation.empty() ? "" : ": " + scalar.annotation);
  std::string result = "@triton.jit\ndef kernel(" + signature + "):\n" + body;
  // A function stands behind those that it calls; what nothing calls any more is left out.
  for (auto helper = helpers.rbegin(); helper != helpers.rend(); ++helper)
    if (result.find(helper->first) != std::string::npos)
      result = (helper->second.starts_with("def") ? "@triton.jit\n" : "") + helper->second +
               "\n\n" + result;
  bool hasRecords = result.find("NamedTuple") != std::string::npos;
  return std::string(hasRecords ? "from typing import NamedTuple\n\n" : "") +
         "import triton\nimport triton.language as tl\n\n\n" + result;
}

static const char *describe(Fill fill) {
  switch (fill) {
  case Fill::Wild:
    return "all kinds of numbers";
  case Fill::Special:
    return "mostly NaNs, infinities and zeros";
  case Fill::Small:
    return "small numbers";
  case Fill::Units:
    return "-1, 0 and 1";
  case Fill::Zero:
    return "zeros";
  }
  return "";
}

std::string Kernel::launch() const {
  std::string result = llvm::formatv("grid {0},{1},{2}\n", grid[0], grid[1], grid[2]);
  for (const ArrayParameter &array : arrays) {
    result += llvm::formatv("{0} = {1}[{2}], {3}", array.name, name(array.dtype), array.size,
                            describe(array.fill));
    if (!array.block.empty())
      result += ", as " + text(array.extents) + " in blocks of " + text(array.block);
    result += array.sharedWith.empty() ? "\n" : ", the memory of " + array.sharedWith + "\n";
  }
  for (const ScalarParameter &scalar : scalars)
    std::visit([&](auto value) { result += llvm::formatv("{0} = {1}\n", scalar.name, value); },
               scalar.value);
  if (roundsFactors)
    result += "tensor cores round its factors\n";
  return result;
}

} // namespace nereid::generate
