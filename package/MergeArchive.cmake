# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DSHARED=FILE -DINPUTS=FILE -DOUTPUT=FILE -DLD=... -DNM=... -DOBJCOPY=... -DAR=... -DSTRIP=OPTION
#       -P MergeArchive.cmake
# Makes the static library: one object that holds what the public functions reach of Nereid, MLIR and
# LLVM, whose only global symbols are the public ones (docs/decisions/0013-one-library.md). INPUTS lists
# objects and archives; what is public is asked of the shared library.
set(work ${OUTPUT}.tmp)
file(MAKE_DIRECTORY ${work})

execute_process(COMMAND ${NM} --dynamic --defined-only --format=just-symbols ${SHARED}
                OUTPUT_FILE ${work}/public.txt COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${work}/public.txt public)
list(TRANSFORM public PREPEND "--undefined=")
list(JOIN public "\n" roots)
file(WRITE ${work}/roots.rsp "${roots}\n")

# Groups become ordinary sections: else the final link could take another LLVM's copy of an inline
# function for ours, and leave our references to it hanging.
execute_process(COMMAND ${LD} -r --gc-sections --force-group-allocation -o ${work}/merged.o @${work}/roots.rsp
                        --start-group @${INPUTS} --end-group
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${OBJCOPY} --keep-global-symbols=${work}/public.txt ${STRIP}
                        ${work}/merged.o ${work}/nereid.o
                COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OUTPUT})
execute_process(COMMAND ${AR} rcsD ${OUTPUT} ${work}/nereid.o COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${work})
