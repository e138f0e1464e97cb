// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backend/nvptx/rings/RowLoads.h"

#include "backend/gpu/tiles/OrderPrograms.h"
#include "backend/nvptx/rings/Boxes.h"
#include "dialect/tile/Remark.h"
#include "dialect/tile/SourcePlace.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::backend::nvptx {

using namespace gpu;

using analysis::AffineTile;
using analysis::Polynomial;

static constexpr unsigned wordBytes = 4;

uint64_t registerBytesOf(Type tile) {
  return tile::elementCount(tile) * std::max(wordBytes, tile::byteSizeOf(tile::elementOf(tile)));
}

RowLoads::RowLoads(func::FuncOp kernel, const Configuration &configuration)
    : kernel(kernel), configuration(configuration) {
  if (Operation *other = findOther()) {
    if (tile::wantsRemarks(kernel))
      remarkRows(other);
    return; // before anything is analysed: most kernels end here
  }
  axes.emplace(kernel);
  for (Operation &op : kernel.getBody().front()) {
    if (llvm::isa<tile::StoreOp>(op))
      return; // what it writes, a later load may read
    auto load = llvm::dyn_cast<tile::LoadOp>(op);
    std::optional<RowLoad> row = load ? findRow(load) : std::nullopt;
    if (row && scalars.add(load, symbolsOf(*row)))
      found.push_back(std::move(*row));
  }
}

/// What is not of a kernel that does nothing else; null if there is nothing.
Operation *RowLoads::findOther() {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    bool isOfRows = llvm::all_of(op.getResultTypes(), [](Type type) {
      return !tile::isTile(type) || tile::shapeOf(type).size() == 1;
    });
    if (!isOfRows || !(llvm::isa<tile::LoadOp, tile::StoreOp, tile::ReduceOp, nv::BlockOfProgramOp,
                                 nv::GatherBlocksOp>(op) ||
                       (op.getNumRegions() == 0 && tile::isLanewise(&op))))
      return &op;
  }
  return nullptr;
}

bool RowLoads::fillsSm(uint64_t registerBytes, const Configuration &configuration) {
  uint64_t ofSm = configuration.target.registerBytesPerSm();
  return registerBytes >= ofSm / configuration.policy.rows_of_least &&
         registerBytes <= ofSm / configuration.policy.rows_of_most;
}

/// Whether a row is so long that programs that load such have an SM for themselves.
static bool isLong(Type row, const Configuration &configuration) {
  return tile::shapeOf(row).size() == 1 && RowLoads::fillsSm(registerBytesOf(row), configuration);
}

/// Where all but the other operation is as it should be.
void RowLoads::remarkRows(Operation *other) {
  for (auto load : kernel.getBody().front().getOps<tile::LoadOp>())
    if (isLong(load.getType(), configuration))
      tile::remark(load, RemarkId::row_beside_others, tile::placeText(other->getLoc()));
}

std::optional<RowLoad> RowLoads::findRow(tile::LoadOp load) {
  auto type = llvm::dyn_cast<RankedTensorType>(load.getType());
  if (!type || nv::hasGhosts(type) || load.getIsVolatile() ||
      !type.getElementType().isIntOrFloat() || type.getElementType().isInteger(1))
    return std::nullopt;
  unsigned bytes = tile::byteSizeOf(type.getElementType());
  std::optional<AffineTile> pointer = tiles.of(load.getPointer());
  BlockArgument base = tile::baseOf(load.getPointer());
  std::optional<Polynomial> count = countOf(load.getMask(), type.getNumElements());
  auto refuse = [&]() -> std::optional<RowLoad> {
    if (isLong(type, configuration))
      tile::remark(load, RemarkId::row_not_fetched);
    return std::nullopt;
  };
  if (!pointer || !base || pointer->base != base || pointer->strides[0] != Polynomial(1) || !count)
    return refuse();
  bool isRow = isOfScalars(pointer->start) && isOfScalars(*count);
  if (isRow && isSameForAllPrograms(pointer->start))
    return std::nullopt;
  bool isAligned = isRow && axes->of(base).axes[0].divisibility % copyAlignment == 0 &&
                   isCopyAligned(pointer->start, bytes, tiles, *axes) &&
                   isCopyAligned(*count, bytes, tiles, *axes);
  if (!isAligned)
    return refuse();
  return RowLoad{load, base, pointer->start, std::move(*count)};
}

/// How many of the first elements the mask leaves, if it is of this kind.
std::optional<Polynomial> RowLoads::countOf(Value mask, int64_t all) {
  if (!mask || matchPattern(mask, m_One()))
    return Polynomial(all);
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  std::optional<AffineTile> room = compare ? roomOf(compare, tiles) : std::nullopt;
  if (!room || room->strides[0] != Polynomial(-1))
    return std::nullopt;
  return Polynomial::sum(room->start, 1);
}

llvm::SmallVector<Value> RowLoads::symbolsOf(const RowLoad &row) const {
  llvm::SmallVector<Value> values;
  for (const Polynomial *polynomial : {&row.first, &row.count})
    for (const auto &[symbols, coefficient] : polynomial->terms())
      for (analysis::Symbol symbol : symbols)
        values.push_back(tiles[symbol].value);
  return values;
}

/// Without remainders, which stand for a wrap that only the launch could exclude.
bool RowLoads::isOfScalars(const Polynomial &polynomial) const {
  return llvm::all_of(polynomial.terms(), [&](const auto &term) {
    return llvm::all_of(term.first,
                        [&](analysis::Symbol symbol) { return bool(tiles[symbol].value); });
  });
}

/// The caches have it from the program before.
bool RowLoads::isSameForAllPrograms(const Polynomial &polynomial) const {
  return llvm::all_of(polynomial.terms(), [&](const auto &term) {
    return llvm::all_of(term.first, [&](analysis::Symbol symbol) {
      return isSameInAllPrograms(tiles[symbol].value);
    });
  });
}

uint64_t RowLoads::registerBytes() const {
  uint64_t bytes = 0;
  for (RowLoad row : found)
    bytes += registerBytesOf(row.load.getType());
  return bytes;
}

uint64_t RowLoads::reducedBytes() const {
  llvm::DenseSet<Value> kept;
  for (RowLoad row : found)
    kept.insert(row.load.getResult());
  uint64_t most = 0;
  for (Operation &op : func::FuncOp(kernel).getBody().front()) {
    bool isOfRows =
        llvm::any_of(op.getOperands(), [&](Value operand) { return kept.contains(operand); });
    if (isOfRows && llvm::isa<tile::ReduceOp>(op))
      most = std::max({most, registerBytesOf(op.getOperand(0).getType()), bytesBehind(&op, kept)});
    else if (isOfRows)
      for (Value result : op.getResults())
        if (tile::isTile(result.getType()))
          kept.insert(result);
  }
  return most ? std::min(most, registerBytes()) : registerBytes();
}

/// What the values take that are there before the operation, and that one behind it reads.
uint64_t RowLoads::bytesBehind(Operation *op, const llvm::DenseSet<Value> &values) {
  uint64_t bytes = 0;
  for (Value value : values)
    if (llvm::any_of(value.getUsers(), [&](Operation *user) { return op->isBeforeInBlock(user); }))
      bytes += registerBytesOf(value.getType());
  return bytes;
}

RowLoads::Prefix RowLoads::build(const RowLoad &row, OpBuilder &builder) const {
  tile::LoadOp load = row.load;
  Location loc = load.getLoc();
  Type i64 = builder.getI64Type();
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  Value first = tile::OffsetOp::create(builder, loc, row.base.getType(), row.base,
                                       tiles.materialize(row.first, builder, loc, i64));
  Value count = tiles.materialize(row.count, builder, loc, i64);
  count = arith::MaxSIOp::create(builder, loc, count, number(0));
  count = arith::MinSIOp::create(builder, loc, count, number(tile::elementCount(load.getType())));
  return {first, arith::TruncIOp::create(builder, loc, builder.getI32Type(), count)};
}

} // namespace nereid::backend::nvptx
