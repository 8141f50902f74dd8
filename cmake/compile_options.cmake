# How every target of the project is compiled. Libraries that we do not own are system headers and give no warnings.

option(AMDAHLC_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
set(AMDAHLC_SANITIZERS "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")

add_library(amdahlc_compile_options INTERFACE)
target_compile_features(amdahlc_compile_options INTERFACE cxx_std_20)
target_compile_options(amdahlc_compile_options INTERFACE
  -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual
  # A product and a sum are rounded one by one: figures must not depend on whether a machine can do both at once.
  -ffp-contract=off
  # Clang sees std::stable_sort of libstdc++ 12 use what that library itself deprecates.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<BOOL:${AMDAHLC_WARNINGS_AS_ERRORS}>:-Werror>)

if(AMDAHLC_SANITIZERS)
  target_compile_options(amdahlc_compile_options INTERFACE
    -fsanitize=${AMDAHLC_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # GCC 12 warns of an empty std::optional in code that it has instrumented.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(amdahlc_compile_options INTERFACE -fsanitize=${AMDAHLC_SANITIZERS})
endif()

# Every target is then compiled with what libFuzzer counts coverage by; tests/fuzz links its targets with libFuzzer
# itself.
option(AMDAHLC_FUZZ "Build the fuzz targets with libFuzzer; needs Clang" OFF)
if(AMDAHLC_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "AMDAHLC_FUZZ needs Clang, not ${CMAKE_CXX_COMPILER_ID}; the preset `fuzz` sets it")
  endif()
  target_compile_options(amdahlc_compile_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# What a run executes is counted per region of the source, as Clang's front end sees it. gcov counts per instruction: it
# gives optimized and inlined lines to others, and counts a branch for each call that may throw.
option(AMDAHLC_COVERAGE "Count what runs execute, for ./dev coverage; needs Clang" OFF)
if(AMDAHLC_COVERAGE)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "AMDAHLC_COVERAGE needs Clang, not ${CMAKE_CXX_COMPILER_ID}; the preset `coverage` sets it")
  endif()
  # All runs of a program merge their counts into one file (%m), in at most four copies to wait less for each other. Not
  # by the environment, which some tests clear.
  set(counts -fprofile-instr-generate=${PROJECT_BINARY_DIR}/counts/%4m.profraw)
  target_compile_options(amdahlc_compile_options INTERFACE
    ${counts} -fcoverage-mapping -fcoverage-prefix-map=${PROJECT_SOURCE_DIR}/=)
  target_link_options(amdahlc_compile_options INTERFACE ${counts})
endif()

# ccache by itself misses when the same source is compiled from another build folder, because -g records that folder.
find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  # The last map that matches wins, and the build folder is usually in the source folder.
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}=.)
endif()
