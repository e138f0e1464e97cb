// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analyze/AddressSlice.h"

#include "analyze/BoxPointers.h"
#include "analyze/FoundAddresses.h"
#include "analyze/KeepLive.h"
#include "backend/nvptx/rings/SpreadRows.h"
#include "dialect/nv/Nv.h"
#include "dialect/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace nereid::analyzer {
namespace {

constexpr llvm::StringLiteral unknownAttr = "unknown";
constexpr llvm::StringLiteral accessFile = "<access>", blockFile = "<block>";

std::optional<unsigned> numberIn(Location location, llvm::StringRef file) {
  auto place = llvm::dyn_cast<FileLineColLoc>(location);
  if (!place || place.getFilename().getValue() != file)
    return std::nullopt;
  return place.getLine();
}

/// Without who holds what, which the interpreter does not ask for.
Type withoutLayout(Type type) {
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return type;
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

void dropLayouts(func::FuncOp function) {
  function.walk([](Operation *op) {
    for (Value result : op->getResults())
      result.setType(withoutLayout(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(withoutLayout(argument.getType()));
    if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op))
      if (auto dense = llvm::dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            dense.reshape(llvm::cast<ShapedType>(withoutLayout(dense.getType()))));
  });
}

bool isControl(Operation *op) {
  return llvm::isa<scf::ForOp, scf::IfOp, scf::WhileOp, func::FuncOp, nv::ProgramsOp,
                   nv::ProduceOp>(op);
}

} // namespace

class Slicer {
public:
  Slicer(AddressSlice &result, func::FuncOp kernel)
      : result(result), kernel(kernel), context(kernel.getContext()) {}

  void run() {
    OpBuilder builder(context);
    result.module = ModuleOp::create(builder, kernel.getLoc());
    builder.setInsertionPointToStart(result.module->getBody());
    slice = llvm::cast<func::FuncOp>(builder.clone(*kernel, map));
    result.slice = slice;
    dropLayouts(slice);
    addParameters();
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isControl(op))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            beginBlock(block);
      replaceAccess(op);
    });
    inlineBodies();
    replaceProgramIds();
    eraseShared();
    keepLive(slice);
    slice.walk([&](Operation *op) {
      result.guesses |= op->hasAttr(unknownAttr);
      auto load = llvm::dyn_cast<tile::LoadOp>(op);
      Operation *access = load ? result.accessAt(load.getLoc()) : nullptr;
      if (access && !load->use_empty())
        result.deciding.insert(access);
      if (access && isFound(load.getPointer()))
        result.found.insert(access);
    });
    addRounds();
  }

private:
  /// The slice's loads are where it finds its program and what arrays hold: where some are used
  /// though no access is left, rounds or branches depend on them.
  void addRounds() {
    OpBuilder builder = OpBuilder::atBlockEnd(result.module->getBody());
    auto rounds = llvm::cast<func::FuncOp>(builder.clone(*slice));
    rounds.setName((slice.getName() + ".rounds").str());
    auto isUnused = [&](tile::LoadOp load) {
      return load->use_empty() && !result.blockAt(load.getLoc());
    };
    for (bool areThereMore = true; areThereMore;) {
      llvm::SmallVector<Operation *> unused;
      rounds.walk([&](tile::LoadOp load) {
        if (isUnused(load))
          unused.push_back(load);
      });
      areThereMore = !unused.empty();
      for (Operation *load : unused)
        load->erase();
      keepLive(rounds);
    }
    bool areAlike = true;
    rounds.walk([&](tile::LoadOp load) { areAlike &= load->use_empty(); });
    if (areAlike)
      rounds.erase();
    else
      result.roundsAlone = rounds;
  }

  Location tag(llvm::StringRef file, size_t number) {
    return FileLineColLoc::get(context, file, unsigned(number), 0);
  }

  void addParameters() {
    auto add = [&](Type type) {
      unsigned at = slice.getNumArguments();
      (void)slice.insertArgument(at, type, DictionaryAttr::get(context), slice.getLoc());
      return slice.getArgument(at);
    };
    Type i32 = IntegerType::get(context, 32), i8 = IntegerType::get(context, 8);
    programs = add(tile::PointerType::get(context, i32));
    probed = add(tile::PointerType::get(context, i8));
    for (Value &extent : extents)
      extent = add(i32);
  }

  void beginBlock(Block &block) {
    Block *copy = map.lookup(&block);
    OpBuilder builder = OpBuilder::atBlockBegin(copy);
    tile::LoadOp::create(builder, tag(blockFile, result.blocks.size()), probed);
    result.blocks.push_back(&block);
  }

  /// The load that stands for the access, before the operation that makes it.
  void replaceAccess(Operation *op) {
    Operation *copy = map.lookupOrNull(op);
    if (!copy)
      return;
    OpBuilder builder(copy);
    Location place = tag(accessFile, result.accesses.size());
    if (auto load = llvm::dyn_cast<tile::LoadOp>(copy)) {
      load->setLoc(place);
      load.setIsVolatile(false);
    } else if (tile::Access access = tile::accessOf(copy);
               llvm::isa<tile::StoreOp, tile::AtomicRmwOp, tile::AtomicCasOp>(copy)) {
      auto found = tile::LoadOp::create(builder, place, access.pointer, access.mask);
      if (copy->getNumResults())
        copy->getResult(0).replaceAllUsesWith(found.getResult());
      copy->erase();
    } else if (auto copying = llvm::dyn_cast<nv::CopyOp>(copy)) {
      tile::LoadOp::create(builder, place, copying.getPointer(), copying.getMask());
      copy->erase();
    } else if (std::optional<BoxPointers> box = pointersOf(copy, op, builder, place)) {
      tile::LoadOp::create(builder, place, box->pointer, box->mask);
      if (!copy->getNumResults())
        copy->erase();
    } else {
      return;
    }
    result.accesses.push_back(op);
  }

  /// What blocks do for each program, and what the producer does, is all one program's.
  void inlineBodies() {
    llvm::SmallVector<Operation *> bodies;
    slice.walk([&](Operation *op) {
      if (llvm::isa<nv::ProgramsOp, nv::ProduceOp>(op))
        bodies.push_back(op);
    });
    for (Operation *op : bodies) {
      Block &body = op->getRegion(0).front();
      if (!body.empty() && body.back().hasTrait<OpTrait::IsTerminator>())
        body.back().erase();
      op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
      op->erase();
    }
  }

  void replaceProgramIds() {
    OpBuilder builder = OpBuilder::atBlockBegin(&slice.front());
    Location loc = slice.getLoc();
    Type i32 = builder.getI32Type();
    auto constant = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
    };
    Value number = tile::ProgramIdOp::create(builder, loc, i32, 0);
    Value row = arith::MulIOp::create(builder, loc, number, constant(3));
    Operation *own = number.getDefiningOp();
    std::array<Value, 3> ids;
    for (int axis = 0; axis < 3; ++axis) {
      Value at = arith::AddIOp::create(builder, loc, row, constant(axis));
      Value place = tile::OffsetOp::create(builder, loc, programs.getType(), programs, at);
      ids[axis] = tile::LoadOp::create(builder, loc, place).getResult();
    }
    // Blocks that run a program together are counted one by one, along x.
    Value columns = extents[0], block;
    if (const unsigned blocks = backend::nvptx::blocksOfProgram(kernel); blocks > 1) {
      block = arith::RemUIOp::create(builder, loc, ids[0], constant(blocks));
      ids[0] = arith::DivUIOp::create(builder, loc, ids[0], constant(blocks));
      columns = arith::DivUIOp::create(builder, loc, columns, constant(blocks));
    }
    slice.walk([&](Operation *op) {
      if (op == own)
        return;
      if (llvm::isa<nv::BlockOfProgramOp>(op))
        op->getResult(0).replaceAllUsesWith(block);
      if (auto id = llvm::dyn_cast<tile::ProgramIdOp>(op))
        id.getResult().replaceAllUsesWith(ids[id.getAxis()]);
      if (auto count = llvm::dyn_cast<tile::NumProgramsOp>(op))
        count.getResult().replaceAllUsesWith(count.getAxis() ? extents[count.getAxis()] : columns);
    });
  }

  /// What else the nv dialect has: tiles that other threads hold are the same tiles, and of what
  /// comes out of shared memory nothing is known.
  void eraseShared() {
    llvm::SmallVector<Operation *> ops;
    slice.walk([&](Operation *op) {
      bool isNv = op->getName().getDialectNamespace() == nv::NvDialect::getDialectNamespace();
      if (isNv || llvm::isa<tile::PrintOp, tile::AssertOp, tile::AssumeOp, tile::VariableOp,
                            tile::BarrierOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (auto convert = llvm::dyn_cast<nv::ConvertOp>(op))
        convert.getResult().replaceAllUsesWith(convert.getSource());
    for (Operation *op : llvm::reverse(ops)) {
      for (Value value : op->getResults())
        if (!value.use_empty())
          replaceUnknown(value);
      op->erase();
    }
  }

  void replaceUnknown(Value value) {
    OpBuilder builder(value.getDefiningOp());
    Type element = tile::elementOf(value.getType());
    if (auto zero = element.isIntOrFloat() ? builder.getZeroAttr(value.getType()) : TypedAttr()) {
      Value constant = arith::ConstantOp::create(builder, value.getLoc(), zero);
      constant.getDefiningOp()->setAttr(unknownAttr, builder.getUnitAttr());
      value.replaceAllUsesWith(constant);
    } else {
      value.dropAllUses();
    }
  }

  AddressSlice &result;
  func::FuncOp kernel, slice;
  MLIRContext *context;
  IRMapping map;
  Value programs, probed;
  std::array<Value, 3> extents;
};

AddressSlice::AddressSlice(func::FuncOp kernel) { Slicer(*this, kernel).run(); }

Operation *AddressSlice::accessAt(Location location) const {
  std::optional<unsigned> number = numberIn(location, accessFile);
  return number ? accesses[*number] : nullptr;
}

Block *AddressSlice::blockAt(Location location) const {
  std::optional<unsigned> number = numberIn(location, blockFile);
  return number ? blocks[*number] : nullptr;
}

} // namespace nereid::analyzer
