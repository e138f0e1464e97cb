// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/PrintSites.h"

using namespace mlir;

namespace nereid::backend {

static constexpr llvm::StringLiteral failureMark = "failure";

void markAsFailure(tile::PrintOp print, llvm::StringRef message) {
  print->setAttr(failureMark, StringAttr::get(print.getContext(), message));
}

llvm::StringRef failureOf(tile::PrintOp print) {
  return print->getAttrOfType<StringAttr>(failureMark).getValue();
}

runtime::PrintSite printSiteOf(tile::PrintOp print) {
  runtime::PrintSite site;
  site.isFailure = print->hasAttr(failureMark);
  site.format.style = static_cast<PrintStyle>(print.getStyle());
  site.format.isHex = print.getHex();
  for (Attribute text : print.getTexts())
    site.format.texts.push_back(llvm::cast<StringAttr>(text).getValue().str());
  for (auto [i, value] : llvm::enumerate(print.getValues())) {
    Type element = tile::elementOf(value.getType());
    DType dtype = tile::dtypeOf(element, print.getIsSigned()[i]).value_or(DType::UInt64);
    site.operands.push_back({dtype, llvm::isa<tile::PointerType>(element),
                             tile::shapeOf(value.getType()).vec(), nullptr});
  }
  return site;
}

} // namespace nereid::backend
