// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What executors and analyses ask of an operation, whatever dialect it comes from. Operations of
// arith, math and scf answer through ExternalModels.cpp; what answers nothing is taken to do
// everything (Lanes.h, Access.h).
#ifndef NEREID_TILE_INTERFACES
#define NEREID_TILE_INTERFACES

include "mlir/IR/OpBase.td"

def Tile_LaneOpInterface : OpInterface<"LaneOpInterface"> {
  let cppNamespace = "::nereid::tile";
  let description = [{
    How the lanes of an operation's results come from the lanes of its operands. Lanes.h asks for any
    operation; nothing else should ask the interface itself.
  }];
  let methods = [
    InterfaceMethod<"How an operand is taken.",
      "::nereid::tile::Need", "getNeed", (ins "::mlir::OpOperand &":$operand), "", [{
        return needOfType(operand.get().getType());
      }]>,
    InterfaceMethod<"Whether any lane of the results can be computed alone, from the lanes of the operands that "
                    "getLaneMap() names.",
      "bool", "isLanewise", (ins), "", "return true;">,
    InterfaceMethod<"Where in the operand, a tile, the lane lies that a lane of the result is computed from, or that "
                    "an effect takes beside the operands of the same lane.",
      "::nereid::tile::LaneMap", "getLaneMap", (ins "::mlir::OpOperand &":$operand), "", [{
        return identityMap(operand.get().getType());
      }]>,
    InterfaceMethod<"Whether each lane of the result is a lane of the first operand, or the operand itself if that "
                    "is a scalar: nothing is computed.",
      "bool", "movesLanes", (ins), "", "return false;">,
    InterfaceMethod<"Whether a lane costs next to nothing: what addresses and masks are made of.",
      "bool", "isCheap", (ins), "", "return $_op.movesLanes();">,
    InterfaceMethod<"The operand that the pointers of the result are derived from: they reach the same array. Null if "
                    "there is none.",
      "::mlir::Value", "getPointerSource", (ins), "", [{
        return $_op.movesLanes() ? $_op->getOperand(0) : ::mlir::Value();
      }]>,
    InterfaceMethod<"Whether the operation only says something to the checked mode.",
      "bool", "isCheck", (ins), "", "return false;">,
  ];
}

def Tile_AccessOpInterface : OpInterface<"AccessOpInterface"> {
  let cppNamespace = "::nereid::tile";
  let description = [{
    What an operation does to the memory that programs share, and in what order (docs/memory-model.md).
    Access.h asks for any operation.
  }];
  let methods = [
    InterfaceMethod<"", "::nereid::tile::Access", "getAccess">,
  ];
}

#endif
