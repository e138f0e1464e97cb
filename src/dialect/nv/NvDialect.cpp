// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/nv/Nv.h"

#include "layout/Blocked.h"
#include "layout/Fragment.h"
#include "layout/OperandImage.h"
#include "support/Check.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
#include "dialect/nv/NvEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/nv/NvAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/nv/NvTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/nv/NvOps.cpp.inc"

void NvDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/nv/NvAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/nv/NvTypes.cpp.inc"
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

void SharedType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType() << ", \"" << layout::toString(getLayout()) << "\">";
}

Type SharedType::parse(AsmParser &parser) {
  llvm::SmallVector<int64_t> shape;
  Type element;
  std::string text, error;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma())
    return {};
  auto place = parser.getCurrentLocation();
  if (parser.parseString(&text) || parser.parseGreater())
    return {};
  std::optional<layout::LinearLayout> layout = layout::parseLayout(text, error);
  if (!layout)
    return parser.emitError(place) << error, Type();
  auto complain = [&] { return parser.emitError(place); };
  return SharedType::getChecked(complain, parser.getContext(), shape, element, *layout);
}

uint64_t SharedType::getBytes() {
  return tile::byteSizeOf(getElementType()) << getLayout().outputBits();
}

uint64_t SharedType::getSlotBytes() {
  return llvm::alignTo(getBytes(), getShape().size() == 1 ? rowAlignment : roomAlignment);
}

namespace nereid::nv {

LogicalResult NvDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  struct Row {
    llvm::StringRef name, meaning;
    bool isOfOperation, isOfKind;
  } rows[] = {
#define NV_ATTRIBUTE(name, text, Where, Attribute, meaning)                                        \
  {name, meaning, llvm::isa<Where>(op), llvm::isa<Attribute>(attribute.getValue())},
#include "dialect/nv/attributes.def"
  };
  const Row *row =
      llvm::find_if(rows, [&](const Row &each) { return each.name == attribute.getName(); });
  if (row == std::end(rows))
    return op->emitError("there is no attribute ") << attribute.getName();
  if (!row->isOfOperation)
    return op->emitError() << row->name << " (" << row->meaning << ") is no attribute of "
                           << op->getName();
  if (!row->isOfKind)
    return op->emitError() << row->name << " is an attribute of another kind";
  return success();
}

LogicalResult ConfigurationAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                        llvm::StringRef, unsigned warps, unsigned, unsigned, bool,
                                        DictionaryAttr) {
  if (!std::has_single_bit(warps) || warps > 32)
    return emitError() << warps << " warps are no power of two up to 32";
  return success();
}

tile::Access CopyOp::getAccess() {
  return {.pointer = getPointer(), .mask = getMask(), .reads = true};
}

template <typename Operation> static layout::WarpGrid gridOf(Operation op) {
  return {unsigned(op.getGrid()[0]), unsigned(op.getGrid()[1])};
}

void ViewOp::build(OpBuilder &, OperationState &state, Value source, ArrayRef<int32_t> order) {
  auto from = llvm::cast<SharedType>(source.getType());
  llvm::SmallVector<int64_t> shape;
  for (int32_t dimension : order)
    shape.push_back(from.getShape()[dimension]);
  std::vector<unsigned> permutation(order.begin(), order.end());
  Type type = SharedType::get(source.getContext(), shape, from.getElementType(),
                              layout::transposed(from.getLayout(), permutation));
  state.addOperands(source);
  state.getOrAddProperties<Properties>().order = DenseI32ArrayAttr::get(source.getContext(), order);
  state.addTypes(type);
}

tile::Access SendOp::getAccess() {
  return {.pointer = getBox().getDefiningOp<BoxOp>().getBase(), .reads = getAdds(), .writes = true};
}

unsigned SendOp::partCount() {
  llvm::ArrayRef<int64_t> part = llvm::cast<SharedType>(getRoom().getType()).getShape();
  return tile::elementCount(getTile().getType()) / (part[0] * part[1]);
}

layout::LinearLayout SendOp::tileLayout() {
  if (std::optional<LayoutAttr> lies = getLies())
    return lies->getLayout();
  return sumsLayout(Turned::None, getTile().getType(), getColumns(), gridOf(*this));
}

layout::LinearLayout sumsLayout(Turned turned, Type sums, unsigned columns, layout::WarpGrid grid) {
  const layout::Shape shape = paddedShape(sums);
  switch (turned) {
  case Turned::None:
    return layout::wgmmaAccumulatorLayout(shape, columns, grid);
  case Turned::Left:
    return layout::wgmmaTurnedLayout(shape, columns, grid);
  case Turned::Right:
    return layout::transposed(
        layout::wgmmaTurnedLayout({shape[1], shape[0]}, columns, {grid.n, grid.m}), {1, 0});
  }
  llvm_unreachable("no such factor");
}

/// Whether the right factor has its even columns first.
static bool hasEvenColumnsFirst(SharedType rhs) {
  auto image = layout::findImage(rhs.getLayout(), tile::byteSizeOf(rhs.getElementType()));
  return image && image->rows == layout::RowOrder::EvenFirst && image->contiguous == 0;
}

layout::LinearLayout MultiplyOp::resultLayout() {
  const layout::LinearLayout plain =
      sumsLayout(getTurned(), getType(), getColumns(), gridOf(*this));
  const bool isEvenFirst = hasEvenColumnsFirst(llvm::cast<SharedType>(getRhs().getType()));
  return isEvenFirst ? layout::withEvenColumnsFirst(plain) : plain;
}

layout::LinearLayout MultiplyOp::lhsLayout() {
  unsigned bits = tile::elementOf(getLhs().getType()).getIntOrFloatBitWidth();
  return layout::wgmmaOperandALayout(paddedShape(getLhs().getType()), bits, gridOf(*this));
}

layout::LinearLayout MultiplyAddOp::resultLayout() {
  return layout::outerProductLayout(paddedShape(getType()), getWarps());
}

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

uint64_t registersOf(Type type) {
  constexpr uint64_t wordBytes = 4;
  uint64_t bytes = tile::byteSizeOf(tile::elementOf(type));
  if (tile::isTile(type))
    bytes <<= layoutOf(type).bases(layout::Register).size();
  return llvm::divideCeil(bytes, wordBytes);
}

RankedTensorType withLayout(Type tile, const layout::LinearLayout &layout) {
  return RankedTensorType::get(tile::shapeOf(tile), tile::elementOf(tile),
                               LayoutAttr::get(tile.getContext(), layout));
}

} // namespace nereid::nv
