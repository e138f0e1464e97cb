// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelRun.h"

#include "dialect/tile/Kernel.h"
#include "dialect/tile/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace nereid::interpret {

mlir::MLIRContext &testContext() {
  static std::unique_ptr<mlir::MLIRContext> context = tile::createContext();
  return *context;
}

std::set<std::string> &operationsRun() {
  static std::set<std::string> names;
  return names;
}

KernelRun &KernelRun::run(const std::string &text, GridExtent grid, const RunSettings &settings) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &testContext());
  EXPECT_TRUE(module) << text;
  if (!module)
    return *this;
  module->walk(
      [](mlir::Operation *op) { operationsRun().insert(op->getName().getStringRef().str()); });
  interpret::run(*module->getOps<mlir::func::FuncOp>().begin(), arguments, grid, *this, settings);
  return *this;
}

std::string tile(int64_t count, const std::string &element) {
  return "tensor<" + std::to_string(count) + "x" + element + ">";
}

/// Lines that define %name_ptrs, a tile of consecutive pointers.
static std::string pointerLines(const std::string &name, const std::string &pointer, int64_t count,
                                const std::string &element) {
  std::string pointerType = "!tile.ptr<" + element + ">", pointers = tile(count, pointerType);
  return "%" + name + "_lanes = tile.range 0 to " + std::to_string(count) + " : " +
         tile(count, "i32") + "\n%" + name + "_splat = tile.splat %" + pointer + " : " +
         pointerType + " -> " + pointers + "\n%" + name + "_ptrs = tile.offset %" + name +
         "_splat, %" + name + "_lanes : " + pointers + ", " + tile(count, "i32") + "\n";
}

std::string loadLine(const std::string &name, const std::string &pointer, int64_t count,
                     const std::string &element) {
  return pointerLines(name, pointer, count, element) + "%" + name + " = tile.load %" + name +
         "_ptrs : " + tile(count, "!tile.ptr<" + element + ">") + "\n";
}

std::string storeLine(const std::string &name, const std::string &pointer, int64_t count,
                      const std::string &element) {
  return pointerLines(name + "_to", pointer, count, element) + "tile.store %" + name +
         "_to_ptrs, %" + name + " : " + tile(count, "!tile.ptr<" + element + ">") + "\n";
}

} // namespace nereid::interpret
