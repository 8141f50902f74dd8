# A component is a folder of the source tree and a static library. It may include only headers of components that it
# links.

# amdahlc_component_target(<component> <out>): the target of a component: `passes/trace_bind` is
# amdahlc_passes_trace_bind.
function(amdahlc_component_target component out)
  string(REPLACE "/" "_" name ${component})
  set(${out} amdahlc_${name} PARENT_SCOPE)
endfunction()

# amdahlc_install_library(<target>): installs a library for the CMake package, in which amdahlc_<name> is amdahlc::<name>.
function(amdahlc_install_library target)
  string(REGEX REPLACE "^amdahlc_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT amdahlc
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/amdahlc COMPONENT development)
endfunction()

# amdahlc_pass_names(<out>): the names in passes.def, in its order. The component of a pass is passes/<name with _ for
# ->.
function(amdahlc_pass_names out)
  set(list ${PROJECT_SOURCE_DIR}/passes/passes.def)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} rows REGEX "^AMDAHLC_PASS\\(")
  list(TRANSFORM rows REPLACE "^AMDAHLC_PASS\\(\"([a-z0-9-]+)\".*" "\\1")
  set(${out} ${rows} PARENT_SCOPE)
endfunction()

# amdahlc_sources_of(<out> <list> <pattern> <prefix>)
#
# A source for each row of a `.def` file that begins with the pattern. The group in the pattern is its name, which becomes
# snake case behind the prefix.
function(amdahlc_sources_of out list pattern prefix)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} rows REGEX "^${pattern}")
  set(sources "")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "^${pattern}.*" "\\1" name "${row}")
    string(REGEX REPLACE "([a-z0-9])([A-Z])" "\\1_\\2" name "${name}")
    string(REPLACE "-" "_" name "${prefix}${name}.cpp")
    string(TOLOWER "${name}" name)
    list(APPEND sources ${name})
  endforeach()
  list(REMOVE_DUPLICATES sources)
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# amdahlc_add_component(<component> SOURCES file... [DEPENDS component...] [LIBRARIES target...])
#
# SOURCES are the .cpp files (headers need no mention). DEPENDS are components whose headers this component's headers or
# sources include. LIBRARIES are targets outside the project; they are private, because no public header may include
# theirs.
# With AMDAHLC_UNITY_BUILD, several sources are one translation unit. Names in anonymous namespaces must then differ
# within a component, and within its unit tests.
function(amdahlc_add_component component)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "amdahlc_add_component(${component}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  amdahlc_component_target(${component} target)
  add_library(${target} STATIC ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${AMDAHLC_UNITY_BUILD})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/amdahlc>)
  amdahlc_install_library(${target})
  target_link_libraries(${target} PRIVATE amdahlc_compile_options ${arg_LIBRARIES})
  foreach(dependency IN LISTS arg_DEPENDS)
    # A component that does not exist yet, or comes later in the list, would otherwise only fail at link time.
    amdahlc_component_target(${dependency} dependency_target)
    if(NOT TARGET ${dependency_target})
      message(FATAL_ERROR "component `${component}` depends on `${dependency}`, which is not a component above it")
    endif()
    target_link_libraries(${target} PUBLIC ${dependency_target})
  endforeach()
endfunction()

# amdahlc_add_unit_tests(<component> file... [LIBRARIES target...]): the doctest cases of a component, as a part of the
# program unit_tests. LIBRARIES are targets that only the tests include. All parts share a program: types with linkage must differ in
# name between them.
function(amdahlc_add_unit_tests component)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  amdahlc_component_target(${component} component_target)
  string(REPLACE "/" "_" name ${component})
  add_library(unit_${name} OBJECT ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(unit_${name} PROPERTIES UNITY_BUILD ${AMDAHLC_UNITY_BUILD})
  target_link_libraries(unit_${name} PRIVATE ${component_target} doctest::doctest amdahlc_compile_options ${arg_LIBRARIES})
  target_link_libraries(unit_tests PRIVATE unit_${name} ${component_target} ${arg_LIBRARIES})
endfunction()
