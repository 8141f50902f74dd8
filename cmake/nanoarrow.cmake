# nanoarrow, which builds tables in the form of Arrow, as nanoarrow::nanoarrow: four of its C sources, which
# build-nanoarrow.sh fetches once.

enable_language(C)
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env PYTHON=${Python_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/build-nanoarrow.sh
  OUTPUT_VARIABLE NANOARROW_SOURCE OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "^.*nanoarrow-([0-9]+)\\.([0-9]+)\\.([0-9]+)$" "\\1;\\2;\\3" parts ${NANOARROW_SOURCE})
list(GET parts 0 NANOARROW_VERSION_MAJOR)
list(GET parts 1 NANOARROW_VERSION_MINOR)
list(GET parts 2 NANOARROW_VERSION_PATCH)
set(NANOARROW_VERSION ${NANOARROW_VERSION_MAJOR}.${NANOARROW_VERSION_MINOR}.${NANOARROW_VERSION_PATCH})
set(NANOARROW_NAMESPACE_DEFINE "#define NANOARROW_NAMESPACE amdahlc")
set(nanoarrow_generated ${CMAKE_CURRENT_BINARY_DIR}/nanoarrow)
configure_file(${NANOARROW_SOURCE}/nanoarrow/nanoarrow_config.h.in ${nanoarrow_generated}/nanoarrow/nanoarrow_config.h @ONLY)
set(nanoarrow_sources utils schema array array_stream)
list(TRANSFORM nanoarrow_sources REPLACE "(.+)" "${NANOARROW_SOURCE}/nanoarrow/common/\\1.c")
add_library(nanoarrow STATIC ${nanoarrow_sources})
set_target_properties(nanoarrow PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_include_directories(nanoarrow SYSTEM PUBLIC ${NANOARROW_SOURCE} ${nanoarrow_generated})
add_library(nanoarrow::nanoarrow ALIAS nanoarrow)
