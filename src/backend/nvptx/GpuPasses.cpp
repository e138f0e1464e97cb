// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of all GPUs (backend/gpu), as this back end's.
#include "backend/gpu/Passes.h"
#include "backend/nvptx/Passes.h"

namespace nereid::backend::nvptx {

#define GEN_PASS_DEF_ADDWARPS
#define GEN_PASS_DEF_ALIGNSTORES
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#define GEN_PASS_DEF_GROUPLOADS
#define GEN_PASS_DEF_HOISTCONVERSIONS
#define GEN_PASS_DEF_HOISTFACTORS
#define GEN_PASS_DEF_JOINREDUCTIONS
#define GEN_PASS_DEF_LOOPOVERDEPTH
#define GEN_PASS_DEF_LOOPOVERROWS
#define GEN_PASS_DEF_ORDERACCESSES
#define GEN_PASS_DEF_ORDERPROGRAMS
#define GEN_PASS_DEF_PARTROUNDS
#define GEN_PASS_DEF_REDUCEBEHINDLOOPS
#define GEN_PASS_DEF_SELECTBRANCHES
#define GEN_PASS_DEF_SPLITATMASK
#define GEN_PASS_DEF_UNROLLEXCHANGES
#include "backend/nvptx/Passes.h.inc"

#define PASS_OF_GPUS(Name, pass)                                                                   \
  struct Name final : ConfiguredPass<impl::Name##Base<Name>, Name> {                               \
    void run(mlir::func::FuncOp kernel, const Configuration &configuration) {                      \
      gpu::pass(kernel, configuration);                                                            \
    }                                                                                              \
  };

namespace {

PASS_OF_GPUS(AddWarps, addWarps)
PASS_OF_GPUS(AlignStores, alignStores)
PASS_OF_GPUS(AssignLayouts, assignLayouts)
PASS_OF_GPUS(GroupLoads, groupLoads)
PASS_OF_GPUS(HoistConversions, hoistConversions)
PASS_OF_GPUS(HoistFactors, hoistFactors)
PASS_OF_GPUS(JoinReductions, joinReductions)
PASS_OF_GPUS(LoopOverDepth, loopOverDepth)
PASS_OF_GPUS(LoopOverRows, loopOverRows)
PASS_OF_GPUS(OrderAccesses, orderAccesses)
PASS_OF_GPUS(OrderPrograms, orderPrograms)
PASS_OF_GPUS(PartRounds, partRounds)
PASS_OF_GPUS(ReduceBehindLoops, reduceBehindLoops)
PASS_OF_GPUS(SelectBranches, selectBranches)
PASS_OF_GPUS(SplitAtMask, splitAtMask)
PASS_OF_GPUS(UnrollExchanges, unrollExchanges)

} // namespace

} // namespace nereid::backend::nvptx
