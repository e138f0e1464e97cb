// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/DescribeBoxes.h"

#include "analysis/AffineTiles.h"
#include "support/Check.h"

using namespace mlir;

namespace nereid::backend::nvptx {
namespace {

using analysis::AffineTiles;

runtime::IntegerParameter parameterOf(Value value) {
  auto argument = llvm::cast<BlockArgument>(value);
  return {static_cast<uint16_t>(argument.getArgNumber()),
          static_cast<uint8_t>(value.getType().getIntOrFloatBitWidth() / 8)};
}

runtime::ParameterSum sumOf(Value value, AffineTiles &tiles) {
  std::optional<analysis::AffineTile> form = tiles.of(value);
  NEREID_CHECK(form && !form->base, "a box is computed from more than parameters");
  runtime::ParameterSum sum;
  for (const auto &[symbols, factor] : form->start.terms()) {
    sum.terms.push_back({factor, {}});
    for (analysis::Symbol symbol : symbols)
      sum.terms.back().parameters.push_back(parameterOf(tiles[symbol].value));
  }
  return sum;
}

/// For the engine, which looks at types only to convert and to add up.
DType typeOfBytes(unsigned bytes) {
  return bytes == 1 ? DType::UInt8 : bytes == 2 ? DType::Float16 : DType::Float32;
}

void print(const runtime::ParameterSum &sum, llvm::raw_ostream &out) {
  if (sum.terms.empty())
    out << 0;
  llvm::interleave(
      sum.terms, out,
      [&](const runtime::ParameterSum::Term &term) {
        out << term.factor;
        for (runtime::IntegerParameter parameter : term.parameters)
          out << "*p" << parameter.number;
      },
      "+");
}

} // namespace

void printBoxes(const runtime::CudaCode &code, llvm::raw_ostream &out) {
  for (const runtime::ArrayBox &box : code.boxes) {
    auto dimensions = llvm::ArrayRef(box.dimensions);
    out << "// map: array p" << box.parameter << ' ' << shortName(box.type) << " offset ";
    print(box.offset, out);
    out << " extents ";
    llvm::interleaveComma(dimensions, out, [&](const auto &each) { print(each.extent, out); });
    out << " strides ";
    llvm::interleaveComma(dimensions.drop_front(), out,
                          [&](const auto &each) { print(each.stride, out); });
    out << " copied ";
    llvm::interleaveComma(dimensions, out, [&](const auto &each) {
      out << each.copied;
      if (each.step > 1)
        out << " by " << each.step;
    });
    out << " swizzle " << box.swizzleBytes << '\n';
  }
  if (code.loopsOverPrograms)
    out << "// blocks loop over programs" << (code.programsAreAlike ? " of one length" : "")
        << ": the grid's numbers before the maps\n";
  for (const runtime::MultipleCondition &condition : code.conditions)
    out << "// only if p" << condition.parameter.number << " is a multiple of " << condition.divisor
        << '\n';
  for (const runtime::MultipleCondition &wanted : code.wanted)
    out << "// better if p" << wanted.parameter.number << " is a multiple of " << wanted.divisor
        << '\n';
}

void describeMultiples(func::FuncOp kernel, runtime::CudaCode &code) {
  auto describe = [&](DenseI64ArrayAttr divisors,
                      std::vector<runtime::MultipleCondition> &conditions) {
    if (divisors)
      for (auto [argument, divisor] : llvm::zip(kernel.getArguments(), divisors.asArrayRef()))
        if (divisor > 1)
          conditions.push_back({parameterOf(argument), divisor});
  };
  describe(kernel->getAttrOfType<DenseI64ArrayAttr>(nv::wantedMultiplesAttr), code.wanted);
  describe(kernel->getAttrOfType<DenseI64ArrayAttr>(nv::assumedMultiplesAttr), code.conditions);
}

void describeBoxes(llvm::ArrayRef<Operation *> boxes, runtime::CudaCode &code) {
  AffineTiles tiles;
  for (Operation *op : boxes) {
    auto box = llvm::cast<nv::BoxOp>(op);
    runtime::ArrayBox description;
    unsigned bytes = tile::byteSizeOf(tile::pointeeOf(box.getBase().getType()));
    description.type = typeOfBytes(bytes);
    description.parameter = llvm::cast<BlockArgument>(box.getBase()).getArgNumber();
    description.offset = sumOf(box.getOffset(), tiles);
    for (auto [i, extent] : llvm::enumerate(box.getExtents())) {
      runtime::ParameterSum stride{{{1, {}}}};
      if (i > 0)
        stride = sumOf(box.getStrides()[i - 1], tiles);
      const auto step = static_cast<uint32_t>(i == 1 ? box.getStep() : 1);
      description.dimensions.push_back(
          {sumOf(extent, tiles), stride, static_cast<uint32_t>(box.getShape()[i]), step});
    }
    // Rows as long as the pattern: layout::widestImage.
    uint32_t rowBytes = static_cast<uint32_t>(box.getShape()[0]) * bytes;
    description.swizzleBytes = rowBytes < 32 ? 0 : rowBytes;
    code.boxes.push_back(std::move(description));
    for (auto [parameter, divisor] : llvm::zip(box.getMultiples(), box.getDivisors()))
      code.conditions.push_back({parameterOf(parameter), divisor});
  }
}

} // namespace nereid::backend::nvptx
