# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DSOURCE=DIR -DVERSION=VERSION -DLLVM=VERSION -DTEMPLATE=FILE -DOUTPUT=FILE -P Commit.cmake: what --version says, of
# the program and of the Python package. It names the commit that is built, with "+" where files differ from it; nothing
# where there is no git. Touches OUTPUT only if that changes.
set(commit "")
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
if(failed EQUAL 0)
  execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE differs ERROR_QUIET)
  if(NOT differs EQUAL 0)
    string(APPEND revision "+")
  endif()
  set(commit "commit ${revision}, ")
endif()
set(full_version "nereid ${VERSION} (${commit}LLVM ${LLVM})")
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
