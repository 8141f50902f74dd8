# `./dev package`: the command as a .deb and as a .tar.gz, of the build folder that cpack runs in. Both are for the
# system that they are made on, because they use its shared libraries; what the project builds itself, and ANTLR, are
# linked statically.

cmake_host_system_information(RESULT system QUERY DISTRIB_INFO)
set(system "${system_ID}${system_VERSION_ID}")
if(system STREQUAL "")
  string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
endif()

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME amdahlc)
set(CPACK_PACKAGE_VENDOR "The amdahlc authors")
# Who makes the package, by the variables of Debian's tools.
set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
if(NOT DEFINED ENV{DEBFULLNAME} OR NOT DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "The amdahlc authors <amdahlc@localhost>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "where the time of an ONNX model goes on a device, and what limits it")
set(CPACK_PACKAGE_FILE_NAME amdahlc-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
# The command alone: libraries and headers are for `cmake --install`.
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};amdahlc;runtime;/")
# Notices of what is linked statically, and lists of what is not, depend on the kind of the package.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/finish.cmake)
set(CPACK_AMDAHLC_SOURCE_DIR ${PROJECT_SOURCE_DIR})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"amdahlc reads an ONNX model and profiler traces of its runs (PyTorch, ONNX
Runtime, TensorRT, Nsight Systems), groups operators into the kernels that ran
them, binds the kernels to their events, and reports times by kernel, module
and operator, critical paths, and the effect of planned speed-ups.")

include(CPack)
