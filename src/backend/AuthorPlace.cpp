// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/AuthorPlace.h"

#include "library/Library.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nereid::backend {
namespace {

bool isOfLibrary(llvm::StringRef file) {
  return llvm::any_of(library::sources(), [&](const library::SourceText &text) {
    return file == llvm::StringRef(text.path);
  });
}

/// Calls `see` with the places of which it is made: of what our library does, where it is called.
void forEachPlace(Location location, llvm::function_ref<void(FileLineColLoc)> see) {
  if (auto call = llvm::dyn_cast<CallSiteLoc>(location)) {
    bool isSeen = false;
    forEachPlace(call.getCallee(), [&](FileLineColLoc place) {
      if (isOfLibrary(place.getFilename()))
        return;
      isSeen = true;
      see(place);
    });
    if (!isSeen)
      forEachPlace(call.getCaller(), see);
  } else if (auto fused = llvm::dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      forEachPlace(part, see);
  } else if (auto name = llvm::dyn_cast<NameLoc>(location)) {
    forEachPlace(name.getChildLoc(), see);
  } else if (auto place = llvm::dyn_cast<FileLineColLoc>(LocationAttr(location))) {
    see(place);
  }
}

} // namespace

runtime::CodePlace authorPlaceOf(Location location) {
  runtime::CodePlace found;
  forEachPlace(location, [&](FileLineColLoc place) {
    std::string file = place.getFilename().str();
    unsigned at = place.getLine();
    if (found.line && file != found.file)
      return;
    if (!found.line || at < found.line)
      found.column = place.getColumn();
    found.lastLine = std::max(found.lastLine, at);
    found.line = found.line ? std::min(found.line, at) : at;
    found.file = std::move(file);
  });
  return found;
}

} // namespace nereid::backend
