// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/tile/Remark.h"

#include "dialect/tile/SourcePlace.h"
#include "support/Check.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nereid::tile {
namespace {

constexpr llvm::StringLiteral category = "nereid";
/// The arguments of a remark to MLIR: what it says, and which operation it is about.
constexpr llvm::StringLiteral textKey = "Remark", operationKey = "Operation";

/// The innermost place, and those of the calls that led there.
void addPlaces(Location location, llvm::SmallVectorImpl<FileLineColRange> &places) {
  if (auto call = llvm::dyn_cast<CallSiteLoc>(location)) {
    addPlaces(call.getCallee(), places);
    addPlaces(call.getCaller(), places);
  } else if (auto fused = llvm::dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      addPlaces(part, places);
  } else if (auto name = llvm::dyn_cast<NameLoc>(location)) {
    addPlaces(name.getChildLoc(), places);
  } else if (auto place = llvm::dyn_cast<FileLineColRange>(location)) {
    places.push_back(place);
  }
}

class Collector final : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  Collector(const SourceFile *source, RemarkList &list) : source(source), list(list) {}

  void streamOptimizationRemark(const mlir::remark::detail::Remark &given) override {
    llvm::StringRef text, operation;
    for (const auto &argument : given.getArgs())
      (argument.key == textKey ? text : operation) = argument.val;
    const auto *id = llvm::find_if(
        ids, [&](RemarkId id) { return nameOf(id) == std::string_view(given.getRemarkName()); });
    NEREID_CHECK(id != std::end(ids), "a remark that is in no table");
    if (said.insert(std::string(nameOf(*id)) + operation.str()).second)
      add(*id, given.getLocation(), text.str());
  }

private:
  void add(RemarkId id, Location location, const std::string &text) {
    llvm::SmallVector<FileLineColRange> places;
    addPlaces(location, places);
    CompilerRemark remark{id, {}, {}, 0, 0, text};
    if (!places.empty()) {
      FileLineColRange place = ownPlace(places);
      remark.range = rangeOf(place, source);
      remark.file = place.getFilename().getValue().str();
      remark.line = place.getStartLine();
      remark.column = place.getStartColumn();
    }
    list.add(std::move(remark));
  }

  /// The first in the kernel's own file, which is what its author can change; else the innermost.
  FileLineColRange ownPlace(llvm::ArrayRef<FileLineColRange> places) {
    for (FileLineColRange place : places)
      if (source && place.getFilename().getValue() == source->name())
        return place;
    return places.front();
  }

  static constexpr RemarkId ids[] = {
#define REMARK(id, backEnd, text, accepted) RemarkId::id,
#include "support/remarks.def"
  };

  const SourceFile *source;
  RemarkList &list;
  llvm::StringSet<> said; // of which operation what
};

} // namespace

void collectRemarks(MLIRContext &context, const SourceFile *source, RemarkList &list) {
  mlir::remark::RemarkCategories categories;
  categories.missed = category.str();
  LogicalResult isSet = mlir::remark::enableOptimizationRemarks(
      context, std::make_unique<Collector>(source, list),
      std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), categories);
  NEREID_CHECK(mlir::succeeded(isSet), "the context takes no remarks");
}

static constexpr llvm::StringLiteral silentAttr = "tile.silent";

bool wantsRemarks(Operation *op) {
  if (!wantsRemarks(op->getContext()))
    return false;
  auto module = op->getParentOfType<ModuleOp>();
  return !module || !module->hasAttr(silentAttr);
}

void silenceRemarks(ModuleOp module, bool isSilent) {
  if (isSilent)
    module->setAttr(silentAttr, UnitAttr::get(module.getContext()));
  else
    module->removeAttr(silentAttr);
}

void giveRemark(Operation *op, RemarkId id, const std::string &text) {
  using Argument = mlir::remark::detail::Remark::Arg;
  auto options = mlir::remark::RemarkOpts::name(nameOf(id)).category(category);
  mlir::remark::missed(op->getLoc(), options)
      << Argument(textKey, text)
      << Argument(operationKey, llvm::utohexstr(reinterpret_cast<uintptr_t>(op)));
}

} // namespace nereid::tile
