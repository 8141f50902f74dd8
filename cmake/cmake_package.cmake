# Installs what other projects need to link the components: `find_package(amdahlc)`.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/amdahlc)
amdahlc_install_library(amdahlc_compile_options) # what components link with, such as sanitizers
install(EXPORT amdahlc NAMESPACE amdahlc:: FILE amdahlcTargets.cmake DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/amdahlcConfig.cmake.in ${PROJECT_BINARY_DIR}/amdahlcConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# Components have no stable interface yet.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/amdahlcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/amdahlcConfig.cmake ${PROJECT_BINARY_DIR}/amdahlcConfigVersion.cmake
  cmake/libraries.cmake DESTINATION ${package_dir} COMPONENT development)

# Headers keep their paths. Some include tables.
set(folders ${AMDAHLC_COMPONENTS})
list(TRANSFORM folders REPLACE "/.*" "")
list(REMOVE_DUPLICATES folders)
install(DIRECTORY ${folders} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/amdahlc COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

# A static library is of use only with those that it needs, and nobody else has the ONNX that the project built.
# build-onnx.sh has named its folder; any other ONNX is one of the system.
if(ONNX_DIR MATCHES "^(.*/amdahlc/onnx-[^/]+)/lib/cmake/ONNX$")
  install(DIRECTORY ${CMAKE_MATCH_1}/ DESTINATION ${CMAKE_INSTALL_LIBDIR}/amdahlc/onnx COMPONENT development)
endif()
