// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes from where tiles have layouts on, and one that prepares them for stores; the others, and what a pass is here, stand in
// Passes.td.
#ifndef NEREID_NVPTX_LAYOUT_PASSES
#define NEREID_NVPTX_LAYOUT_PASSES

def AlignStores : NvptxPass<"nvptx-align-stores"> {
  let summary = "stores sums 16 bytes at a time where a program finds that their rows begin at multiples of that";
  let description = [{
    Where an array begins and how long its rows are may stand in memory, as for products of which each has sizes of its own: no launch
    knows what that is a multiple of (nvptx-assume-multiples asks it about parameters), and elements of two bytes would be stored one by
    one. The store is there twice, and what the program has loaded decides. Of tiles made from products, which threads exchange for the
    store either way.
    ```mlir
    tile.store %p, %v
    // after
    scf.if %aligned { tile.store (tile.hint divisibility %p [1, 16]), %v } else { tile.store %p, %v }
    ```
  }];
}

def AssignLayouts : NvptxPass<"nvptx-assign-layouts"> {
  let summary = "says which thread holds which element of each tile";
  let description = [{
    Gives the type of every tile a layout over the configuration's warps, and puts an nv.convert where a value is
    wanted in another layout than it has and cannot cheaply be computed in (docs/gpu.md, "Who decides").

    ```mlir
    %v = tile.load %p : tensor<1024x!tile.ptr<f32>>
    // after
    %v = tile.load %p : tensor<1024x!tile.ptr<f32>, #nv.layout<"{register: [1, 2, 512], lane: [4, ...], warp: [...]}">>
    ```
  }];
}

def HoistConversions : NvptxPass<"nvptx-hoist-conversions"> {
  let summary = "sends what no round changes to other threads before the loop";
  let description = [{
    An nv.convert whose source is made before the loop stands before it, too, if it moves elements between
    threads, and a thread's registers (sum_registers) hold the result besides what the loop carries and a product of
    a round leaves. Who wants the tile in that layout further on takes it from there, and if nobody wants it as
    it was, other layouts are made of it as well. In branches, and where registers do not suffice, it stays.

    ```mlir
    scf.for ... { %w = nv.convert %a; %s = tile.dot %w, %b, %c }
    // after
    %w = nv.convert %a
    scf.for ... { %s = tile.dot %w, %b, %c }
    ```
  }];
}

def ReduceBehindLoops : NvptxPass<"nvptx-reduce-behind-loops"> {
  let summary = "lets each thread add up what it has itself, and all of them behind the loop";
  let description = [{
    Of a loop whose rounds do nothing with a number (or tile of numbers) but add to it what they reduce, or take the greater of both, or
    bring them together by another operation that may be done in any order: rounds carry what each thread has, and threads meet once,
    behind the loop, for no round needs the whole. It takes the registers that a thread has for the results, which were copies; where it
    takes more, all that the loop carries is under sum_registers. Sums of floats may differ in their last bits.

    ```mlir
    %s = scf.for ... iter_args(%sum = %first) { %r = tile.reduce (%x) axis 0 {...}; yield (addf %sum, %r) }
    // after
    %p = scf.for ... iter_args(%part = dense<-0.0>) {
      %t = tile.reduce (tile.reshape %x : 512x16 -> 128x4x16) axis 1 {...} // registers of a thread alone
      yield (addf %part, %t)
    }
    %s = addf %first, (tile.reduce (%p) axis 0 {...})
    ```
  }];
}

def JoinReductions : NvptxPass<"nvptx-join-reductions"> {
  let summary = "lets warps tell one another several results at once";
  let description = [{
    Reductions of tiles that lie alike become one, if warps have parts of their results and neither is computed from
    the other: parts pass through shared memory behind one barrier. What the second is made of goes before the
    first, if that is arithmetic.

    ```mlir
    %a = tile.reduce (%x) axis 0 {...}; %b = tile.reduce (%y) axis 0 {...}
    // after
    %a, %b = tile.reduce (%x, %y) axis 0 {...}
    ```
  }];
}

def LoadAhead : NvptxPass<"nvptx-load-ahead"> {
  let summary = "loads what rounds do with sums of products a round before";
  let description = [{
    Of a loop whose factors a warp fetches, and whose rounds compute with their products' sums: loads of a few registers
    (ahead_registers; the scales of eight-bit factors) set out in the round before, and before the loop, so that nobody waits for
    memory between two products. Nothing is read for a round that is none. What they read must not be written in the loop.

    ```mlir
    scf.for %i = ... { %s = tile.load %p[%i]; %v = nv.finish %product; ... mulf %v, %s }
    // after
    %first = tile.load %p[0], hasRounds
    scf.for %i = ... iter_args(%s = %first) { %n = tile.load %p[%i + 1], %i + 1 < %end; ... mulf %v, %s; yield %n }
    ```
  }];
}

def AlternateSums : NvptxPass<"nvptx-alternate-sums"> {
  let summary = "uses a product's sums beside the next round's product";
  let description = [{
    Of a loop whose factors a warp fetches, and whose rounds each make sums and add something of them to what the loop carries (scales of
    eight-bit factors): a round's product begins before the sums of the round before are used, in registers of its own. That goes for
    `alternating_rounds` rounds at a time, which are written out, since the assembler lets no product go on from a loop's end to its
    beginning if threads use its sums there; rounds that are left come one by one. Where rings have slots enough and threads registers.

    ```mlir
    scf.for %i = ... iter_args(%acc) { %p = nv.multiply %a[%i], ...; %v = nv.finish %p; nv.release; yield %acc + %v * %s }
    // after
    scf.for ... iter_args(%i, %acc) {
      %p = nv.multiply %a[%i], ...
      %q = nv.multiply %a[%i + 1], ...; %v = nv.finish %p pending 1; nv.release pending 1; %t = %acc + %v * %s
      %w = nv.finish %q; nv.release pending 0; yield %i + 2, %t + %w * %s
    }
    scf.for ... // as before
    ```
  }];
}

def OrderAccesses : NvptxPass<"nvptx-order-accesses"> {
  let summary = "puts barriers between accesses of one element by different threads";
  let description = [{
    An nv.sync before each access of global memory that may touch an element which another thread of the
    program touched before it, one of the two writing (analysis/AccessesApart). A program's own accesses
    keep the order of its text that way (docs/memory-model.md). All tiles have layouts.

    ```mlir
    tile.store %p, %v; %w = tile.load %q
    // after
    tile.store %p, %v; nv.sync; %w = tile.load %q
    ```
  }];
}

def InsertClocks : NvptxPass<"nvptx-insert-clocks"> {
  let summary = "lets warps note when they have done what";
  let description = [{
    For `nereid profile`, and for nothing else: an nv.clock behind each wait, access and product, and
    before it one for what was computed since the last; behind what loads have asked for, where it is
    used first; at the end of rounds and programs. Loops that only compute have none inside. Of `waits`
    only what waits has its own, of `rounds` only the ends of rounds and programs.

    ```mlir
    %i = nv.await_slot %ring
    %s = nv.multiply %a, %b, %sums
    // after
    %i = nv.await_slot %ring
    nv.clock "await_tile"
    %s = nv.multiply %a, %b, %sums
    nv.clock "product"
    ```
  }];
  let options = [Option<"detail", "detail", "std::string", /*default=*/"\"all\"", "a row of support/clock_details.def">];
}

#endif
