# Stops where Debian packages of the build are missing, with all of them in one line: the first call that needs one would
# name that one alone. Included before project(), which needs a compiler. Libraries that were installed in another way
# are found with the option switched off.

option(AMDAHLC_CHECK_PACKAGES "Stop where a Debian package that the build needs is missing" ON)
find_program(DPKG_QUERY dpkg-query)
mark_as_advanced(DPKG_QUERY)
if(AMDAHLC_CHECK_PACKAGES AND DPKG_QUERY)
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/debian_packages.txt packages)
  if(SKBUILD)
    # pip brings these, and runs no tests; the Python that runs it may be another one than Debian's.
    list(REMOVE_ITEM packages cmake ninja-build python3 python3-pip doctest-dev)
    if(NOT EXISTS ${Python_INCLUDE_DIR}/Python.h)
      list(APPEND packages python3-dev)
    endif()
  endif()
  execute_process(
    COMMAND ${DPKG_QUERY} --show --showformat "\${Package} \${db:Status-Status}\n" ${packages}
    OUTPUT_VARIABLE installed
    ERROR_QUIET)
  set(missing "")
  foreach(package IN LISTS packages)
    string(FIND "\n${installed}" "\n${package} installed\n" found)
    if(found EQUAL -1)
      string(APPEND missing " ${package}")
    endif()
  endforeach()
  if(missing)
    # A status is a line as it is, which an error would break.
    message(STATUS "missing Debian packages: apt-get install --no-install-recommends${missing}")
    message(FATAL_ERROR "Debian packages are missing (see above); -DAMDAHLC_CHECK_PACKAGES=OFF looks for their content elsewhere.")
  endif()
endif()
