// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/llvm/PrintSites.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace nereid::backend {

static constexpr llvm::StringLiteral failureMark = "isFailure";

void markAsFailure(tile::PrintOp print) {
  print->setAttr(failureMark, UnitAttr::get(print.getContext()));
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

std::string failureText(tile::AssertOp check) {
  std::string text;
  if (auto place = check.getLoc()->findInstanceOf<FileLineColRange>())
    text = llvm::formatv("{0}:{1}:{2}: ", place.getFilename().getValue(), place.getStartLine(),
                         place.getStartColumn());
  text += "assertion failed";
  return check.getMessage().empty() ? text : text + ": " + check.getMessage().str();
}

runtime::PrintSite failureSiteOf(tile::AssertOp check) {
  runtime::PrintSite site;
  site.isFailure = true;
  site.format.style = PrintStyle::Inline;
  site.format.texts.push_back(failureText(check));
  return site;
}

} // namespace nereid::backend
