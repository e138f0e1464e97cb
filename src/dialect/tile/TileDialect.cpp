// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nereid::tile;

#include "dialect/tile/TileInterfaces.cpp.inc"

#include "dialect/tile/TileDialect.cpp.inc"
#include "dialect/tile/TileEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/tile/TileTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/tile/TileAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tile/TileOps.cpp.inc"

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/tile/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/tile/TileAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/TileOps.cpp.inc"
      >();
}

/// Makes what a fold computed an operation again.
Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

namespace nereid::tile {

llvm::ArrayRef<int64_t> shapeOf(Type type) {
  auto tile = llvm::dyn_cast<RankedTensorType>(type);
  return tile ? tile.getShape() : llvm::ArrayRef<int64_t>();
}

Type elementOf(Type type) {
  auto tile = llvm::dyn_cast<RankedTensorType>(type);
  return tile ? tile.getElementType() : type;
}

Type tileOf(llvm::ArrayRef<int64_t> shape, Type element) {
  return shape.empty() ? element : RankedTensorType::get(shape, element);
}

Type withElement(Type type, Type element) {
  auto tile = llvm::dyn_cast<RankedTensorType>(type);
  return tile ? tile.clone(element) : element;
}

bool isTileOf(Type type, llvm::ArrayRef<int64_t> shape, Type element) {
  return shapeOf(type) == shape && elementOf(type) == element && isTile(type) == !shape.empty();
}

Type maskOf(Type type) { return withElement(type, IntegerType::get(type.getContext(), 1)); }

Type pointeeOf(Type type) {
  auto pointer = llvm::dyn_cast<PointerType>(elementOf(type));
  return pointer ? withElement(type, pointer.getPointee()) : Type();
}

int64_t elementCount(Type type) {
  auto tile = llvm::dyn_cast<RankedTensorType>(type);
  return tile ? tile.getNumElements() : 1;
}

unsigned byteSizeOf(Type scalar) {
  if (llvm::isa<PointerType>(scalar))
    return 8;
  return (scalar.getIntOrFloatBitWidth() + 7) / 8;
}

} // namespace nereid::tile
