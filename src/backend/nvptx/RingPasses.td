// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes that lead what kernels load and store through shared memory; the others, and what a pass is here, stand in Passes.td.
#ifndef NEREID_NVPTX_RING_PASSES
#define NEREID_NVPTX_RING_PASSES

def FetchLoads : NvptxPass<"nvptx-fetch-loads"> {
  let summary = "lets the copy engine fetch what loops multiply";
  let description = [{
    Software pipelining by the copy engine (TMA), into a multi-stage circular buffer. Where every load that feeds
    warpgroups' products in loops is a box of an array, they become fetches into rings, which a warp of its own will
    do (nvptx-give-roles), and reads of their slots. Nothing changes if some load is no box, or the way to it cannot
    be run apart, or threads compute with several sums of a round, whose waits nvptx-ring-loads' products overlap: up to
    fetched_sums of a round whose adds the engine does. Rows of one dimension are fetched for them as well.
    Marks the stores that nvptx-send-stores shall give to the copy engine, and the kernel if rings leave room for
    nvptx-loop-over-programs.
    ```mlir
    scf.for ... { %a = tile.load %pa; %b = tile.load %pb; tile.dot %a, %b, %sum }
    // after
    %ra = nv.ring stages 4; %rb = nv.ring stages 4; %box_a = nv.box ...; %box_b = nv.box ...
    scf.for ... {
      nv.fetch %box_a[...] -> %ra; %i = nv.await_slot %ra; %a = nv.read (nv.slot %ra[%i])
      nv.fetch %box_b[...] -> %rb; %j = nv.await_slot %rb; %b = nv.read (nv.slot %rb[%j])
      tile.dot %a, %b, %sum
    }
    ```
  }];
}

def SendStores : NvptxPass<"nvptx-send-stores"> {
  let summary = "lets the copy engine store what products have added up, or add it";
  let description = [{
    The epilogue's stores by TMA. Stores that nvptx-fetch-loads marked go through a room of two slots, which lives as long as the
    operation of the kernel's body around them. Relaxed adds of f32 whose result nobody reads, to arrays that are only added
    to, go through a room for the whole tile: a round of a loop waits once for the one before.
    ```mlir
    tile.store %p, %v {nv.sent}
    // after
    %box = nv.box ...; %room = nv.alloc stages 2
    nv.send %v through %room -> %box[...]
    nv.free %room
    ```
  }];
}

def FetchRows : NvptxPass<"nvptx-fetch-rows"> {
  let summary = "lets the copy engine fetch the rows of the next programs";
  let description = [{
    A program whose rows leave an SM's registers no room for a second program's leaves memory idle while
    it computes. So a block runs one program after the other (nvptx-loop-over-programs), and a warp of its
    own (nvptx-give-roles) fetches rows ahead, into a ring that has all of shared memory. A slot is a
    piece of a row, so that more than a row is on its way. Only kernels that reduce rows, and that nothing else was fetched for.
    ```mlir
    %row = tile.load %p mask %m
    // after
    %ring = nv.ring stages 13
    nv.fetch_row %first count %n -> %ring slots 4
    %row = nv.read_row %ring slots 4 count %n
    ```
  }];
}

def LoopOverPrograms : NvptxPass<"nvptx-loop-over-programs"> {
  let summary = "keeps blocks on their SM for one program after the other";
  let description = [{
    A persistent kernel: while one program's results are stored, the next one's tiles are fetched. Puts what a program
    does, behind the kernel's boxes and rings, into nv.programs; rooms of what is sent stay outside. Where
    nv.room_for_programs says that rings leave the room, and a block has an SM for itself.
    ```mlir
    %ring = nv.ring stages 4
    scf.for ... { nv.fetch ... }
    // after
    %ring = nv.ring stages 4
    nv.programs { scf.for ... { nv.fetch ... } }
    ```
  }];
}

def RingLoads : NvptxPass<"nvptx-ring-loads"> {
  let summary = "copies what loops multiply some rounds ahead";
  let description = [{
    Software pipelining by `cp.async`, into a multi-stage circular buffer. Loads that feed products in a loop become
    copies into rings in shared memory, some rounds before the round that multiplies them: as many as the configuration's
    stages, where they fit, and one for a product in flight. What addresses are loaded from (tables of pages) is copied
    as many rounds before the copies. Those begin behind a round's first product. Not where the copy engine fetches.

    ```mlir
    scf.for ... { %a = tile.load %pa; tile.dot %a, ... }
    // after
    %ring = nv.alloc stages 4
    nv.copy ... -> %ring slot 0; nv.commit_copies; nv.copy ... -> %ring slot 1; nv.commit_copies
    scf.for ... {
      nv.await_copies pending 1
      nv.copy (of the round after the next) -> %ring slot ...; nv.commit_copies
      %a = nv.read ...; tile.dot %a, ...
    }
    ```
  }];
}

def CopyLoads : NvptxPass<"nvptx-copy-loads"> {
  let summary = "copies what products outside of rings read to shared memory, past registers";
  let description = [{
    Loads whose tiles are factors in their own block, or in all rounds of a loop there whose threads have no
    registers for them, become copies (`cp.async`) into rooms of their own, one behind the other as early as their
    addresses are known; each is awaited where it is read first, and takes no registers until then. Rooms stay within
    what leaves an SM the warps that the policy says (`copying_warps`). Not where something is written before the tile is
    read, not in rounds that have rings (before those, what they read anew), and not kernels that the copy engine fetches for.
    ```mlir
    %a = tile.load %pa; %b = tile.load %pb; tile.dot %a, %b, ...
    // after
    nv.copy %pa -> %room0; nv.commit_copies; nv.copy %pb -> %room1; nv.commit_copies
    nv.await_copies pending 0
    %a = nv.read %room0; %b = nv.read %room1; tile.dot %a, %b, ...
    ```
  }];
}

def PrefetchRows : NvptxPass<"nvptx-prefetch-rows"> {
  let summary = "asks the second-level cache for the rows of later programs";
  let description = [{
    A prefetch into L2. Where an SM has registers for the rows of two or three programs only, memory is idle for part of the
    time in which they compute. So each program, when it has its rows, asks for those of a later one.
    Not kernels that the copy engine fetches for.
    ```mlir
    %row = tile.load %p mask %m
    %sum = tile.reduce %row
    // after
    %row = tile.load %p mask %m
    nv.prefetch_row %first_of_later count %n if %exists
    %sum = tile.reduce %row
    ```
  }];
}

#endif
