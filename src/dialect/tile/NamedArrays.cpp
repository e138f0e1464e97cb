// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/NamedArrays.h"

#include "llvm/ADT/STLExtras.h"

namespace nereid::tile {

static constexpr llvm::StringLiteral namedArraysAttr = "tile.named_arrays";
static constexpr size_t parts = 3; // of each, one behind the other

void addNamedArray(mlir::func::FuncOp kernel, const NamedArray &array) {
  std::vector<int64_t> all;
  for (const NamedArray &known : namedArraysOf(kernel)) {
    if (known.address == array.address && known.bytes == array.bytes)
      return;
    all.insert(all.end(), {known.address, known.bytes, known.elementBytes});
  }
  all.insert(all.end(), {array.address, array.bytes, array.elementBytes});
  kernel->setAttr(namedArraysAttr, mlir::DenseI64ArrayAttr::get(kernel.getContext(), all));
}

std::vector<NamedArray> namedArraysOf(mlir::func::FuncOp kernel) {
  std::vector<NamedArray> arrays;
  auto all = kernel->getAttrOfType<mlir::DenseI64ArrayAttr>(namedArraysAttr);
  for (size_t i = 0; all && i + parts <= all.asArrayRef().size(); i += parts)
    arrays.push_back({all[static_cast<int64_t>(i)], all[static_cast<int64_t>(i + 1)],
                      all[static_cast<int64_t>(i + 2)]});
  return arrays;
}

} // namespace nereid::tile
