// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The micro-kernel of tiles, Intel's Advanced Matrix Extensions (Intel 64 and IA-32 Architectures
// Software Developer's Manual, volume 1, chapter 18). All tiles have the full 16 rows of 64 bytes;
// what a factor lacks is zero.
#include "backend/cpu/products/DotEmitter.h"

#include "llvm/IR/IntrinsicsX86.h"

using namespace mlir;

namespace nereid::backend::cpu {

namespace {

constexpr unsigned tileCount = 8, tileBytesPerRow = 64;
/// The eight registers: four of sums (two rows by two columns), two of each factor.
constexpr unsigned sumTile(unsigned row, unsigned column) { return 2 * row + column; }
constexpr unsigned leftTile(unsigned row) { return 4 + row; }
constexpr unsigned rightTile(unsigned column) { return 6 + column; }

/// The operand of LDTILECFG.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1, startRow = 0, reserved[14] = {};
  uint16_t bytesPerRow[16] = {};
  uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfiguration) == 64);

} // namespace

void configureTiles(Builder &b) {
  TileConfiguration all;
  for (unsigned tile = 0; tile < tileCount; ++tile) {
    all.bytesPerRow[tile] = tileBytesPerRow;
    all.rows[tile] = DotShape::tileRows;
  }
  llvm::Module &module = *b.GetInsertBlock()->getModule();
  llvm::StringRef bytes(reinterpret_cast<const char *>(&all), sizeof(all));
  llvm::Constant *content = llvm::ConstantDataArray::getString(b.getContext(), bytes, false);
  auto *place =
      new llvm::GlobalVariable(module, content->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::PrivateLinkage, content, "tile.configuration");
  place->setAlignment(llvm::Align(alignof(TileConfiguration)));
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_ldtilecfg, {place});
}

void releaseTiles(Builder &b) {
  b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_tilerelease, {});
}

/// Bytes of the nearest cache that a block's rows of the left factor and panels of the right one
/// may take: of 48 KiB.
static constexpr int64_t nearBytes = 48 << 10;

/// Blocks of two by two tiles, so that each tile of a factor, once loaded, is used twice; at the
/// edges of one. As many panels as fit stay in the nearest cache while all rows are gone through,
/// and a block's rows while these panels are: each byte of the left factor comes from further away
/// once for those panels.
void DotEmitter::emitTiles(llvm::Value *batch) {
  int64_t tileRows = DotShape::tileRows, pair = 2 * tileRows;
  int64_t wholeRows = shape.paddedRows / pair * pair;
  auto emitBlock = [&](llvm::Value *panel, llvm::Value *row, unsigned rows, unsigned columns) {
    llvm::Value *column = times(panel, shape.panelWidth);
    llvm::Value *first = b.CreateAdd(times(batch, shape.paddedDepth * shape.paddedColumns),
                                     times(column, shape.paddedDepth));
    emitTileBlock(b.CreateAdd(times(batch, shape.paddedRows), row), column, factorAt(rhs, first),
                  rows, columns);
  };
  auto emitPanels = [&](llvm::Value *firstPanel, int64_t count, unsigned columns) {
    auto block = [&](llvm::Value *row, unsigned rows) {
      auto panel = [&](llvm::Value *i) {
        emitBlock(b.CreateAdd(firstPanel, i), row, rows, columns);
      };
      if (!neededPanels)
        return kernel.loop(0, count, 1, panel, "panel");
      llvm::Value *left = b.CreateSub(neededPanels, firstPanel);
      left = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, b.getInt64(count));
      kernel.loop(b.getInt64(0), left, b.getInt64(1), panel, "panel");
    };
    auto whole = [&](llvm::Value *row) { block(row, 2); };
    if (wholeRows > pair && neededRows)
      kernel.loop(b.getInt64(0),
                  b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, neededRows, b.getInt64(wholeRows)),
                  b.getInt64(pair), whole, "rows");
    else if (wholeRows > 0)
      kernel.loop(0, wholeRows, pair, whole, "rows");
    if (wholeRows < shape.paddedRows)
      block(b.getInt64(wholeRows), 1);
  };
  int64_t panels = shape.paddedColumns / shape.panelWidth;
  bool isLastHalf = shape.paddedColumns - shape.n >= DotShape::tileColumns;
  int64_t wholePanels = isLastHalf ? panels - 1 : panels;
  // A panel takes as much as a block's rows.
  int64_t panelBytes = shape.paddedDepth * shape.panelWidth * shape.factorBytes();
  int64_t most = std::max<int64_t>(wholePanels, 1);
  int64_t together = std::clamp<int64_t>(nearBytes / panelBytes - 1, 1, most);
  int64_t grouped = wholePanels - wholePanels % together;
  if (grouped > 0)
    kernel.loop(
        0, grouped, together, [&](llvm::Value *first) { emitPanels(first, together, 2); },
        "panels");
  if (grouped < wholePanels)
    emitPanels(b.getInt64(grouped), wholePanels - grouped, 2);
  if (isLastHalf)
    emitPanels(b.getInt64(wholePanels), 1, 1);
}

void DotEmitter::emitTileBlock(llvm::Value *row, llvm::Value *column, llvm::Value *panel,
                               unsigned rows, unsigned columns) {
  auto number = [&](unsigned tile) { return b.getInt8(tile); };
  auto load = [&](unsigned tile, llvm::Value *address, llvm::Value *stride) {
    b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_tileloadd64,
                      {number(tile), address, stride});
  };
  auto overSums = [&](llvm::function_ref<void(unsigned r, unsigned c)> act) {
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned c = 0; c < columns; ++c)
        act(r, c);
  };
  int64_t sumStride = shape.paddedColumns * shape.sumBytes();
  auto sumAddress = [&](unsigned r, unsigned c) {
    llvm::Value *first = b.CreateAdd(row, b.getInt64(r * DotShape::tileRows));
    return sumAt(sums, b.CreateAdd(times(first, shape.paddedColumns),
                                   b.CreateAdd(column, b.getInt64(c * DotShape::tileColumns))));
  };
  beginSums(
      [&] {
        overSums([&](unsigned r, unsigned c) {
          b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_tilezero, {number(sumTile(r, c))});
        });
      },
      [&] {
        overSums([&](unsigned r, unsigned c) {
          load(sumTile(r, c), sumAddress(r, c), b.getInt64(sumStride));
        });
      });
  int64_t tileDepth = DotShape::tileDepthBytes / shape.factorBytes();
  int64_t lineBytes = shape.panelWidth * 4; // a group of each column
  auto product = llvm::isa<FloatType>(shape.sum) ? llvm::Intrinsic::x86_tdpbf16ps
                                                 : llvm::Intrinsic::x86_tdpbssd;
  auto step = [&](llvm::Value *depth) {
    linesAhead->ask();
    for (unsigned c = 0; c < columns; ++c) {
      llvm::Value *tile = factorAt(panel, times(depth, shape.panelWidth));
      tile = b.CreateConstGEP1_64(b.getInt8Ty(), tile, c * tileBytesPerRow);
      load(rightTile(c), tile, b.getInt64(lineBytes));
    }
    for (unsigned r = 0; r < rows; ++r) {
      llvm::Value *first = b.CreateAdd(row, b.getInt64(r * DotShape::tileRows));
      llvm::Value *start = b.CreateGEP(b.getInt8Ty(), lhs, b.CreateMul(first, lhsRowBytes));
      load(leftTile(r), factorAt(start, depth), lhsRowBytes);
      for (unsigned c = 0; c < columns; ++c)
        b.CreateIntrinsic(b.getVoidTy(), product,
                          {number(sumTile(r, c)), number(leftTile(r)), number(rightTile(c))});
    }
  };
  kernel.loop(b.getInt64(0), depthInUnits(tileDepth), b.getInt64(tileDepth), step, "depth");
  overSums([&](unsigned r, unsigned c) {
    b.CreateIntrinsic(b.getVoidTy(), llvm::Intrinsic::x86_tilestored64,
                      {number(sumTile(r, c)), sumAddress(r, c), b.getInt64(sumStride)});
  });
}

} // namespace nereid::backend::cpu
