// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/SourcePlace.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>

namespace nereid::tile {

static mlir::FileLineColRange findPlace(mlir::Location location) {
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location))
    return findPlace(call.getCallee());
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (mlir::FileLineColRange place = findPlace(part))
        return place;
  return llvm::dyn_cast<mlir::FileLineColRange>(location);
}

llvm::StringRef fileOf(mlir::Location location) {
  mlir::FileLineColRange place = findPlace(location);
  return place ? place.getFilename().getValue() : llvm::StringRef();
}

std::string placeText(mlir::Location location) {
  mlir::FileLineColRange place = findPlace(location);
  return place ? llvm::formatv("{0}:{1}:{2}", place.getFilename().getValue(), place.getStartLine(),
                               place.getStartColumn())
                     .str()
               : std::string();
}

SourceRange rangeOf(mlir::Location location, const SourceFile *file) {
  mlir::FileLineColRange place = findPlace(location);
  bool isInFile = file && place && place.getFilename() == llvm::StringRef(file->name());
  if (!isInFile || !file->hasLine(place.getStartLine()))
    return {};
  std::string_view line = file->line(place.getStartLine());
  auto start = static_cast<uint32_t>(line.data() - file->text().data());
  auto at = [&](unsigned column) {
    return start + std::min<uint32_t>(column ? column - 1 : 0, static_cast<uint32_t>(line.size()));
  };
  uint32_t begin = at(place.getStartColumn());
  bool isOneLine = place.getEndLine() == place.getStartLine();
  uint32_t end = isOneLine ? at(place.getEndColumn()) : start + static_cast<uint32_t>(line.size());
  return {file, begin, std::max(begin, end)};
}

void throwAt(mlir::Location location, const SourceFile *file, Diagnostic diagnostic) {
  diagnostic.range = rangeOf(location, file);
  std::string place = placeText(location);
  if (!diagnostic.range.file && !place.empty())
    diagnostic.notes.push_back({{}, "at " + place});
  throw SourceError(std::move(diagnostic));
}

} // namespace nereid::tile
