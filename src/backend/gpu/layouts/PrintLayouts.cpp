// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/gpu/layouts/PrintLayouts.h"

#include "analysis/BitWeights.h"
#include "analysis/Strides.h"
#include "backend/gpu/layouts/AccessWidth.h"
#include "backend/gpu/layouts/TileMoves.h"
#include "dialect/nv/Nv.h"
#include "layout/Draw.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::backend::gpu {
namespace {

/// The distance of rows of which only the run knows how far apart they are: no two share a sector.
constexpr int64_t far = 1 << 20;

class LayoutPrinter {
public:
  LayoutPrinter(func::FuncOp function, layout::MatrixInstructions matrices, unsigned sparedStores,
                llvm::raw_ostream &out)
      : function(function), matrices(matrices), sparedStores(sparedStores), axes(function),
        out(out) {}

  void print() {
    out << "\n// Accesses of " << function.getSymName() << "\n";
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { printAccess(op); });
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value value : op->getResults())
        addLayout(value.getType());
    });
    for (auto &[text, drawn] : tiles)
      comment(llvm::join(drawn.types, ", ") + "\n" + drawn.picture);
  }

private:
  /// One layout, with the tiles that have it.
  struct Drawn {
    llvm::SmallVector<std::string, 4> types;
    std::string picture;
  };

  void comment(const std::string &text) {
    out << "//\n";
    for (llvm::StringRef line : llvm::split(llvm::StringRef(text).rtrim(), '\n'))
      out << (line.empty() ? "//" : "// ") << line << "\n";
  }

  /// "64x32xf16"
  static std::string nameOf(Type tile, llvm::ArrayRef<int64_t> shape, Type element) {
    std::string name;
    llvm::raw_string_ostream text(name);
    llvm::interleave(shape, text, "x");
    text << 'x' << element;
    return name;
  }

  void addLayout(Type type) {
    auto add = [&](const layout::LinearLayout &layout, const std::string &name, auto draw) {
      Drawn &drawn = tiles[layout::toString(layout)];
      if (drawn.picture.empty())
        drawn.picture = draw();
      if (!llvm::is_contained(drawn.types, name))
        drawn.types.push_back(name);
    };
    if (auto room = llvm::dyn_cast<nv::SharedType>(type)) {
      unsigned bytes = tile::byteSizeOf(room.getElementType());
      add(room.getLayout(), nameOf(type, room.getShape(), room.getElementType()),
          [&] { return layout::drawShared(room.getLayout(), bytes); });
    } else if (const layout::LinearLayout *layout = nv::findLayout(type)) {
      auto tensor = llvm::cast<RankedTensorType>(type);
      add(*layout, nameOf(type, tensor.getShape(), tensor.getElementType()),
          [&] { return layout::drawTile(*layout); });
    }
  }

  void say(Operation *op, llvm::StringRef what, const std::string &cost) {
    out << "//   ";
    if (auto place = op->getLoc()->findInstanceOf<FileLineColRange>())
      out << "line " << place.getStartLine() << ": ";
    out << what << ": ";
    llvm::interleave(llvm::split(llvm::StringRef(cost).rtrim(), '\n'), out, "\n//   ");
    out << "\n";
  }

  void printAccess(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tile::LoadOp load) { sayGlobal(op, "load", load.getPointer(), load.getMask()); })
        .Case([&](tile::StoreOp store) {
          sayGlobal(op, "store", store.getPointer(), store.getMask());
        })
        .Case([&](nv::CopyOp copy) {
          sayGlobal(op, "copy to shared memory", copy.getPointer(), copy.maskOfRuns());
        })
        .Case([&](nv::ReadOp read) {
          const nv::SharedType room = read.getSource().getType();
          sayShared(op, "read", room, readAccess(read.getType(), room, matrices));
        })
        .Case([&](nv::WriteOp write) {
          auto room = llvm::cast<nv::SharedType>(write.getTarget().getType());
          sayShared(op, "write", room, writeAccess(write.getTile().getType(), room, matrices));
        })
        .Case([&](nv::SendOp send) {
          sayShared(op, "write to send", llvm::cast<nv::SharedType>(send.getRoom().getType()),
                    sendAccess(send, matrices).access);
        })
        .Case([&](nv::ConvertOp convert) { sayConversion(convert); });
  }

  void sayGlobal(Operation *op, const std::string &what, Value pointer, Value mask) {
    if (!tile::isTile(pointer.getType()))
      return say(op, what, "one element, by every thread that needs it");
    unsigned bytes = tile::byteSizeOf(tile::elementOf(tile::pointeeOf(pointer.getType())));
    const layout::LinearLayout &layout = nv::layoutOf(pointer);
    layout::GlobalTile tile{{}, bytes, registersTogether(axes, pointer, mask)};
    if (llvm::isa<tile::StoreOp>(op))
      if (std::optional<WideRun> run = wholeRuns(axes, pointer, mask, sparedStores))
        tile.contiguity = run->registers;
    bool isUnknown = false;
    for (unsigned dim = 0; dim < layout::shapeOf(layout).size(); ++dim) {
      std::optional<int64_t> stride = strideOf(pointer, dim);
      isUnknown |= !stride;
      tile.strides.push_back(stride.value_or(far * (dim + 1)));
    }
    auto weights = isUnknown && tile.contiguity == 1 ? analysis::bitWeights(pointer) : std::nullopt;
    if (weights && weights->size() == layout.outputBits()) {
      tile.weights.assign(weights->begin(), weights->end());
      isUnknown = llvm::any_of(
          *weights, [](int64_t weight) { return std::abs(weight) >= analysis::farWeight; });
    }
    layout::GlobalAccess access = layout::globalAccess(layout, tile);
    std::string cost = layout::describe(access, layout::countSectors(layout, tile, access), bytes);
    if (isUnknown)
      cost += " (strides that only the launch knows count as large)";
    say(op, what, cost);
  }

  /// In elements, if it is known well enough to count sectors.
  std::optional<int64_t> strideOf(Value pointer, unsigned dim) const {
    auto type = llvm::cast<RankedTensorType>(pointer.getType());
    const analysis::Axis axis = axes.of(pointer).axes[dim];
    if (type.getDimSize(dim) == 1 || axis.constancy >= type.getDimSize(dim))
      return 0;
    if (axis.contiguity > 1)
      return 1;
    return analysis::strideAlong(pointer, dim);
  }

  void sayShared(Operation *op, const std::string &what, nv::SharedType room,
                 const layout::SharedAccess &access) {
    say(op, what + " of shared memory",
        layout::describe(access, tile::byteSizeOf(room.getElementType())));
  }

  void sayConversion(nv::ConvertOp op) {
    unsigned bytes = tile::byteSizeOf(tile::elementOf(op.getType()));
    say(op, "a tile of " + llvm::utostr(bytes) + "-byte elements to other threads",
        layout::describe(conversionOf(op, matrices), bytes));
  }

  func::FuncOp function;
  layout::MatrixInstructions matrices;
  unsigned sparedStores;
  analysis::AxisAnalysis axes;
  llvm::raw_ostream &out;
  llvm::MapVector<std::string, Drawn, std::map<std::string, unsigned>> tiles;
};

} // namespace

void printLayouts(func::FuncOp function, layout::MatrixInstructions matrices, unsigned sparedStores,
                  llvm::raw_ostream &out) {
  LayoutPrinter(function, matrices, sparedStores, out).print();
}

} // namespace nereid::backend::gpu
