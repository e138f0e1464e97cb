# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DSOURCE=DIR -DVERSION=TEXT -DTEMPLATE=FILE -DOUTPUT=FILE -P BuildId.cmake: names a build by its version and a
# digest of every file below SOURCE.
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/*)
list(SORT files)
set(all "")
foreach(file IN LISTS files)
  file(SHA256 ${SOURCE}/${file} digest)
  string(APPEND all "${file} ${digest}\n")
endforeach()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 16 digest)
set(build_id "${VERSION} ${digest}")
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
