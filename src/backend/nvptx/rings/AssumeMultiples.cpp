// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AxisInfo.h"
#include "backend/gpu/rings/ProductLoads.h"
#include "backend/nvptx/Passes.h"
#include "backend/nvptx/rings/Boxes.h"
#include "dialect/nv/Nv.h"

using namespace mlir;

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_ASSUMEMULTIPLES
#include "backend/nvptx/Passes.h.inc"

namespace {

/// A tile that products multiply, or what they add up, in memory.
struct ProductAccess {
  Value pointer, mask; // which may be null

  unsigned elementBytes() const {
    return tile::byteSizeOf(tile::elementOf(tile::pointeeOf(pointer.getType())));
  }
  /// How many bytes go at once, along whichever dimension has more.
  int64_t width(const analysis::AxisAnalysis &axes) const {
    int64_t most = 1;
    for (unsigned dimension : {0, 1})
      most = std::max(most, analysis::vectorLength(axes, pointer, mask, dimension, copyAlignment));
    return most * elementBytes();
  }
  int64_t widest() const {
    int64_t longest = 1;
    for (int64_t side : tile::shapeOf(pointer.getType()))
      longest = std::max(longest, side & -side);
    return std::min<int64_t>(longest * elementBytes(), copyAlignment);
  }
};

/// None in a kernel whose products load nothing.
llvm::SmallVector<ProductAccess> accessesOf(func::FuncOp kernel) {
  llvm::SmallVector<ProductAccess> accesses;
  kernel.walk([&](tile::LoadOp load) {
    if (isCopyable(load) && !productsOf(load).empty())
      accesses.push_back({load.getPointer(), load.getMask()});
  });
  if (accesses.empty())
    return {};
  kernel.walk([&](tile::StoreOp store) {
    Type type = store.getPointer().getType();
    Type element = tile::elementOf(store.getValue().getType());
    if (tile::isTile(type) && tile::shapeOf(type).size() == 2 && !element.isInteger(1))
      accesses.push_back({store.getPointer(), store.getMask()});
  });
  return accesses;
}

/// The parameters of a kernel that decide how wide its accesses are, each with the least divisor by
/// which they are widest.
class Multiples {
public:
  explicit Multiples(func::FuncOp kernel)
      : kernel(kernel), accesses(accessesOf(kernel)),
        divisors(kernel.getNumArguments(), /*none=*/0) {}

  void run() {
    const llvm::SmallVector<int64_t> alone = widths();
    unsigned least = copyAlignment;
    bool isNarrow = false;
    for (auto [access, width] : llvm::zip(accesses, alone))
      if (width < access.widest()) {
        least = std::min(least, access.elementBytes());
        isNarrow = true;
      }
    if (!isNarrow)
      return;
    const int64_t divisor = copyAlignment / least;
    for (BlockArgument argument : kernel.getArguments())
      if (argument.getType().isSignlessInteger(32) || argument.getType().isSignlessInteger(64))
        assume(argument.getArgNumber(), divisor);
    const llvm::SmallVector<int64_t> most = widths();
    for (auto [number, assumed] : llvm::enumerate(divisors)) {
      if (!assumed)
        continue;
      restore(number);
      if (most != alone && widths() != most)
        assume(number, divisor);
    }
  }

  bool empty() const {
    return llvm::all_of(divisors, [](int64_t divisor) { return divisor == 0; });
  }

  /// The parameters are known to be multiples of what rows at multiples of `bytes` ask for, or are
  /// as they were for 0; `divisors` says which.
  void takeForGranted(unsigned bytes) {
    for (auto [number, divisor] : llvm::enumerate(divisors)) {
      if (!divisor)
        continue;
      const int64_t wanted = divisor;
      restore(number);
      if (bytes)
        assume(number, std::max<int64_t>(wanted * bytes / copyAlignment, 1));
      else
        divisor = wanted;
    }
  }

  llvm::ArrayRef<int64_t> ofArguments() const { return divisors; }

private:
  llvm::SmallVector<int64_t> widths() const {
    analysis::AxisAnalysis axes(kernel);
    return llvm::map_to_vector(accesses,
                               [&](const ProductAccess &access) { return access.width(axes); });
  }

  /// Unless as much is known.
  void assume(unsigned number, int64_t divisor) {
    Attribute before = kernel.getArgAttr(number, tile::divisibilityAttr);
    if (before && llvm::cast<IntegerAttr>(before).getInt() % divisor == 0)
      return;
    known[number] = before;
    divisors[number] = divisor;
    kernel.setArgAttr(number, tile::divisibilityAttr,
                      IntegerAttr::get(IntegerType::get(kernel.getContext(), 64), divisor));
  }

  void restore(unsigned number) {
    divisors[number] = 0;
    if (Attribute before = known.lookup(number))
      kernel.setArgAttr(number, tile::divisibilityAttr, before);
    else
      kernel.removeArgAttr(number, tile::divisibilityAttr);
  }

  func::FuncOp kernel;
  llvm::SmallVector<ProductAccess> accesses;
  llvm::SmallVector<int64_t> divisors;
  llvm::DenseMap<unsigned, Attribute> known; // before something was assumed
};

struct AssumeMultiples final
    : ConfiguredPass<impl::AssumeMultiplesBase<AssumeMultiples>, AssumeMultiples> {
  void run(func::FuncOp kernel, const Configuration &configuration) {
    Multiples multiples(kernel);
    multiples.run();
    if (multiples.empty())
      return;
    const unsigned bytes = configuration.policy.assumed_bytes;
    multiples.takeForGranted(bytes);
    auto divisors = DenseI64ArrayAttr::get(kernel.getContext(), multiples.ofArguments());
    if (bytes)
      kernel->setAttr(nv::assumedMultiplesAttr, divisors);
    else
      kernel->setAttr(nv::wantedMultiplesAttr, divisors);
  }
};

} // namespace

} // namespace nereid::backend::nvptx
