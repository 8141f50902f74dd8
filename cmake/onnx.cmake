# ONNX as ONNX::onnx: an installed one of 1.18 or later is used as it is, otherwise build-onnx.sh builds one, once.

# The one that was built may have been of other options: then the script builds another one.
if(ONNX_DIR MATCHES "/amdahlc/onnx-")
  unset(ONNX_DIR CACHE)
endif()
find_package(ONNX 1.18 CONFIG QUIET)
if(NOT ONNX_FOUND)
  # Builds with Clang use the library that the other presets built: it has no instrumentation, and both compilers use the
  # same standard library.
  set(onnx_compiler ${CMAKE_CXX_COMPILER})
  if(AMDAHLC_FUZZ OR AMDAHLC_COVERAGE)
    set(onnx_compiler c++)
  endif()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env CXX=${onnx_compiler} CMAKE=${CMAKE_COMMAND} PYTHON=${Python_EXECUTABLE}
            ${CMAKE_CURRENT_LIST_DIR}/build-onnx.sh
    OUTPUT_VARIABLE AMDAHLC_ONNX_PREFIX
    OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE AMDAHLC_ONNX_RESULT)
  if(NOT AMDAHLC_ONNX_RESULT EQUAL 0)
    message(FATAL_ERROR "no ONNX of 1.18 or later: none is installed and build-onnx.sh could not build one (see above)")
  endif()
  find_package(ONNX 1.18 CONFIG REQUIRED PATHS ${AMDAHLC_ONNX_PREFIX} NO_DEFAULT_PATH)
endif()
message(STATUS "ONNX ${ONNX_VERSION}: ${ONNX_DIR}")
