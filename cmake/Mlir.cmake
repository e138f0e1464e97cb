# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds MLIR and LLVM 22.1 and offers them as interface targets: nereid_mlir, what compiling needs;
# nereid_mlir_archives, the static archives, for what travels; nereid_mlir_shared, the shared libraries,
# for programs that stay here: they link in a fraction of the time. nereid_executable chooses.

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

# Debian's exported MLIR targets name libLLVM.so as a dependency, so the static form lists archive
# files. Left out: archives that are only for tests, tools and other languages' bindings.
get_filename_component(llvm_library_dir ${LLVM_LIBRARY_DIR} ABSOLUTE)
file(GLOB mlir_archives ${llvm_library_dir}/libMLIR*.a)
list(FILTER mlir_archives EXCLUDE REGEX
     "CAPI|Test|Runner|RegisterAll|Lsp|PDLL|Query|Reduce|SparseTensorRuntime|TableGen|Tblgen|Shared")
if(NEREID_STATIC_LLVM AND NOT mlir_archives)
  message(FATAL_ERROR "NEREID_STATIC_LLVM needs the archives of MLIR and LLVM (libMLIR*.a), which "
                      "${llvm_library_dir} has not")
endif()
if(mlir_archives)
  execute_process(
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --libfiles x86 nvptx orcjit passes
    OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(llvm_archives)
  foreach(library z zstd)
    find_library(nereid_lib${library} NAMES lib${library}.a REQUIRED)
    mark_as_advanced(nereid_lib${library})
  endforeach()
  # The archives as files, for what links them by its own rules (package/).
  set(NEREID_MLIR_ARCHIVES ${mlir_archives} ${llvm_archives} ${nereid_libz} ${nereid_libzstd})

  add_library(nereid_mlir_archives INTERFACE)
  target_link_libraries(nereid_mlir_archives INTERFACE
    -Wl,--start-group ${NEREID_MLIR_ARCHIVES} -Wl,--end-group)
  target_link_options(nereid_mlir_archives INTERFACE -Wl,--gc-sections -Wl,--as-needed)
endif()

add_library(nereid_mlir INTERFACE)
target_compile_definitions(nereid_mlir INTERFACE ${LLVM_DEFINITIONS})
target_link_options(nereid_mlir INTERFACE -fuse-ld=lld-22)

add_library(nereid_mlir_shared INTERFACE)
target_link_libraries(nereid_mlir_shared INTERFACE MLIR LLVM)
target_link_options(nereid_mlir_shared INTERFACE -Wl,--as-needed)
