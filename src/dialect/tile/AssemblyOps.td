// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text for the machine's own assembler.
#ifndef NEREID_TILE_ASSEMBLY_OPS
#define NEREID_TILE_ASSEMBLY_OPS

include "dialect/tile/TileDialect.td"

def Tile_AssemblyOp : Tile_MemoryOp<"assembly", [DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "instructions of the machine, for `pack` neighbouring lanes at a time";
  let description = [{
    Runs `text`, in which `$0` and so on are the registers that `constraints`, written as for LLVM's
    inline assembly, ask for: one for each of `outputs`, then one for each operand. A register holds
    `pack` lanes of its type: of one type `T` a `T`; more of them a vector, or one integer where the
    constraint is for a general register. Outputs and operands have one shape. Lanes that a mask leaves
    out and lanes that fill up the last register run, too.

    Text with `effects` may read and write any memory: it runs as often as it is met, whoever needs its
    outputs, and no access is moved across it. It orders what its own thread does, and waits for no other
    thread of its program (`tile.barrier` does). Without them what it gives depends on its operands and
    on memory that nobody writes meanwhile.

    CPUs have code for it, and GPUs with `pack` 1 and integers of 16, 32 or 64 bits. The checked device runs no machine code, which could do anything to
    the process that checks.

    ```mlir
    %r = tile.assembly "bswap $0" "=r,0" pack 1 (%x) : (tensor<64xi32>) -> tensor<64xi32>
    ```
  }];
  let arguments = (ins StrAttr:$text, StrAttr:$constraints,
                   ConfinedAttr<I64Attr, [IntPositive]>:$pack, UnitAttr:$effects,
                   Variadic<Tile_Value>:$operands);
  let results = (outs Variadic<Tile_Value>:$outputs);
  let assemblyFormat = [{
    $text $constraints `pack` $pack (`effects` $effects^)? `(` $operands `)` attr-dict `:`
    functional-type($operands, $outputs)
  }];
  let hasVerifier = 1;
}

#endif
