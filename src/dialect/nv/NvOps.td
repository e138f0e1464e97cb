// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef NEREID_NV_OPS
#define NEREID_NV_OPS

include "dialect/nv/NvDialect.td"
include "dialect/tile/TileDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Nv_Tile : RankedTensorOf<[AnyType]>;

def Nv_ConvertOp : Op<Nv_Dialect, "convert", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType,
    DeclareOpInterfaceMethods<Tile_LaneOpInterface, ["movesLanes"]>]> {
  let summary = "the same tile, held by other threads";
  let description = [{
    Registers change their names, lanes of a warp exchange them, or the tile goes through shared
    memory: what is left of `inverse(result's layout) . source's layout` decides.

    ```mlir
    %turned = nv.convert %x : tensor<64x64xf32, #nv.layout<...>> -> tensor<64x64xf32, #nv.layout<...>>
    ```
  }];
  let arguments = (ins Nv_Tile:$source);
  let results = (outs Nv_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Nv_SyncOp : Op<Nv_Dialect, "sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the threads of a program wait for one another";
  let description = [{
    What any of them did to memory before is seen by all of them afterwards. Stands between two
    accesses of one element by different threads.

    ```mlir
    nv.sync
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Nv_ClockOp : Op<Nv_Dialect, "clock", [
    DeclareOpInterfaceMethods<Tile_AccessOpInterface>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a warp notes that it has done what stands before, and when";
  let description = [{
    `what` is a row of clocks.def. The values are there when the clock is read. Its place is the lines of
    what has been done. Only kernels that are profiled have any.

    ```mlir
    %x = tile.load %p
    nv.clock "load"
    nv.clock "await_load" %x : tensor<1024xf32>
    ```
  }];
  let arguments = (ins StrAttr:$what, Variadic<AnyType>:$awaited);
  let assemblyFormat = "$what ($awaited^ `:` type($awaited))? attr-dict";
  let extraClassDefinition = [{
    ::nereid::tile::Access $cppClass::getAccess() { return {}; }
  }];
  let hasVerifier = 1;
}

include "dialect/nv/NvClusterOps.td"

// Shared memory

/// Touches no memory that programs share.
class Nv_SharedOp<string mnemonic, list<Trait> traits = []>
    : Op<Nv_Dialect, mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<Tile_AccessOpInterface>])> {
  let extraClassDefinition = [{
    ::nereid::tile::Access $cppClass::getAccess() { return {}; }
  }];
}

def Nv_AllocOp : Nv_SharedOp<"alloc", [MemoryEffects<[MemAlloc, MemRead, MemWrite]>]> {
  let summary = "room for tiles of one type, one after the other";
  let description = [{
    The result is the first of them. Rooms are a stack: what is allocated last is freed first, in the
    block that allocated it.

    `reserved` is what a block is believed to take of shared memory at most as long as the room is there, itself
    included, in bytes. Whoever made the room chose its stages by it, and the allocator is held against it.
    ```mlir
    %ring = nv.alloc stages 4 {reserved = 98304 : i64} : !nv.shared<...>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$stages,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$reserved);
  let builders = [OpBuilder<(ins "mlir::Type":$result, "unsigned":$stages), [{
    build($_builder, $_state, result, stages, mlir::IntegerAttr());
  }]>];
  let results = (outs Nv_Shared:$result);
  let assemblyFormat = "`stages` $stages attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Nv_FreeOp : Nv_SharedOp<"free", [MemoryEffects<[MemFree, MemRead, MemWrite]>]> {
  let summary = "nobody uses the room that was allocated last any more";
  let description = [{
    ```mlir
    nv.free %ring : !nv.shared<...>
    ```
  }];
  let arguments = (ins Nv_Shared:$room);
  let assemblyFormat = "$room attr-dict `:` type($room)";
  let hasVerifier = 1;
}

def Nv_SlotOp : Nv_SharedOp<"slot", [Pure, AllTypesMatch<["room", "result"]>]> {
  let summary = "one of the tiles that room was made for";
  let description = [{
    ```mlir
    %slot = nv.slot %ring[%i] : !nv.shared<...>
    ```
  }];
  let arguments = (ins Nv_Shared:$room, I32:$index);
  let results = (outs Nv_Shared:$result);
  let assemblyFormat = "$room `[` $index `]` attr-dict `:` type($room)";
  let hasVerifier = 1;
}

def Nv_ViewOp : Nv_SharedOp<"view", [Pure]> {
  let summary = "the same memory, with dimensions in another order";
  let description = [{
    Dimension i of the result is dimension order[i] of the source.
    ```mlir
    %turned = nv.view %slot order [1, 0] : !nv.shared<...> -> !nv.shared<...>
    ```
  }];
  let arguments = (ins Nv_Shared:$source, DenseI32ArrayAttr:$order);
  let results = (outs Nv_Shared:$result);
  let assemblyFormat = "$source `order` $order attr-dict `:` type($source) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::llvm::ArrayRef<int32_t>":$order)>];
  let hasVerifier = 1;
}

def Nv_ReadOp : Nv_SharedOp<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "a tile from shared memory to registers";
  let description = [{
    ```mlir
    %tile = nv.read %slot : !nv.shared<...> -> tensor<128x64xf16>
    ```
  }];
  let arguments = (ins Nv_Shared:$source);
  let results = (outs Nv_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Nv_WriteOp : Nv_SharedOp<"write", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a tile from registers to shared memory, for everybody to see";
  let description = [{
    Waits until nobody reads the old one, and until the new one is there.
    ```mlir
    nv.write %tile -> %room : tensor<128x64xf16> -> !nv.shared<...>
    ```
  }];
  let arguments = (ins Nv_Tile:$tile, Nv_Shared:$target);
  let assemblyFormat = "$tile `->` $target attr-dict `:` type($tile) `->` type($target)";
  let hasVerifier = 1;
}

def Nv_TurnOp : Nv_SharedOp<"turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a tile of bytes to where its neighbours lie along the other dimension, for everybody to see";
  let description = [{
    Waits as nv.write does. The threads take it through registers, two bytes of a row at a time.
    ```mlir
    nv.turn %slot -> %room : !nv.shared<...> -> !nv.shared<...>
    ```
  }];
  let arguments = (ins Nv_Shared:$source, Nv_Shared:$target);
  let assemblyFormat = "$source `->` $target attr-dict `:` type($source) `->` type($target)";
  let hasVerifier = 1;
}

// Copies that go on by themselves (cp.async)

def Nv_CopyOp : Op<Nv_Dialect, "copy", [
    DeclareOpInterfaceMethods<Tile_AccessOpInterface>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begins to copy a tile from global to shared memory";
  let description = [{
    Elements whose mask is false become zero. With `left`, the mask is false from some place of a row on
    that need not be at the end of what is copied at once: of the elements there and behind, so many are
    to be copied, if the mask is true at the first. No more are copied at once than `together`, which is
    how many `left` looks at.

    ```mlir
    nv.copy %ptrs mask %inside -> %slot : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi1> -> !nv.shared<...>
    ```
  }];
  let arguments = (ins RankedTensorOf<[Tile_Pointer]>:$pointer, RankedTensorOf<[I1]>:$mask,
                       Nv_Shared:$target, Optional<RankedTensorOf<[I32]>>:$left,
                       OptionalAttr<I32Attr>:$together);
  let builders = [OpBuilder<(ins "mlir::Value":$pointer, "mlir::Value":$mask, "mlir::Value":$target), [{
    build($_builder, $_state, pointer, mask, target, mlir::Value(), mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    $pointer `mask` $mask (`left` $left^ `together` $together `:` type($left))? `->` $target attr-dict
    `:` type($pointer) `,` type($mask) `->` type($target)
  }];
  let extraClassDeclaration = [{
    /// What decides how many elements are masked alike: null where `left` says how many are.
    ::mlir::Value maskOfRuns() { return getLeft() ? ::mlir::Value() : getMask(); }
  }];
  let hasVerifier = 1;
}

def Nv_CommitCopiesOp : Nv_SharedOp<"commit_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the copies since the last commit are a group";
  let assemblyFormat = "attr-dict";
}

def Nv_AwaitCopiesOp : Nv_SharedOp<"await_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until everybody sees what all but the newest groups have copied";
  let description = [{
    The threads of the program meet here.
    ```mlir
    nv.await_copies pending 2
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
}

// Boxes: what the copy engine (TMA) moves, and the rings that one warp fills and the others read

def Nv_BoxOp : Op<Nv_Dialect, "box", [Pure, AttrSizedOperandSegments]> {
  let summary = "an array as the copy engine sees it";
  let description = [{
    The element at coordinates (c0, c1, ...) lies at base + offset + c0 + c1 * strides[0] + ..., all in
    elements; beyond the extents all elements are zero. All of that is computed from the kernel's
    parameters alone, so that the launch can make the tensor map, if each of `multiples` is positive and
    a multiple of its divisor; where it cannot, it launches a kernel without boxes. `shape` is what one
    copy moves: rows that lie `step` apart.
    ```mlir
    %box = nv.box %a_ptr offset %zero extents %K, %M strides %stride multiples %M of [128] shape [64, 128]
        : !tile.ptr<f16>
    ```
  }];
  let arguments = (ins Tile_Pointer:$base, I64:$offset, Variadic<I64>:$extents, Variadic<I64>:$strides,
                       Variadic<AnySignlessInteger>:$multiples, DenseI64ArrayAttr:$divisors,
                       DenseI64ArrayAttr:$shape,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$step);
  let results = (outs Nv_Box:$result);
  let assemblyFormat = [{
    $base `offset` $offset `extents` $extents (`strides` $strides^)?
    (`multiples` $multiples^ `:` type($multiples))? `of` $divisors `shape` $shape (`step` $step^)? attr-dict
    `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Nv_RingOp : Nv_SharedOp<"ring", [MemoryEffects<[MemAlloc, MemRead, MemWrite]>]> {
  let summary = "room for tiles that one warp fetches and the others read, in the same order";
  let description = [{
    The result is the first slot. Each role keeps its own place in the ring; slots are used one after the
    other, and again from the first. Stands at the beginning of a kernel. `reserved` is as nv.alloc's.
    ```mlir
    %ring = nv.ring stages 4 : !nv.shared<...>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$stages,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$reserved);
  let builders = [OpBuilder<(ins "mlir::Type":$result, "unsigned":$stages), [{
    build($_builder, $_state, result, stages, mlir::IntegerAttr());
  }]>];
  let results = (outs Nv_Shared:$result);
  let assemblyFormat = "`stages` $stages attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Nv_FetchOp : Nv_SharedOp<"fetch", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "begins to copy a tile into the ring's next slot, as soon as that is free";
  let description = [{
    Coordinates go from the innermost, as the box's do. With `turned`, a tile of bytes is for nobody but other
    warps of the producer, which take it to the next slot of that ring, as nv.turn does.
    ```mlir
    nv.fetch %box[%k, %row] -> %ring : !nv.shared<...>
    nv.fetch %box[%k, %row] -> %ring turned %along : !nv.shared<...>, !nv.shared<...>
    ```
  }];
  let arguments = (ins Nv_Box:$box, Variadic<I32>:$at, Nv_Shared:$ring, Optional<Nv_Shared>:$turned);
  let assemblyFormat = [{
    $box `[` $at `]` `->` $ring (`turned` $turned^)? attr-dict `:` type($ring) (`,` type($turned)^)?
  }];
  let hasVerifier = 1;
}

def Nv_AwaitSlotOp : Nv_SharedOp<"await_slot", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the ring's next tile is there; the number of its slot";
  let arguments = (ins Nv_Shared:$ring);
  let results = (outs I32:$index);
  let assemblyFormat = "$ring attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def Nv_ReleaseOp : Nv_SharedOp<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "this warp does not read the oldest slot of the ring any more that it has awaited";
  let description = [{
    Nothing, if no more than `pending` of those that it has awaited are unreleased: the first round of a
    loop whose product stays in flight releases nothing.
    ```mlir
    nv.release %ring pending 1 : !nv.shared<...>
    ```
  }];
  let arguments = (ins Nv_Shared:$ring, ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$ring `pending` $pending attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def Nv_FetchRowOp : Nv_SharedOp<"fetch_row", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begins to copy neighbours of an array into the ring's next slots";
  let description = [{
    A row of `slots` times as many elements as a slot has, of which the first `count` are copied, piece by
    piece, each as soon as its slot is free. The pointer and all that is copied are multiples of 16 bytes.
    ```mlir
    nv.fetch_row %first count %n -> %ring slots 8 : !tile.ptr<f32>, !nv.shared<...>
    ```
  }];
  let arguments = (ins Tile_Pointer:$first, I32:$count, Nv_Shared:$ring,
                       ConfinedAttr<I32Attr, [IntPositive]>:$slots);
  let assemblyFormat = [{
    $first `count` $count `->` $ring `slots` $slots attr-dict `:` type($first) `,` type($ring)
  }];
  let hasVerifier = 1;
}

def Nv_PrefetchRowOp : Nv_SharedOp<"prefetch_row", [MemoryEffects<[MemWrite]>]> {
  let summary = "asks for neighbours of an array to be in the second-level cache";
  let description = [{
    If the condition holds: `count` elements, of which pointer and length are multiples of 16 bytes.
    Before the block's next barrier, when the threads have what they have loaded so far.
    ```mlir
    nv.prefetch_row %first count %n if %exists : !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_Pointer:$first, I32:$count, I1:$condition);
  let assemblyFormat = "$first `count` $count `if` $condition attr-dict `:` type($first)";
  let hasVerifier = 1;
}

def Nv_ReadRowOp : Nv_SharedOp<"read_row", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a row out of the ring's next slots, which are free afterwards";
  let description = [{
    Waits for each piece. Elements from `count` on, which were not fetched, are those of `other`, or zero
    without one.

    ```mlir
    %row = nv.read_row %ring slots 8 count %n other %x : !nv.shared<...> -> tensor<8192xf32>
    ```
  }];
  let arguments = (ins Nv_Shared:$ring, ConfinedAttr<I32Attr, [IntPositive]>:$slots, I32:$count,
                       Optional<Nv_Tile>:$other);
  let results = (outs Nv_Tile:$result);
  let assemblyFormat = [{
    $ring `slots` $slots `count` $count (`other` $other^ `:` type($other))? attr-dict
    `:` type($ring) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Nv_KeepRowOp : Nv_SharedOp<"keep_row", [MemoryEffects<[MemAlloc, MemRead, MemWrite]>]> {
  let summary = "begins to copy neighbours of an array to a room that keeps them to the end";
  let description = [{
    A row of `slots` times as many elements as a slot has, of which the first `count` are copied, all of them at once; the
    others are `other`, or zero without one. The pointer and all that is copied are multiples of 16 bytes. `reserved` is as
    nv.alloc's. Stands in the kernel's body.
    ```mlir
    %room = nv.keep_row %first count %n slots 6 : !tile.ptr<f32> -> !nv.shared<...>
    ```
  }];
  let arguments = (ins Tile_Pointer:$first, I32:$count,
                       Optional<AnyTypeOf<[AnySignlessInteger, AnyFloat]>>:$other,
                       ConfinedAttr<I32Attr, [IntPositive]>:$slots,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$reserved);
  let results = (outs Nv_Shared:$room);
  let assemblyFormat = [{
    $first `count` $count (`other` $other^ `:` type($other))? `slots` $slots attr-dict
    `:` type($first) `->` type($room)
  }];
  let hasVerifier = 1;
}

def Nv_ReadKeptOp : Nv_SharedOp<"read_kept", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a piece of a row that a room keeps, once it is there";
  let description = [{
    As often as it is wanted: it stays.
    ```mlir
    %piece = nv.read_kept %room[%i] : !nv.shared<...> -> tensor<4096xf32>
    ```
  }];
  let arguments = (ins Nv_Shared:$room, I32:$index);
  let results = (outs Nv_Tile:$result);
  let assemblyFormat = "$room `[` $index `]` attr-dict `:` type($room) `->` type($result)";
  let hasVerifier = 1;
}

def Nv_ProduceOp : Nv_SharedOp<"produce", [
    SingleBlock, NoTerminator, NoRegionArguments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "what one warp more than the kernel's does, and nothing else";
  let description = [{
    One thread of it runs the region, beside the warps that run the rest of the kernel. Where something is fetched to be
    turned, two warps more of the producer run the region as well, and do nothing of it but that.

    ```mlir
    nv.produce {
      scf.for ... { nv.fetch ... }
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasVerifier = 1;
}

def Nv_SendOp : Op<Nv_Dialect, "send", [
    DeclareOpInterfaceMethods<Tile_AccessOpInterface>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begins to copy a tile from registers to a box of an array";
  let description = [{
    Some of its columns, or of its rows, at a time go through the room, whose slots take turns. What lies
    beyond the box's extents is left out. What a program has sent is there when it sends again, or when the
    kernel ends; a kernel that releases (docs/memory-model.md) sends nothing. One that `adds` adds its floats to the array's,
    each for itself and in any order, and its room holds the whole tile.
    `grid` and `columns` say how the tile lies, as with nv.multiply, or `lies` does, of one that was turned.

    ```mlir
    nv.send %tile through %room -> %box[%n, %m] grid [2, 1] columns 256
        : tensor<128x256xf16>, !nv.shared<128x64xf16, ...>
    ```
  }];
  let arguments = (ins Nv_Tile:$tile, Nv_Shared:$room, Nv_Box:$box, Variadic<I32>:$at,
                       DenseI32ArrayAttr:$grid, I32Attr:$columns, OptionalAttr<Nv_Layout>:$lies, UnitAttr:$adds);
  let assemblyFormat = [{
    $tile `through` $room `->` $box `[` $at `]` `grid` $grid `columns` $columns (`lies` $lies^)? (`adds` $adds^)? attr-dict
    `:` type($tile) `,` type($room)
  }];
  let extraClassDeclaration = [{
    /// Where the threads have it.
    ::nereid::layout::LinearLayout tileLayout();
    /// How many parts of the tile, each as large as a slot, go through the room.
    unsigned partCount();
  }];
  let hasVerifier = 1;
}

def Nv_AwaitSentOp : Nv_SharedOp<"await_sent", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "what was sent from the room has been read at the next barrier of the block";
  let description = [{
    The thread that sends waits for it there. An nv.send behind that barrier needs none of its own before the room is written.
    ```mlir
    nv.await_sent %room : !nv.shared<...>
    ```
  }];
  let arguments = (ins Nv_Shared:$room);
  let assemblyFormat = "$room attr-dict `:` type($room)";
  let hasVerifier = 1;
}

def Nv_ProgramsOp : Nv_SharedOp<"programs", [
    SingleBlockImplicitTerminator<"EndProgramOp">, NoRegionArguments,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "what this block does for each of its programs, one after the other";
  let description = [{
    Fewer blocks than there are programs are launched, each for every so many-th program. Inside of it,
    tile.program_id is the program's.

    ```mlir
    nv.programs {
      %pid = tile.program_id x
      ...
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasVerifier = 1;
}

def Nv_EndProgramOp : Nv_SharedOp<"end_program", [Terminator, Pure, HasParent<"ProgramsOp">]> {
  let summary = "ends a program of a block";
  let assemblyFormat = "attr-dict";
}

include "dialect/nv/NvProductOps.td"

#endif
