// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that run a program together, a cluster (nv.cluster)

/// Touches no memory that programs share.
class Nv_ClusterOp<string mnemonic, list<Trait> traits = []>
    : Op<Nv_Dialect, mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<Tile_AccessOpInterface>])> {
  let extraClassDefinition = [{
    ::nereid::tile::Access $cppClass::getAccess() { return {}; }
  }];
}

def Nv_BlockOfProgramOp : Nv_ClusterOp<"block_of_program", [Pure]> {
  let summary = "which of the blocks that run this program together the block is, from 0";
  let description = [{
    ```mlir
    %block = nv.block_of_program
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Nv_GatherBlocksOp : Nv_ClusterOp<"gather_blocks", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "what each of the program's blocks has of some numbers";
  let description = [{
    Of each number as many results as there are blocks, in the order of these. All threads of all of the
    program's blocks meet here.

    ```mlir
    %all:4 = nv.gather_blocks %sum blocks 4 : (f32) -> (f32, f32, f32, f32)
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[AnySignlessInteger, AnyFloat]>>:$parts,
                       ConfinedAttr<I32Attr, [IntPositive]>:$blocks);
  let results = (outs Variadic<AnyTypeOf<[AnySignlessInteger, AnyFloat]>>:$all);
  let assemblyFormat = "$parts `blocks` $blocks attr-dict `:` functional-type($parts, $all)";
  let hasVerifier = 1;
}
