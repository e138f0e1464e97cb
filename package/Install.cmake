# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` puts where, but for the command line (tools/nereid).
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Nereid)

install(TARGETS nereid_shared EXPORT NereidTargets
  LIBRARY COMPONENT Runtime NAMELINK_COMPONENT Development)
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT Development FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
nereid_licences(library ${CMAKE_CURRENT_BINARY_DIR}/licences)
add_custom_target(nereid_library_licences ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/licences/licences.txt)
add_dependencies(nereid_archive nereid_library_licences)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${CMAKE_CURRENT_BINARY_DIR}/licences/licences.txt
              ${CMAKE_CURRENT_BINARY_DIR}/licences/nereid.spdx.json
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT Runtime)
install(EXPORT NereidTargets NAMESPACE Nereid:: DESTINATION ${package_dir} COMPONENT Development)

configure_package_config_file(NereidConfig.cmake.in NereidConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(NereidConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/NereidConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/NereidConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT Development)

# The file names the prefix from its own place, so that the tree can be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH NEREID_PC_PREFIX /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" NEREID_PC_PREFIX ${NEREID_PC_PREFIX})
list(TRANSFORM NEREID_STATIC_DEPENDENCIES PREPEND -l OUTPUT_VARIABLE private)
list(JOIN private " " NEREID_PC_PRIVATE)
configure_file(nereid.pc.in nereid.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nereid.pc DESTINATION ${pkgconfig_dir} COMPONENT Development)
