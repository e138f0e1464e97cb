// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/operations/Element.h"

#include "dialect/tile/Tile.h"

namespace nereid::interpret {

ElementKind kindOf(mlir::Type type) {
  mlir::Type element = tile::elementOf(type);
  if (llvm::isa<tile::PointerType>(element))
    return ElementKind::Pointer;
  std::optional<DType> dtype = tile::dtypeOf(element);
  NEREID_CHECK(dtype, "an element type the interpreter does not know");
  return static_cast<ElementKind>(*dtype);
}

unsigned bytesOf(ElementKind kind) {
  return kind == ElementKind::Pointer ? 8 : byteSize(static_cast<DType>(kind));
}

} // namespace nereid::interpret
