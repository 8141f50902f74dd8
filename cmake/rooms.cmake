# A room is a folder of the source tree, a static library, and the namespace of nothing else: what it may include is what
# it links, and the linker enforces the direction.

# amdahlc_room_target(<room> <out>): the target of a room: `passes/trace_bind` is amdahlc_passes_trace_bind.
function(amdahlc_room_target room out)
  string(REPLACE "/" "_" name ${room})
  set(${out} amdahlc_${name} PARENT_SCOPE)
endfunction()

# amdahlc_add_room(<room> SOURCES file... [DEPENDS room...] [LIBRARIES target...])
#
# SOURCES are the .cpp files (headers need no mention). DEPENDS are rooms whose headers this room's headers or sources
# include. LIBRARIES are targets outside the project; they are private, because no public header may include theirs.
function(amdahlc_add_room room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "amdahlc_add_room(${room}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  amdahlc_room_target(${room} target)
  add_library(${target} STATIC ${arg_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE amdahlc_compile_options ${arg_LIBRARIES})
  foreach(dependency IN LISTS arg_DEPENDS)
    # A room that does not exist yet, or comes later in the list, would otherwise only fail at link time.
    amdahlc_room_target(${dependency} dependency_target)
    if(NOT TARGET ${dependency_target})
      message(FATAL_ERROR "room `${room}` depends on `${dependency}`, which is not a room above it")
    endif()
    target_link_libraries(${target} PUBLIC ${dependency_target})
  endforeach()
endfunction()

# amdahlc_add_unit_tests(<room> file...): the doctest executable test_<room> of a room and the ctest test unit.<room>.
# LIBRARIES may follow the files: targets outside the project that the tests themselves include.
function(amdahlc_add_unit_tests room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  amdahlc_room_target(${room} room_target)
  string(REPLACE "/" "_" name ${room})
  add_executable(test_${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(test_${name} PRIVATE ${room_target} amdahlc_doctest_main amdahlc_compile_options ${arg_LIBRARIES})
  add_test(NAME unit.${name} COMMAND test_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
