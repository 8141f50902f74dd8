# Run as a script with SOURCE and OUTPUT: writes the commit that SOURCE is a checkout of as a string literal of C++, and
# `unknown` for sources without their history. A file that would stay the same is not written, so that nothing is
# compiled again.
cmake_minimum_required(VERSION 3.25)
set(commit unknown)
file(REAL_PATH ${SOURCE} SOURCE)
find_program(GIT git)
if(GIT)
  # Without optional locks: a build may run while the user commits.
  set(git ${GIT} -C ${SOURCE} --no-optional-locks)
  execute_process(COMMAND ${git} rev-parse --show-toplevel HEAD
    OUTPUT_VARIABLE lines ERROR_QUIET RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" lines "${lines};")
  # Sources that were unpacked inside of another project's checkout are not at its commit.
  list(GET lines 0 top)
  if(NOT failed AND top STREQUAL SOURCE)
    list(GET lines 1 commit)
    execute_process(COMMAND ${git} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND commit " with local changes")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "\"${commit}\"\n")
