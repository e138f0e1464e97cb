// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/TileExchanges.h"

#include "analyze/KernelCosts.h"
#include "backend/gpu/layouts/TileMoves.h"
#include "backend/nvptx/ptx/MatrixInstructions.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"
#include "layout/Draw.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::analyzer {
namespace {

using Exchange = Analysis::Exchange;

Analysis::Access::Layout layoutIn(llvm::ArrayRef<int64_t> shape,
                                  const layout::LinearLayout &layout) {
  return {shape.vec(), coordinatesOf(layout, layout::Register), coordinatesOf(layout, layout::Lane),
          coordinatesOf(layout, layout::Warp)};
}
Analysis::Access::Layout layoutOf(Type tile) {
  return layoutIn(tile::shapeOf(tile), nv::layoutOf(tile));
}

Analysis::Flow::Room roomOf(llvm::ArrayRef<int64_t> shape, const layout::LinearLayout &layout,
                            unsigned elementBytes) {
  Analysis::Flow::Room room;
  room.shape = shape.vec();
  room.offsets = coordinatesOf(layout, layout::Offset);
  room.elementBytes = elementBytes;
  room.bytes = uint64_t(elementBytes) << room.offsets.size();
  return room;
}

/// What --dump=layouts says, each line by itself.
std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (llvm::StringRef line : llvm::split(llvm::StringRef(text).rtrim(), '\n'))
    lines.push_back(line.trim().str());
  return lines;
}

class Collector {
public:
  Collector(const backend::nvptx::EmittedKernel &kernel, const LaunchCounts &counts)
      : counts(counts), function(kernel.function),
        matrices(backend::nvptx::matricesOf(kernel.target)) {}

  std::vector<Exchange> collect() {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case([&](nv::ConvertOp convert) { addConversion(convert); })
          .Case([&](nv::ReadOp read) {
            addAccess(op, "read", read.getType(), read.getSource().getType());
          })
          .Case([&](nv::WriteOp write) {
            addAccess(op, "write", write.getTile().getType(),
                      llvm::cast<nv::SharedType>(write.getTarget().getType()));
          })
          .Case([&](nv::SendOp send) { addSend(send); });
    });
    return std::move(exchanges);
  }

private:
  void addConversion(nv::ConvertOp op) {
    const unsigned bytes = tile::byteSizeOf(tile::elementOf(op.getType()));
    const layout::Conversion conversion = backend::gpu::conversionOf(op, matrices);
    if (std::holds_alternative<layout::NoConversion>(conversion.plan))
      return;
    Exchange exchange = begin(op, "convert", op.getType(), layout::describe(conversion, bytes));
    exchange.before = layoutOf(op.getSource().getType());
    exchange.after = layoutOf(op.getType());
    exchange.through = "registers";
    if (std::holds_alternative<layout::ShufflePlan>(conversion.plan))
      exchange.through = "shuffles";
    if (auto *plan = std::get_if<layout::SharedPlan>(&conversion.plan)) {
      exchange.through = "shared memory";
      exchange.room = roomOf(tile::shapeOf(op.getType()), plan->path.layout, bytes);
      exchange.room.what = exchange.what;
    }
    add(op, std::move(exchange));
  }

  void addAccess(Operation *op, const char *kind, Type tile, nv::SharedType room) {
    const bool isRead = llvm::isa<nv::ReadOp>(op);
    const unsigned bytes = tile::byteSizeOf(room.getElementType());
    const layout::SharedAccess access = isRead ? backend::gpu::readAccess(tile, room, matrices)
                                               : backend::gpu::writeAccess(tile, room, matrices);
    Exchange exchange = begin(op, kind, tile, layout::describe(access, bytes));
    (isRead ? exchange.after : exchange.before) = layoutOf(tile);
    exchange.through = "shared memory";
    exchange.room = roomOf(room.getShape(), room.getLayout(), bytes);
    exchange.room.what = exchange.what;
    add(op, std::move(exchange));
  }

  void addSend(nv::SendOp op) {
    Type tile = op.getTile().getType();
    const unsigned bytes = tile::byteSizeOf(tile::elementOf(tile));
    Exchange exchange = begin(
        op, "send", tile, layout::describe(backend::gpu::sendAccess(op, matrices).access, bytes));
    exchange.before = layoutOf(tile);
    exchange.through = "shared memory";
    exchange.room = roomOf(tile::shapeOf(tile), backend::gpu::sentLayout(op), bytes);
    exchange.room.what = exchange.what;
    add(op, std::move(exchange));
  }

  Exchange begin(Operation *op, const char *kind, Type tile, const std::string &cost) const {
    Exchange exchange;
    exchange.place = placeOf(op);
    exchange.kind = kind;
    exchange.what = tileText(tile);
    exchange.cost = linesOf(cost);
    return exchange;
  }

  /// Passes copy operations: what stands at one place and is alike is one entry.
  void add(Operation *op, Exchange exchange) {
    if (auto found = counts.blocks.find(op->getBlock()); found != counts.blocks.end())
      exchange.times = found->second / double(counts.programs);
    exchange.room.place = exchange.place;
    for (Exchange &other : exchanges)
      if (other.place.file == exchange.place.file && other.place.line == exchange.place.line &&
          other.kind == exchange.kind && other.what == exchange.what &&
          other.before == exchange.before && other.after == exchange.after &&
          other.room.offsets == exchange.room.offsets) {
        other.times += exchange.times;
        return;
      }
    exchanges.push_back(std::move(exchange));
  }

  const LaunchCounts &counts;
  func::FuncOp function;
  layout::MatrixInstructions matrices;
  std::vector<Exchange> exchanges;
};

} // namespace

std::string tileText(Type type) {
  if (!tile::isTile(type))
    return {};
  std::string text;
  for (int64_t size : tile::shapeOf(type))
    text += (text.empty() ? "" : "x") + std::to_string(size);
  Type element = tile::elementOf(type);
  if (element.isIntOrFloat()) {
    llvm::raw_string_ostream out(text);
    out << ' ' << element;
  }
  return text;
}

std::vector<std::vector<int64_t>> coordinatesOf(const layout::LinearLayout &layout,
                                                std::string_view input) {
  std::vector<std::vector<int64_t>> list;
  for (layout::Vector basis : layout.bases(input)) {
    layout::Coordinates at = layout::unpack(layout.outputs(), basis);
    list.emplace_back(at.begin(), at.end());
  }
  return list;
}

Analysis::Access::Layout layoutOfAccess(Operation *op) {
  if (op->getNumOperands() == 0)
    return {};
  auto type = llvm::dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  const layout::LinearLayout *layout = type ? nv::findLayout(type) : nullptr;
  if (!layout || !tile::pointeeOf(type))
    return {};
  return layoutIn(type.getShape(), *layout);
}

std::vector<Exchange> exchangesOf(const backend::nvptx::EmittedKernel &kernel,
                                  const LaunchCounts &counts) {
  return Collector(kernel, counts).collect();
}

} // namespace nereid::analyzer
