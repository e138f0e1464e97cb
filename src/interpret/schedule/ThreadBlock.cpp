// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpret/schedule/ThreadBlock.h"

#include "nereid/error.h"
#include "support/Check.h"

#include <cstring>
#include <limits>

namespace nereid::interpret {

GridExtent gridOfThreads(GridExtent blocks, tile::BlockShape block) {
  uint64_t along = uint64_t(blocks.x) * uint64_t(block.threads());
  if (along > std::numeric_limits<uint32_t>::max())
    throw Error(Error::Kind::Usage, "the checked device runs one thread after the other, and " +
                                        std::to_string(along) +
                                        " threads along x are more than it counts");
  return {uint32_t(along), blocks.y, blocks.z};
}

ThreadPlace placeOf(ProgramId program, tile::BlockShape block) {
  auto threads = uint32_t(block.threads()), x = uint32_t(block.x), y = uint32_t(block.y);
  uint32_t thread = program.x % threads;
  return {{thread % x, thread / x % y, thread / (x * y)},
          {program.x / threads, program.y, program.z}};
}

ThreadBlock::ThreadBlock(mlir::func::FuncOp kernel, GridExtent blocks, AddressSpace &memory)
    : extents(*tile::blockOf(kernel)), blocks(blocks), isAllAtOnce(tile::meetsWholeGrid(kernel)) {
  constexpr uint64_t mostAtOnce = 1 << 14; // each has a stack
  if (uint64_t count = blocks.programs() * threads(); isAllAtOnce && count > mostAtOnce)
    throw Error(Error::Kind::Usage, "the threads of the grid wait for one another, and " +
                                        std::to_string(count) + " are more than the " +
                                        std::to_string(mostAtOnce) +
                                        " that the checked device runs at once");
  kernel.walk([&](mlir::Operation *op) {
    if (llvm::isa<tile::SharedOp, tile::LocalOp>(op))
      add(op, memory);
    if (auto table = llvm::dyn_cast<tile::TableOp>(op))
      addTable(table, memory);
  });
}

/// Memory of each thread is an array of its own, so that none reaches another's.
void ThreadBlock::add(mlir::Operation *op, AddressSpace &memory) {
  bool isShared = llvm::isa<tile::SharedOp>(op);
  mlir::Type pointee = tile::pointeeOf(op->getResult(0).getType());
  uint64_t count = isShared ? llvm::cast<tile::SharedOp>(op).getCount()
                            : llvm::cast<tile::LocalOp>(op).getCount();
  uint64_t bytes = tile::byteSizeOf(pointee), extent = count * bytes;
  auto name = op->getAttrOfType<mlir::StringAttr>(tile::nameAttr);
  uint64_t copies = (isShared ? 1 : threads()) * (isAllAtOnce ? blocks.programs() : 1);
  if (memory.count() + copies >= uint64_t(1) << 16)
    throw Error(Error::Kind::Usage,
                "blocks that run at once have " + std::to_string(copies) +
                    " arrays of their own, and the checked device tells fewer than 65536 apart");
  auto buffer = std::make_unique<std::byte[]>(extent * copies);
  for (uint64_t i = 0; i < copies; ++i) {
    uint64_t number = memory.add(buffer.get() + i * extent, extent, bytes,
                                 name       ? name.str()
                                 : isShared ? "shared"
                                            : "local");
    numbers.push_back(number);
    if (i == 0)
      first[op] = number;
  }
  buffers.push_back(std::move(buffer));
}

/// It is there before the first block, and holds its numbers in all.
void ThreadBlock::addTable(tile::TableOp op, AddressSpace &memory) {
  std::string bytes = op.bytes();
  auto buffer = std::make_unique<std::byte[]>(bytes.size());
  std::memcpy(buffer.get(), bytes.data(), bytes.size());
  auto name = op->getAttrOfType<mlir::StringAttr>(tile::nameAttr);
  first[op] = memory.add(buffer.get(), bytes.size(), tile::byteSizeOf(op.getType().getPointee()),
                         name ? name.str() : "table");
  buffers.push_back(std::move(buffer));
}

uint64_t ThreadBlock::memoryOf(mlir::Operation *op, ProgramId program) const {
  uint64_t number = first.lookup(op);
  if (llvm::isa<tile::TableOp>(op))
    return number;
  ProgramId at = placeOf(program).block;
  uint64_t ownBlock =
      isAllAtOnce ? at.x + uint64_t(blocks.x) * (at.y + uint64_t(blocks.y) * at.z) : 0;
  return llvm::isa<tile::LocalOp>(op) ? number + ownBlock * threads() + program.x % threads()
                                      : number + ownBlock;
}

} // namespace nereid::interpret
