// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/Element.h"

#include "dialect/tile/Tile.h"

namespace nereid::interpret {

static ElementKind integerKind(unsigned width) {
  switch (width) {
  case 1:
    return ElementKind::I1;
  case 8:
    return ElementKind::I8;
  case 16:
    return ElementKind::I16;
  case 32:
    return ElementKind::I32;
  case 64:
    return ElementKind::I64;
  default:
    NEREID_UNREACHABLE("integer of " + std::to_string(width) + " bits");
  }
}

ElementKind kindOf(mlir::Type type) {
  mlir::Type element = tile::elementOf(type);
  if (llvm::isa<tile::PointerType>(element))
    return ElementKind::Pointer;
  if (element.isIndex())
    return ElementKind::I64;
  if (element.isF16())
    return ElementKind::F16;
  if (element.isBF16())
    return ElementKind::BF16;
  if (element.isF32())
    return ElementKind::F32;
  if (element.isF64())
    return ElementKind::F64;
  NEREID_CHECK(element.isInteger(), "an element type the interpreter does not know");
  return integerKind(element.getIntOrFloatBitWidth());
}

unsigned bytesOf(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
  case ElementKind::I8:
    return 1;
  case ElementKind::I16:
  case ElementKind::F16:
  case ElementKind::BF16:
    return 2;
  case ElementKind::I32:
  case ElementKind::F32:
    return 4;
  case ElementKind::I64:
  case ElementKind::F64:
  case ElementKind::Pointer:
    return 8;
  }
  NEREID_UNREACHABLE("element kind");
}

} // namespace nereid::interpret
