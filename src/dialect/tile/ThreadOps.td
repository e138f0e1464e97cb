// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that say what one thread does, and what the threads of a block share.
#ifndef NEREID_TILE_THREAD_OPS
#define NEREID_TILE_THREAD_OPS

include "dialect/tile/TileDialect.td"

def Tile_ThreadIdOp : Tile_Op<"thread_id", [Pure]> {
  let summary = "index of this thread along an axis of its block";
  let description = [{
    A value in `[0, block)` of a kernel of threads (`tile.block`); the axis is 0, 1 or 2.

    ```mlir
    %x = tile.thread_id 0
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
}

class Tile_MemoryOfBlockOp<string mnemonic> : Tile_Op<mnemonic, [MemoryEffects<[MemAlloc]>]> {
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$count);
  let results = (outs Tile_Pointer:$result);
  let assemblyFormat = "$count attr-dict `:` type($result)";
}

def Tile_SharedOp : Tile_MemoryOfBlockOp<"shared"> {
  let summary = "memory that the threads of a block share";
  let description = [{
    The address of `count` elements which are there while the block runs, and are the same for all its
    threads however often each comes by. Nothing is known of what they hold at first. In a kernel of
    tiles it is memory of the program.

    ```mlir
    %cache = tile.shared 256 : !tile.ptr<f32>
    ```
  }];
}

def Tile_LocalOp : Tile_MemoryOfBlockOp<"local"> {
  let summary = "memory that a thread has for itself";
  let description = [{
    The same for one thread alone. No other may reach it.

    ```mlir
    %stack = tile.local 16 : !tile.ptr<i64>
    ```
  }];
}

def Tile_SyncThreadsOp : Tile_MemoryOp<"sync_threads"> {
  let summary = "the threads of a block wait for one another";
  let description = [{
    A thread goes on when all threads of its block have come to this operation; what any of them did to
    memory before is done then, and seen. All come by or none does, and each as often: a block of which
    some threads wait elsewhere, or have returned, is a mistake, which the checked device reports.

    With `whole_grid` the threads of all blocks wait for one another. A kernel that does this has all its
    blocks running at once.

    ```mlir
    tile.sync_threads
    tile.sync_threads whole_grid
    ```
  }];
  let arguments = (ins UnitAttr:$whole_grid);
  let assemblyFormat = "(`whole_grid` $whole_grid^)? attr-dict";
}

def Tile_SyncThreadsCountOp : Tile_MemoryOp<"sync_threads_count"> {
  let summary = "the threads of a block wait for one another, and count";
  let description = [{
    `tile.sync_threads` which tells each thread for how many of them the predicate holds.

    ```mlir
    %found = tile.sync_threads_count %isFound
    ```
  }];
  let arguments = (ins I1:$predicate);
  let results = (outs I32:$result);
  let assemblyFormat = "$predicate attr-dict";
}

def Tile_SyncWarpOp : Tile_MemoryOp<"sync_warp"> {
  let summary = "threads of a warp wait for one another";
  let description = [{
    A warp is 32 threads whose numbers in the block, x first, follow one another from a multiple of 32;
    a thread's place in it is its lane. Bit `i` of `members` names lane `i`. A thread goes on when all
    that it names, and that have not ended, are at the same operation with the same `members`, of which
    each is one; what any of them did to memory before is done then, and seen.

    ```mlir
    tile.sync_warp %members
    ```
  }];
  let arguments = (ins I32:$members);
  let assemblyFormat = "$members attr-dict";
}

def Tile_ShuffleOp : Tile_MemoryOp<"shuffle", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the value that another thread of the warp has";
  let description = [{
    The members meet as at `tile.sync_warp`, though memory is not ordered, and each gets the value that
    lane `source` gave, from 0 to 31. Where that is no member, or has ended, nothing is known of it.

    ```mlir
    %left = tile.shuffle %value, %source, %members : f32
    ```
  }];
  let arguments = (ins AnyTypeOf<[I32, I64, F32, F64]>:$value, I32:$source, I32:$members);
  let results = (outs AnyTypeOf<[I32, I64, F32, F64]>:$result);
  let assemblyFormat = "$value `,` $source `,` $members attr-dict `:` type($value)";
}

def Tile_BallotOp : Tile_MemoryOp<"ballot"> {
  let summary = "for which threads of the warp something holds";
  let description = [{
    The members meet as at `tile.shuffle`. Bit `i` of the result is the predicate of lane `i`, and zero
    where that is no member or has ended.

    ```mlir
    %who = tile.ballot %predicate, %members
    ```
  }];
  let arguments = (ins I1:$predicate, I32:$members);
  let results = (outs I32:$result);
  let assemblyFormat = "$predicate `,` $members attr-dict";
}

def Tile_ActiveMaskOp : Tile_MemoryOp<"active_mask"> {
  let summary = "which threads of the warp are here";
  let description = [{
    Bit `i` of the result is lane `i`: set for the thread itself, and for others of its warp, which get
    the same. Which of the threads that come here come together is not said.

    ```mlir
    %here = tile.active_mask
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_TableOp : Tile_Op<"table", [Pure]> {
  let summary = "memory with numbers that are known";
  let description = [{
    The address of elements that all threads read and nobody writes. Truth values are bytes.

    ```mlir
    %weights = tile.table dense<[0.25, 0.5, 0.25]> : tensor<3xf32> : <f32>
    ```
  }];
  let arguments = (ins ElementsAttr:$elements);
  let results = (outs Tile_Pointer:$result);
  let assemblyFormat = "$elements attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The elements as they lie in memory.
    std::string bytes();
  }];
}

#endif
