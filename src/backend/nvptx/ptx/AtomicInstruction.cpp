// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/ptx/AtomicInstruction.h"

#include "backend/llvm/AtomicLoads.h"
#include "dialect/tile/Tile.h"

using namespace mlir;

namespace nereid::backend::nvptx {

static std::optional<std::string> ofKind(tile::AtomicKind kind, Type element,
                                         const target::NvidiaTarget &target) {
  unsigned width = tile::byteSizeOf(element) * 8;
  std::string bits = std::to_string(width);
  if (kind == tile::AtomicKind::FAdd) {
    if (element.isBF16() && target.version() < 90)
      return std::nullopt;
    if (width == 16)
      return element.isBF16() ? "add.noftz.bf16" : "add.noftz.f16";
    return "add.f" + bits;
  }
  if (width < 32)
    return std::nullopt;
  switch (kind) {
  case tile::AtomicKind::Add:
    return "add.u" + bits;
  case tile::AtomicKind::FAdd:
    break;
  case tile::AtomicKind::SignedMax:
    return "max.s" + bits;
  case tile::AtomicKind::SignedMin:
    return "min.s" + bits;
  case tile::AtomicKind::UnsignedMax:
    return "max.u" + bits;
  case tile::AtomicKind::UnsignedMin:
    return "min.u" + bits;
  case tile::AtomicKind::And:
    return "and.b" + bits;
  case tile::AtomicKind::Or:
    return "or.b" + bits;
  case tile::AtomicKind::Xor:
    return "xor.b" + bits;
  case tile::AtomicKind::Exchange:
    return "exch.b" + bits;
  case tile::AtomicKind::CountUp:
    return width == 32 ? std::optional<std::string>("inc.u32") : std::nullopt;
  case tile::AtomicKind::CountDown:
    return width == 32 ? std::optional<std::string>("dec.u32") : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> atomicInstruction(Operation *op, const target::NvidiaTarget &target) {
  auto rmw = llvm::dyn_cast<tile::AtomicRmwOp>(op);
  if (rmw && isLoad(rmw))
    return "b" + std::to_string(tile::byteSizeOf(tile::elementOf(rmw.getType())) * 8);
  if (rmw)
    return ofKind(rmw.getKind(), tile::elementOf(rmw.getType()), target);
  if (auto cas = llvm::dyn_cast<tile::AtomicCasOp>(op)) {
    unsigned bytes = tile::byteSizeOf(tile::elementOf(cas.getType()));
    if (bytes >= 2)
      return "cas.b" + std::to_string(bytes * 8);
  }
  return std::nullopt;
}

unsigned mostAtomicsTogether(tile::AtomicRmwOp op, const target::NvidiaTarget &target) {
  constexpr unsigned vectorBytes = 16;
  unsigned bytes = tile::byteSizeOf(tile::elementOf(op.getType()));
  bool isSum =
      op.getKind() == tile::AtomicKind::FAdd && (bytes == 2 || bytes == 4) && op->use_empty();
  return isSum && target.version() >= 90 ? vectorBytes / bytes : 1;
}

} // namespace nereid::backend::nvptx
