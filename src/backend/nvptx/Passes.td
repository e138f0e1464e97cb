// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the NVIDIA back end. Each says what it does, with the IR before and after; pipeline.def says in which order they run, and why.
#ifndef NEREID_NVPTX_PASSES
#define NEREID_NVPTX_PASSES
include "mlir/Pass/PassBase.td"
class NvptxPass<string name> : Pass<name, "::mlir::func::FuncOp"> {
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::nereid::nv::NvDialect",
                           "::nereid::tile::TileDialect"];
}

def Configure : NvptxPass<"nvptx-configure"> {
  let summary = "writes down what the kernel is compiled for";
  let description = [{
    All other passes ask `nv.configuration`. Where nobody said how many warps run a program, its tiles decide.
    ```mlir
    func.func @add(...) attributes {tile.kernel}
    // after
    func.func @add(...) attributes {tile.kernel, nv.configuration = #nv.configuration<sm = "sm_90a", warps = 4>}
    ```
  }];
  let options = [
    Option<"sm", "sm", "std::string", /*default=*/"\"sm_90a\"", "which GPU, by its name in sm.def">,
    Option<"warps", "warps", "unsigned", "0", "how many run a program; 0: as tiles ask for">,
    Option<"stages", "stages", "unsigned", "0", "rounds of a loop in shared memory; 0: as many as help">,
    Option<"registers", "registers", "unsigned", "0", "the most of a thread; 0: as the assembler decides">,
    Option<"boxes", "boxes", "bool", "true", "whether launches make tensor maps">,
    ListOption<"policy", "policy", "std::string", "NAME=NUMBER of policy.def, where it is another">];
}

def AssumeMultiples : NvptxPass<"nvptx-assume-multiples"> {
  let summary = "says of which numbers wide copies of factors depend";
  let description = [{
    A launch says of a stride only whether it is a multiple of 16. Where loads that products multiply, or stores beside
    them, would take more bytes at once if some parameters were multiples of a number, these parameters are marked
    with it: the launch has another kernel made if its numbers are. In that kernel (`assumed_bytes` of the policy)
    they are known to be.

    ```mlir
    func.func @matmul(%a: !tile.ptr<f16> {tile.divisibility = 16}, ..., %stride: i32) attributes {tile.kernel}
    // after, of the kernel that a launch compiles first
    func.func @matmul(...) attributes {nv.wanted_multiples = array<i64: 0, ..., 8>, tile.kernel}
    // after, of the one for strides of 4100
    func.func @matmul(..., %stride: i32 {tile.divisibility = 4})
        attributes {nv.assumed_multiples = array<i64: 0, ..., 4>, tile.kernel}
    ```
  }];
}

// Tiles, before anything is said about threads
def SelectBranches : NvptxPass<"nvptx-select-branches"> {
  let summary = "makes short branches that give tiles into selects, and alike ones into one";
  let description = [{
    Sides that do the same with other numbers or pointers become one, which takes what is selected before it. Sides of
    a few operations (`selected_operations` of the policy) are both computed, without a branch at which a tile has to be
    whole in registers. What a branch of few short rounds loads is loaded under a mask, in several rounds together. Left as it is:
    another side that loads, divides integers, has a function of math or leaves what a loop carries; and kernels of threads.

    ```mlir
    %w = scf.if %c { scf.yield (arith.addf %v, %one) } else { scf.yield %v }
    // after
    %w = arith.select (tile.splat %c), (arith.addf %v, %one), %v
    ```
  }];
}

def SpreadRows : NvptxPass<"nvptx-spread-rows"> {
  let summary = "spreads rows that one block cannot hold over several";
  let description = [{
    Thread block clusters. A row that is reduced and that a block's registers do not hold is taken apart: as many
    blocks run the program together as hold it, each with its part of the rows. What blocks have reduced they tell one another
    through distributed shared memory; what is no row is computed by each and written by the first. Left as it is: kernels
    that do more than to load rows, compute lane by lane, reduce and store, and where one block may write
    what another one reads or writes.
    ```mlir
    %v = tile.load %p : tensor<131072x!tile.ptr<f32>>
    %sum = tile.reduce %v
    // after, with nv.cluster = 8
    %block = nv.block_of_program
    %v = tile.load (%p at %block * 16384) : tensor<16384x!tile.ptr<f32>>
    %own = tile.reduce %v
    %all:8 = nv.gather_blocks %own blocks 8
    %sum = %all#0 + ... + %all#7
    ```
  }];
}

def LoopOverPieces : NvptxPass<"nvptx-loop-over-pieces"> {
  let summary = "loops over the pieces of tiles that registers cannot hold";
  let description = [{
    Tiling against register pressure. A store of a tile, or a reduction along its only long dimension, goes over
    pieces that fit, and computes each from pieces of what the tile is computed from. What several of them need is
    computed, and loaded, once for each; but where the copy engine can bring a row, it is kept in shared memory
    (`nv.keep_row`), the pieces that do not fit there in registers, and loaded once. So is a part of a row that a cluster has
    and that takes more registers than it leaves for another block. Left as it is: kernels with products; what moves elements between pieces; and
    where a write between a load and its use may change what is loaded.
    ```mlir
    %v = tile.load %p : tensor<131072x!tile.ptr<f32>>
    tile.store %q, %v
    // after
    scf.for %i = %c0 to %c131072 step %c32768 {
      %v = tile.load (%p at %i) : tensor<32768x!tile.ptr<f32>>
      tile.store (%q at %i), %v
    }
    ```
  }];
}

def LoopOverRows : NvptxPass<"nvptx-loop-over-rows"> {
  let summary = "computes for some rows after the others what registers cannot hold for all";
  let description = [{
    Sums of products that loops carry, and that together do not fit (attention's backward pass:
    gradients of keys and values). All that leads to their stores, the loops included, goes into a loop
    over pieces of rows; what rows share is loaded once for each piece.
    ```mlir
    %a:2 = scf.for ... { dot %p, %x, %sum0; dot %q, %y, %sum1 }
    tile.store %pa, %a#0; tile.store %pb, %a#1
    // after
    scf.for %rows = ... {
      %a:2 = scf.for ... { dot %p[rows], %x, %sum0; dot %q[rows], %y, %sum1 }
      tile.store %pa[rows], %a#0; tile.store %pb[rows], %a#1
    }
    ```
  }];
}

def PartRounds : NvptxPass<"nvptx-part-rounds"> {
  let summary = "makes the products of a round for some rows or columns after the others, where all their sums find no registers";
  let description = [{
    Rounds whose products begin at nothing and are scaled, or worked on otherwise, before they are added to what the
    loop carries (eight-bit factors with scales of blocks): both together may be more than a thread has. The round does its work for
    some rows, and then for the others (or columns, where warps have no fewer rows), so that the sums of a round are fewer; what the parts share is loaded once.
    ```mlir
    %t = scf.for ... iter_args(%sum = ...) { %d = dot %p, %x, zeros; %s = %d * ...; yield %sum + %s }
    tile.store %pt, %t
    // after
    %t:2 = scf.for ... iter_args(%upper = ..., %lower = ...) {
      %d = dot %p[upper rows], %x, zeros; %s = %d * ...; %u = %upper + %s
      %e = dot %p[lower rows], %x, zeros; %f = %e * ...; %l = %lower + %f
      yield %u, %l
    }
    tile.store %pt[upper rows], %t#0; tile.store %pt[lower rows], %t#1
    ```
  }];
}

def AddWarps : NvptxPass<"nvptx-add-warps"> {
  let summary = "gives a program more warps than its launch asks for, where these cannot hold its tiles";
  let description = [{
    A thread has at most 255 registers. Where what it is to hold across a reduction and from round to round takes more
    (`held_registers`), each round would write it to memory and read it back; so there are twice as many warps, until
    `sum_registers` suffice or there are `most_warps`. Left alone are kernels that ask how many warps there are, have
    assembly, multiply by `tl.dot` or say what registers they want; and what others have made pieces or parts of.
    ```mlir
    func.func @k(...) attributes {nv.configuration = #nv.configuration<sm = "sm_90a", warps = 1>} {
      %sums = scf.for ... iter_args(%sum = %zeros) -> (tensor<4096xf32>) { ... tile.reduce(%product) ... }
    // after
    func.func @k(...) attributes {nv.configuration = #nv.configuration<sm = "sm_90a", warps = 4>} {
    ```
  }];
}
def WidenProducts : NvptxPass<"nvptx-widen-products"> {
  let summary = "gives products types that tensor cores have";
  let description = [{
    Sums of 16 bits become sums of 32, rounded at the end; factors of 8-bit floats that no instruction
    of the GPU multiplies, or not as exactly as the product asks, become factors of f16, which has all
    their values. Leaves no sum of 16 bits.
    ```mlir
    %s = tile.dot %a, %b, %acc : tensor<64x64xf16>
    // after
    %w = tile.dot %a, %b, (arith.extf %acc) : tensor<64x64xf32>
    %s = arith.truncf %w
    ```
  }];
}

def OrderPrograms : NvptxPass<"nvptx-order-programs"> {
  let summary = "begins with the programs that have most to do";
  let description = [{
    Longest-first scheduling. Marks a kernel whose later programs along x have longer loops of products (causal attention):
    its blocks, which begin in order, count programs from the last, so that the short ones are left for
    the end, when SMs run out of work one after the other. Not where programs may wait for others:
    those may count on the ones before them having begun.
    ```mlir
    func.func @attention(...) { scf.for %n = %c0 to (%pid * 128 + 128) { tile.dot ... } }
    // after
    func.func @attention(...) attributes {nv.last_program_first, nv.grows_along_x_alone} { ... }
    ```
  }];
}

def SplitAtMask : NvptxPass<"nvptx-split-at-mask"> {
  let summary = "splits loops where a mask begins to matter";
  let description = [{
    Loops of products that choose enough elements (`chosen_elements`) by a comparison which holds for whole
    tiles in the first rounds (causal attention, below the diagonal) become two: the first without the choice.
    ```mlir
    scf.for %n = %c0 to %end { %s = tile.dot ...; select (%rows >= %n + %columns), %s, %minus_inf }
    // after
    scf.for %n = %c0 to %middle { %s = tile.dot ... }
    scf.for %n = %middle to %end { %s = tile.dot ...; select (%rows >= %n + %columns), %s, %minus_inf }
    ```
  }];
}

def SplitProducts : NvptxPass<"nvptx-split-products"> {
  let summary = "makes products of f32 products of narrower parts";
  let description = [{
    Those that ask for parts (`tf32x3`, `bf16x3`, `bf16x6`) become products of these parts, the smallest
    first. Whose shape no tensor core takes stays whole.
    ```mlir
    %s = tile.dot %a, %b, %acc precision tf32x3
    // after
    %0 = tile.dot %a.small, %b.big, %acc precision tf32
    %1 = tile.dot %a.big, %b.small, %0 precision tf32
    %s = tile.dot %a.big, %b.big, %1 precision tf32
    ```
  }];
}

def HoistFactors : NvptxPass<"nvptx-hoist-factors"> {
  let summary = "makes factors before loops whose rounds make them alike";
  let description = [{
    With all that they are made of, loads too, if nobody writes there meanwhile and the loop is known to have a
    round. Tensor cores then read out of shared memory or registers what was put there once.
    ```mlir
    scf.for ... { %scaled = arith.mulf %q, %scale; %s = tile.dot %scaled, %k, %zero }
    // after
    %scaled = arith.mulf %q, %scale
    scf.for ... { %s = tile.dot %scaled, %k, %zero }
    ```
  }];
}

def TransposeProducts : NvptxPass<"nvptx-transpose-products"> {
  let summary = "exchanges factors of which only the left one may lie as it does";
  let description = [{
    Warpgroups read factors of four bytes out of shared memory along the sum alone. Where the left factor of a round
    lies so and the right one does not, its columns become rows: that one is the left factor then, which may be in
    registers, and the other one is read where it lies. Rows of a left factor that is read into registers are in an
    order in which they come out of shared memory without conflicts of banks. The sums that the loop carries are as
    they were behind it.
    ```mlir
    %s = scf.for ... iter_args(%sum = %zero) { yield (tile.dot %a, %b, %sum) }
    // after
    %t = scf.for ... iter_args(%sum = %zero) { yield (tile.dot (tile.permute %b), (tile.permute %a), %sum) }
    %s = tile.permute %t
    ```
  }];
}

def ChooseProducts : NvptxPass<"nvptx-choose-products"> {
  let summary = "decides who computes each product";
  let description = [{
    Writes on each tile.dot who multiplies, with what overlap and in which chain (#nv.product). All later
    passes read it; none asks anew, since the answer depends on the products around.
    ```mlir
    tile.dot %a, %b, %sums
    // after
    tile.dot %a, %b, %sums {nv.product = #nv.product<by = warpgroups, below = 2, beside = 1, columns = 256, overlap = in_flight>}
    ```
  }];
}

def TurnProducts : NvptxPass<"nvptx-turn-products"> {
  let summary = "lets warps turn factors of bytes on their way from shared memory to registers";
  let description = [{
    Instructions read factors of 8 bits along the sum's dimension alone. One that memory has along the other becomes the
    left factor in registers, by `ldmatrix.trans`, two bytes at a time, and `prmt`, beside the step before; of the right
    one the product is computed transposed. Not in chains, whose rows threads reduce, or where no round makes it
    anew: those go through shared memory, turned, as the right one does if both factors lie along the result.
    ```mlir
    tile.dot %a, %b, %sums {nv.product = #nv.product<by = warpgroups, below = 2, beside = 1, columns = 256>}
    // after
    tile.dot %a, %b, %sums {nv.product = #nv.product<by = warpgroups, below = 1, beside = 2, columns = 128, turned = right>}
    ```
  }];
}

// Shared memory
include "backend/nvptx/RingPasses.td"

def GroupLoads : NvptxPass<"nvptx-group-loads"> {
  let summary = "lets loads set out together, and sums be stored behind their products";
  let description = [{
    Batches loads. Moves loads up to the load before them, past what is computed of that one in between: `ptxas` begins
    accesses in the order in which it finds them. Not past reductions (a norm's weights, held
    until then, took a quarter of the resident warps), products, branches and accesses of memory that others
    may see, stores of other arrays apart, and only as long as the tiles of such a group take few registers. Outside of
    rounds, stores go up to the product whose sums they store, past other products and arithmetic: registers would hold them.
    ```mlir
    %x = tile.load %px; %f = math.exp %x; %y = tile.load %py
    // after
    %x = tile.load %px; %y = tile.load %py; %f = math.exp %x
    ```
  }];
}

// Products
def StageOperands : NvptxPass<"nvptx-stage-operands"> {
  let summary = "gives products to warpgroups";
  let description = [{
    Their right factors, and left ones that are not made in the same round, are read where they lie in
    shared memory, or are put there. Leaves no tile.dot that warpgroups compute.
    ```mlir
    %a = nv.read %slot_a; %b = nv.read %slot_b; %s = tile.dot %a, %b, %acc
    // after
    %m = nv.multiply %slot_a, %slot_b, %acc grid [2, 1] columns 256
    %s = nv.finish %m
    ```
  }];
}

def LoopOverDepth : NvptxPass<"nvptx-loop-over-depth"> {
  let summary = "reads factors of single threads' products out of shared memory";
  let description = [{
    Where they are more than registers should hold: out of the slots that were loaded ahead, where there
    are any. Those for which shared memory is too small stay as they are.
    ```mlir
    %s = tile.dot %a, %b, %acc precision ieee : tensor<128x128xf32>
    // after
    nv.write %a -> %room_a; nv.write %b -> %room_b
    %s = nv.multiply_add %room_a, %room_b, %acc warps 8
    ```
  }];
}

def OverlapProducts : NvptxPass<"nvptx-overlap-products"> {
  let summary = "lets the products of a round overlap";
  let description = [{
    Products of warpgroups (`wgmma`) in flight together, in loops that threads feed and, where the sums of several are
    awaited, in those that are fetched for: the first begins before the copies of later rounds. Of several, one whose
    factors and sums are there begins behind the one before, and each is waited for where its sums are used first, newer
    ones in flight; one that the round awaits before one that only later rounds do, if a third is in flight meanwhile.
    What the loop only adds up goes on into the next round, to its first product where left factors and the round's sums,
    as many as there are at once, are more than sum_registers, or fetched_sum_registers where a warp fetches. Rows that were fetched are read where they are wanted.

    ```mlir
    %p = nv.finish (nv.multiply %q, %k, %zero); %s = nv.finish (nv.multiply %do, %v, %zero)
    // after
    %0 = nv.multiply %q, %k, %zero; %1 = nv.multiply %do, %v, %zero
    %p = nv.finish %0 pending 1; ...; %s = nv.finish %1
    ```
  }];
}

def DelayProducts : NvptxPass<"nvptx-delay-products"> {
  let summary = "begins a product one round later, beside the next round's first";
  let description = [{
    Software pipelining of products, and ping-pong between warpgroups where registers do not suffice. A
    product made from another of the same round (attention's P V) is delayed, so that the tensor cores work while
    threads compute. Its left factor then takes registers beside the next round's first sums: where an SM
    has more warpgroups without that, and few with it, they take turns instead, and nothing is delayed.
    ```mlir
    scf.for ... { %s = finish(%q * %k); %p = f(%s); %sums = finish(%sums * %scale + %p * %v) }
    // after
    first round, without the last product
    scf.for ... {
      %s = begin(%q * %k); %last = begin(%sums + %p * %v); %p = f(finish(%s))
      %sums = finish(%last) * %scale
    }
    %sums = finish(%sums + %p * %v)
    ```
  }];
}

// Threads
def GiveRoles : NvptxPass<"nvptx-give-roles"> {
  let summary = "gives fetches to a warp of their own";
  let description = [{
    Warp specialization into a producer and consumers: fetches, and what they need, go to nv.produce; the other warps
    say when they have read a slot, and rings are free behind their last reader. nv.producer_warps says how many warps
    more run a program: one, or four, of which three do nothing, where two warpgroups want the registers that only a
    whole third one can give them.
    ```mlir
    scf.for ... { nv.fetch %box[...] -> %ring; %i = nv.await_slot %ring; multiply slot }
    // after, with nv.producer_warps = 1
    nv.produce { scf.for ... { nv.fetch %box[...] -> %ring } }
    scf.for ... { %i = nv.await_slot %ring; multiply slot; nv.release %ring pending 1 }
    nv.free %ring
    ```
  }];
}

def UnrollExchanges : NvptxPass<"nvptx-unroll-exchanges"> {
  let summary = "writes the rounds of sorting networks one behind the other";
  let description = [{
    Where the places whose elements a round exchanges follow from the round's number, each round gets its own text: a
    partner that is known lies in another register of the thread, or in another lane of the warp, and seldom in
    another warp. Networks of too many rounds or registers stay loops, whose exchanges go through shared memory.
    ```mlir
    scf.for %step = 0 to 3 { %other = tile.gather %x at (%place ^ (4 >> %step)) axis 0 }
    // after
    %other = tile.gather %x at (%place ^ 4) axis 0
    %other = tile.gather %x at (%place ^ 2) axis 0
    %other = tile.gather %x at (%place ^ 1) axis 0
    ```
  }];
}

include "backend/nvptx/LayoutPasses.td"

#endif
