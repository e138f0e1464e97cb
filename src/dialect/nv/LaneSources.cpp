// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/nv/LaneSources.h"

#include "support/Check.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::nv {

using layout::LinearLayout;
using layout::Vector;

/// Padding puts other elements between those of a reshaped tile, unless it changes dimensions of
/// size 1 only.
static bool isPlainReshape(Operation *op) {
  auto reshape = llvm::dyn_cast<tile::ReshapeOp>(op);
  return reshape && tile::isTile(reshape.getType()) &&
         tile::isTile(reshape.getSource().getType()) && !hasGhosts(reshape.getType()) &&
         !hasGhosts(reshape.getSource().getType());
}

bool hasSourceElements(Operation *op) { return tile::isLanewise(op) || isPlainReshape(op); }

Vector sourceElement(OpOperand &operand, Vector element) {
  Operation *op = operand.getOwner();
  if (isPlainReshape(op))
    return element;
  layout::Spaces from = layout::tileSpaces(paddedShape(operand.get().getType()));
  layout::Coordinates at =
      layout::unpack(layout::tileSpaces(paddedShape(op->getResult(0).getType())), element);
  layout::Coordinates source;
  for (int dim : tile::laneMapOf(operand))
    source.push_back(dim == tile::none ? 0 : at[dim]);
  return layout::pack(from, source);
}

LinearLayout sourceLayout(OpOperand &operand, const LinearLayout &result) {
  if (tile::isLaneForLane(operand))
    return result;
  if (llvm::isa<tile::SplitOp>(operand.getOwner()))
    return layout::joined(result);
  auto mapped = [&](const char *space) {
    std::vector<Vector> bases;
    for (Vector basis : result.bases(space))
      bases.push_back(sourceElement(operand, basis));
    return bases;
  };
  return layout::distinctRegisters(layout::distributed(paddedShape(operand.get().getType()),
                                                       mapped(layout::Register),
                                                       mapped(layout::Lane), mapped(layout::Warp)))
      .layout;
}

llvm::DenseMap<Vector, unsigned> registersByElement(const LinearLayout &layout) {
  llvm::DenseMap<Vector, unsigned> registers;
  unsigned count = 1u << layout.bases(layout::Register).size();
  for (unsigned r = 0; r < count; ++r)
    registers.try_emplace(layout(r), r);
  return registers;
}

llvm::SmallVector<unsigned> sourceRegisters(OpOperand &operand, const LinearLayout &result) {
  unsigned count = 1u << result.bases(layout::Register).size();
  llvm::SmallVector<unsigned> sources(count);
  const LinearLayout &layout = layoutOf(operand.get());
  if (layout == result && tile::isLaneForLane(operand)) {
    std::iota(sources.begin(), sources.end(), 0);
    return sources;
  }
  llvm::DenseMap<Vector, unsigned> registers = registersByElement(layout);
  for (unsigned r = 0; r < count; ++r) {
    auto found = registers.find(sourceElement(operand, result(r)));
    NEREID_CHECK(found != registers.end(), "an operand's element lies with another thread");
    sources[r] = found->second;
  }
  return sources;
}

std::optional<LinearLayout> resultLayout(Operation *op, const LinearLayout &operand) {
  return llvm::TypeSwitch<Operation *, std::optional<LinearLayout>>(op)
      .Case([&](tile::ExpandDimsOp expand) { return layout::expanded(operand, expand.getAxis()); })
      .Case([&](tile::BroadcastOp broadcast) {
        LinearLayout result = operand;
        layout::Shape from = layout::shapeOf(operand), to = paddedShape(broadcast.getType());
        for (auto [dim, sizes] : llvm::enumerate(llvm::zip(from, to)))
          if (auto [narrow, wide] = sizes; narrow != wide)
            result = layout::broadcast(result, dim, wide);
        return result;
      })
      .Case([&](tile::PermuteOp permute) {
        std::vector<unsigned> order(permute.getOrder().begin(), permute.getOrder().end());
        return layout::transposed(operand, order);
      })
      .Case([&](tile::ReshapeOp reshape) -> std::optional<LinearLayout> {
        if (!hasSourceElements(reshape))
          return std::nullopt;
        return layout::reshaped(operand, paddedShape(reshape.getType()));
      })
      .Case([&](tile::HintOp) { return operand; })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace nereid::nv
