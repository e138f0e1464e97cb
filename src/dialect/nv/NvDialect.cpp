// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/nv/Nv.h"

#include "support/Check.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/TypeSwitch.h"

#include <bit>

namespace nereid::layout {
/// What MLIR asks of an attribute's parameter.
static llvm::hash_code hash_value(const LinearLayout &layout) {
  auto bases = layout.bases();
  return llvm::hash_combine(layout.inputBits(), layout.outputBits(),
                            llvm::hash_combine_range(bases.begin(), bases.end()));
}
} // namespace nereid::layout

using namespace mlir;
using namespace nereid::nv;

#include "dialect/nv/NvDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/nv/NvAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/nv/NvOps.cpp.inc"

void NvDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/nv/NvAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/nv/NvOps.cpp.inc"
      >();
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << layout::toString(getLayout()) << "\">";
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  std::string text, error;
  auto place = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&text) || parser.parseGreater())
    return {};
  std::optional<layout::LinearLayout> layout = layout::parseLayout(text, error);
  if (!layout)
    return parser.emitError(place) << error, Attribute();
  return LayoutAttr::get(parser.getContext(), *layout);
}

namespace nereid::nv {

bool ConvertOp::movesLanes() { return true; }

layout::Shape paddedShape(Type tile) {
  layout::Shape shape;
  for (int64_t size : tile::shapeOf(tile))
    shape.push_back(std::bit_ceil(static_cast<uint64_t>(size)));
  return shape;
}

bool hasGhosts(Type tile) {
  return llvm::any_of(tile::shapeOf(tile), [](int64_t size) {
    return !std::has_single_bit(static_cast<uint64_t>(size));
  });
}

const layout::LinearLayout *findLayout(Type tile) {
  auto ranked = llvm::dyn_cast<RankedTensorType>(tile);
  auto attribute = ranked ? llvm::dyn_cast_if_present<LayoutAttr>(ranked.getEncoding()) : nullptr;
  return attribute ? &attribute.getLayout() : nullptr;
}

const layout::LinearLayout &layoutOf(Type tile) {
  const layout::LinearLayout *layout = findLayout(tile);
  NEREID_CHECK(layout, "a tile has no layout");
  return *layout;
}

RankedTensorType withLayout(Type tile, const layout::LinearLayout &layout) {
  return RankedTensorType::get(tile::shapeOf(tile), tile::elementOf(tile),
                               LayoutAttr::get(tile.getContext(), layout));
}

} // namespace nereid::nv
