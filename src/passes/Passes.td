// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef NEREID_PASSES
#define NEREID_PASSES

include "mlir/Pass/PassBase.td"

def CarryStepsAsScalars : Pass<"tile-carry-steps-as-scalars"> {
  let summary = "replaces carried tiles that only move by a uniform step with a carried scalar";
  let description = [{
    A loop that advances a tile of pointers or offsets by the same amount everywhere carries one
    number a lane where one number in all would do. The tile becomes its initial value plus a scalar
    that the loop carries, and later stages see the structure of every address.

    ```mlir
    // before
    scf.for ... iter_args(%p = %p0) -> (tensor<64x!tile.ptr<f32>>) {
      ...
      %next = tile.offset %p, %step        // %step = tile.splat %s
      scf.yield %next
    }
    // after
    scf.for ... iter_args(%moved = %c0) -> (i64) {
      %p = tile.offset %p0, (tile.splat %moved)
      ...
      %total = arith.addi %moved, (arith.extsi %s)
      scf.yield %total
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::nereid::tile::TileDialect"];
}

def DropUnitDimensions : Pass<"tile-drop-unit-dimensions"> {
  let summary = "leaves out the dimensions of one element, where tiles of three and more are read, written or multiplied";
  let description = [{
    A program that has one matrix of a batch often keeps the batch as a dimension of its tiles. All else knows
    matrices: how a box of an array is fetched, how products lie. Tiles of one element become scalars.

    ```mlir
    // before
    %a = tile.load %p : tensor<1x64x32x!tile.ptr<f16>>
    %m = tile.reshape %a : tensor<1x64x32xf16> -> tensor<64x32xf16>
    // after
    %m = tile.load %q : tensor<64x32x!tile.ptr<f16>>
    ```
    Before what has a shape to tell (prints) or knows its dimensions otherwise, they are given back.
  }];
  let dependentDialects = ["::nereid::tile::TileDialect"];
}

def FoldAddIntoDot : Pass<"tile-fold-add-into-dot"> {
  let summary = "adds to the accumulator of a dot instead of to its result";
  let description = [{
    ```mlir
    %p = tile.dot %a, %b, %zero precision ieee
    %c = arith.addf %acc, %p
    // becomes
    %c = tile.dot %a, %b, %acc precision ieee
    ```
    Only where the dot starts at zero and its result has no other use. Rounds once instead of twice; so does a dot
    of 16 bits (`out_dtype=tl.float16`) that is added to float32, whose sums are float32 then.
  }];
  let dependentDialects = ["::nereid::tile::TileDialect"];
}

def DropBounds : Pass<"tile-drop-bounds"> {
  let summary = "leaves bounds to conversions that have them";
  let description = [{
    A quantizer clamps to the largest number of an 8-bit float, and then converts, which gives that number
    for all beyond it.

    ```mlir
    %a = arith.maxnumf %x, %lo : f32 // -448
    %b = arith.minnumf %a, %hi : f32 // 448
    %q = tile.narrow %b : f32 -> f8E4M3FN
    // becomes
    %q = tile.narrow %a : f32 -> f8E4M3FN
    ```
    The other bound stays: it makes a number of a NaN.
  }];
  let dependentDialects = ["::nereid::tile::TileDialect"];
}

def RelaxAtomics : Pass<"tile-relax-atomics"> {
  let summary = "takes the order from atomics that order nothing";
  let description = [{
    A program that adds to what its launch computes, and else only loads what nobody in the launch writes,
    has nothing that others could miss, before the atomic or after it. Threads of a GPU then neither wait for
    one another nor for memory. Of several atomics what is left in memory must not tell the order: all do the same, and
    it does not matter who begins, or all are at one element (the maximum of floats is two).

    ```mlir
    %x = tile.load %p : tensor<64x!tile.ptr<f32>>
    %old = tile.atomic_rmw fadd %q, %x order acq_rel scope gpu : tensor<64x!tile.ptr<f32>>
    // becomes
    %old = tile.atomic_rmw fadd %q, %x order relaxed scope gpu : tensor<64x!tile.ptr<f32>>
    ```
    In loops it must not matter which round begins either; not where the result is used; not for the system, which may be
    other launches.
  }];
  let dependentDialects = ["::nereid::tile::TileDialect"];
}

def ExpandPowers : Pass<"tile-expand-powers"> {
  let summary = "multiplies instead of raising to a small power that is known";
  let description = [{
    To the powers 0 to 4 and -1, each exact or as close as `pow` promises; what is only made float64 since
    the power was an integer is squared, or inverted, as it is.

    ```mlir
    %two = arith.constant dense<2.0>
    %y = math.powf %x, %two
    // becomes
    %y = arith.mulf %x, %x
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def DecideMasks : Pass<"tile-decide-masks"> {
  let summary = "leaves out comparisons of tiles, and branches, whose answer is known";
  let description = [{
    Masks that hold for every element, or for none: a range beside a number that the author gave as a constant. An
    access that needs no mask is one that the copy engine can make, or one of several elements at once. Branches
    that all rounds of a loop take, or none, by what its bounds say: a product in one is the round's own then.

    ```mlir
    %r = tile.range 0 to 128 : tensor<128xi32>
    %n = arith.constant dense<4096> : tensor<128xi32>
    %m = arith.cmpi slt, %r, %n : tensor<128xi32>
    // becomes
    %m = arith.constant dense<true> : tensor<128xi1>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def DecideComparisons : Pass<"tile-decide-comparisons"> {
  let summary = "leaves out comparisons whose answer is known, in kernels of threads";
  let description = [{
    By the ranges that integers have, and by the conditions under which a place is come to. Python's negative
    indices compare and choose at each access; that an index is not negative is often known from the
    guard of the access, and its address is then a plain sum.

    ```mlir
    // before, with tile.block = array<i64: 256, 1, 1>
    %inside = arith.cmpi sge, %t, %distance      // %distance is 1 and then doubled while it is under 256
    scf.if %inside {
      %at = arith.subi %t, %distance
      %wraps = arith.cmpi slt, %at, %c0
      %behind = arith.addi %at, %n
      %index = arith.select %wraps, %behind, %at
    // after
      %wraps = arith.constant false
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def NarrowComparisons : Pass<"tile-narrow-comparisons"> {
  let summary = "compares numbers of kernels of threads in the bits that they were widened from";
  let description = [{
    Integers of such kernels have 64 bits, and which thread it is has 32. Where the other side is known to have
    no more, twice as many lanes are compared at once, and a GPU compares in one instruction.

    ```mlir
    %wide = arith.extsi %t : i32 to i64
    %inside = arith.cmpi sge, %wide, %distance : i64        // from 1 to 255
    // becomes
    %narrow = arith.trunci %distance : i64 to i32
    %inside = arith.cmpi sge, %t, %narrow : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SpreadThreads : Pass<"tile-spread-threads"> {
  let summary = "makes a kernel of threads one of tiles";
  let description = [{
    Values that differ between the threads of a block become tiles of the block's shape, x last; all else
    stays scalar. Where threads part, a mask says who goes on; a loop goes round while any thread does. Threads
    that begin a loop side by side and go on by one step first have the turns in which all are, without a mask.
    Barriers of the block go, since all lanes do one operation before the next.

    ```mlir
    // before, with tile.block = array<i64: 64, 1, 1>
    %t = tile.thread_id 0
    %inside = arith.cmpi slt, %t, %n
    scf.if %inside {
      tile.store %p, %v          // %p = tile.offset %out, %t
    }
    // after
    %t = tile.range 0 to 64
    %inside = arith.cmpi slt, %t, (tile.splat %n)
    tile.store %p, %v mask %inside
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::nereid::tile::TileDialect"];
}

#endif
