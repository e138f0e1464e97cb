# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# nereid_licences(PRODUCT FOLDER [CPP FILE] [NANOBIND FOLDER] [XLA FOLDER]): a rule for FOLDER/licences.txt and FOLDER/nereid.spdx.json,
# what PRODUCT (program, library, wheel) carries of other projects (package/licences), and for a C++ file with the text.
find_package(Python3 COMPONENTS Interpreter REQUIRED)
function(nereid_licences product folder)
  cmake_parse_arguments(ARG "" "CPP;NANOBIND;XLA" "" ${ARGN})
  set(licences ${PROJECT_SOURCE_DIR}/package/licences)
  set(options --product ${product} --version ${PROJECT_VERSION})
  if(ARG_CPP)
    list(APPEND options --cpp ${ARG_CPP})
  endif()
  if(ARG_NANOBIND)
    list(APPEND options --nanobind ${ARG_NANOBIND})
  endif()
  if(ARG_XLA)
    list(APPEND options --xla ${ARG_XLA})
  endif()
  add_custom_command(
    OUTPUT ${folder}/licences.txt ${folder}/nereid.spdx.json ${ARG_CPP}
    COMMAND ${Python3_EXECUTABLE} -B ${licences}/collect.py ${folder} ${options}
    DEPENDS ${licences}/collect.py ${licences}/components.json
    COMMENT "Collecting the licences of what the ${product} carries" VERBATIM)
endfunction()
