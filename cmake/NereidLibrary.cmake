# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# nereid_library(NAME [NO_MLIR | LLVM_ALONE] [HOT] SOURCES... DEPENDS...): one static library per source directory. The global
# property NEREID_LIBRARIES names those made so far. HOT is what a launch goes through. LLVM_ALONE is what is compiled without
# the precompiled header, which holds MLIR.
# nereid_executable(NAME [NO_MLIR] [TRAVELS] SOURCES... DEPENDS...): a program; goes to the build directory's
# top, and into the global property NEREID_PROGRAMS. One that TRAVELS holds what it uses of MLIR and LLVM where NEREID_STATIC_LLVM says so.

add_library(nereid_flags INTERFACE)
target_compile_options(nereid_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter -Wimplicit-fallthrough
  -ffunction-sections -fdata-sections
  # What the library exports is marked so: NEREID_API (include/nereid/Export.h).
  -fvisibility=hidden -fvisibility-inlines-hidden)
if(NEREID_WERROR)
  target_compile_options(nereid_flags INTERFACE -Werror)
endif()
if(NEREID_SANITIZE)
  target_compile_options(nereid_flags INTERFACE -fsanitize=${NEREID_SANITIZE} -fno-sanitize=vptr,function
    -fno-omit-frame-pointer)
  target_link_options(nereid_flags INTERFACE -fsanitize=${NEREID_SANITIZE})
endif()

# nereid_precompile(NAME HEADER DEPENDS...): a library that compiles HEADER for those who take NAME as NEREID_PRECOMPILED, a
# variable of directories, from there on. They are compiled with the same options, optimisation too.
function(nereid_precompile name header)
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.cpp "// A precompiled header needs one source file.\n")
  add_library(${name} STATIC ${PROJECT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PUBLIC nereid_flags nereid_mlir PRIVATE ${ARGN})
  target_precompile_headers(${name} PRIVATE ${header})
  # Let ccache hit although the header's time stamp and its directory differ between checkouts.
  target_compile_options(${name} PUBLIC "SHELL:-Xclang -fno-pch-timestamp")
  set_target_properties(${name} PROPERTIES
    CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/cmake/compile_header;${CMAKE_CXX_COMPILER_LAUNCHER}")
  # It holds the tile dialect's generated classes.
  add_dependencies(${name} nereid_tile_tablegen)
endfunction()

if(NEREID_PCH)
  nereid_precompile(nereid_pch ${PROJECT_SOURCE_DIR}/src/Precompiled.h)
  set(NEREID_PRECOMPILED nereid_pch)
endif()

function(nereid_use_pch target)
  if(NEREID_PCH)
    target_precompile_headers(${target} REUSE_FROM ${NEREID_PRECOMPILED})
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# What `sources` CMake compiles as one (a unity build): as many in the order of the list as CMAKE_UNITY_BUILD_BATCH_SIZE
# says. Those of NEREID_APART are compiled alone, which changes no other file's batch.
function(nereid_batches target sources)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  set(count 0)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(path IN_LIST NEREID_APART)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    math(EXPR batch "${count} / ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
    math(EXPR count "${count} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${batch})
  endforeach()
endfunction()

function(nereid_library name)
  cmake_parse_arguments(ARG "NO_MLIR;LLVM_ALONE;HOT" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  if(NOT ARG_HOT)
    # Functions of a few instructions are inlined, others are not (225 is usual): a third less code, a fifth less time for
    # it (docs/decisions/0047-smaller-builds.md).
    target_compile_options(${name} PRIVATE "SHELL:-mllvm -inline-threshold=25")
  endif()
  nereid_batches(${name} "${ARG_SOURCES}")
  set_property(GLOBAL APPEND PROPERTY NEREID_LIBRARIES ${name})
  target_link_libraries(${name} PUBLIC nereid_flags ${ARG_DEPENDS})
  if(NOT ARG_NO_MLIR)
    target_link_libraries(${name} PUBLIC nereid_mlir)
  endif()
  if(NOT ARG_NO_MLIR AND NOT ARG_LLVM_ALONE)
    nereid_use_pch(${name})
  endif()
endfunction()

function(nereid_executable name)
  cmake_parse_arguments(ARG "NO_MLIR;TRAVELS" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  nereid_batches(${name} "${ARG_SOURCES}")
  set_property(GLOBAL APPEND PROPERTY NEREID_PROGRAMS ${name})
  if(NEREID_SANITIZE)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/AsanOptions.cpp)
  endif()
  target_link_libraries(${name} PRIVATE nereid_flags ${ARG_DEPENDS})
  if(ARG_TRAVELS AND NEREID_STATIC_LLVM)
    target_link_libraries(${name} PRIVATE nereid_mlir_archives)
  else()
    target_link_libraries(${name} PRIVATE nereid_mlir_shared)
  endif()
  if(NOT ARG_NO_MLIR)
    target_link_libraries(${name} PRIVATE nereid_mlir)
    # As the precompiled header is; CMake would give a program -fPIE.
    target_compile_options(${name} PRIVATE -fPIC)
    nereid_use_pch(${name})
  endif()
endfunction()
