# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds MLIR and LLVM 22.1 and offers them as one interface target, nereid_mlir, either through the
# shared libraries (daily work) or through the static archives (what travels).

# Debian's version file compares major.minor, so "22" alone is refused.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_ENABLE_RTTI)
  message(FATAL_ERROR "Nereid needs an LLVM built with RTTI; the one in ${LLVM_DIR} was built without "
                      "(configure LLVM with -DLLVM_ENABLE_RTTI=ON, or use Debian's llvm-22-dev)")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(nereid_mlir INTERFACE)
target_compile_definitions(nereid_mlir INTERFACE ${LLVM_DEFINITIONS})
target_link_options(nereid_mlir INTERFACE -fuse-ld=lld-22)

if(NEREID_STATIC_LLVM)
  # Debian's exported MLIR targets name libLLVM.so as a dependency, so the static form lists archive
  # files. Left out: archives that are only for tests, tools and other languages' bindings.
  get_filename_component(llvm_library_dir ${LLVM_LIBRARY_DIR} ABSOLUTE)
  file(GLOB mlir_archives ${llvm_library_dir}/libMLIR*.a)
  list(FILTER mlir_archives EXCLUDE REGEX
       "CAPI|Test|Runner|RegisterAll|Lsp|PDLL|Query|Reduce|SparseTensorRuntime|TableGen|Tblgen|Shared")
  execute_process(
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --libfiles x86 nvptx orcjit passes
    OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(llvm_archives)
  target_link_libraries(nereid_mlir INTERFACE
    -Wl,--start-group ${mlir_archives} ${llvm_archives} -Wl,--end-group -l:libz.a -l:libzstd.a)
  # At a fixed address: fifty thousand relocations, most of them in tables that a run never looks at,
  # would cost a quarter of a cold start.
  target_link_options(nereid_mlir INTERFACE
    -Wl,--gc-sections -Wl,--as-needed -static-libstdc++ -static-libgcc -no-pie)
  # What a run executes lies side by side, a tenth of the program: otherwise a cold start waits for
  # pages and address translation all over it (scripts/order_functions).
  file(ARCHIVE_EXTRACT INPUT ${CMAKE_CURRENT_LIST_DIR}/function-order.tar.xz
       DESTINATION ${CMAKE_BINARY_DIR})
  target_link_options(nereid_mlir INTERFACE
    -Wl,--symbol-ordering-file=${CMAKE_BINARY_DIR}/function-order.txt
    -Wl,--no-warn-symbol-ordering)
else()
  target_link_libraries(nereid_mlir INTERFACE MLIR LLVM)
endif()
