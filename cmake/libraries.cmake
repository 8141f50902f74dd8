# The libraries that the components are linked with, except ONNX. The project includes this file, and so does the CMake
# package that it installs: who links a component needs the same libraries. amdahlc_find is find_package with REQUIRED or
# find_dependency.

amdahlc_find(PkgConfig)
amdahlc_find(Protobuf) # before ONNX, whose targets name protobuf's
amdahlc_find(fmt)
amdahlc_find(nlohmann_json)
amdahlc_find(simdjson)
amdahlc_find(yaml-cpp)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET GLOBAL re2)
pkg_check_modules(deflate REQUIRED IMPORTED_TARGET GLOBAL libdeflate)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET GLOBAL libisal)
pkg_check_modules(sqlite REQUIRED IMPORTED_TARGET GLOBAL sqlite3)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET GLOBAL libxxhash)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET GLOBAL libzstd)
pkg_check_modules(gvc REQUIRED IMPORTED_TARGET GLOBAL libgvc libcgraph libcdt)
if(NOT TARGET re2::re2)
  add_library(re2::re2 ALIAS PkgConfig::re2)
endif()
# yaml-cpp before 0.8 exports its target without a namespace.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

# The C++ runtime of ANTLR, which has no CMake package, as antlr4::runtime.
find_path(ANTLR4_INCLUDE_DIR antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)
# The static library saves half a millisecond of linking at each start of a program. It is not position independent, so
# that shared objects link the shared library.
find_library(ANTLR4_LIBRARY NAMES libantlr4-runtime.a antlr4-runtime REQUIRED)
find_library(ANTLR4_SHARED_LIBRARY antlr4-runtime REQUIRED)
mark_as_advanced(ANTLR4_INCLUDE_DIR ANTLR4_LIBRARY ANTLR4_SHARED_LIBRARY)
if(NOT TARGET antlr4::runtime)
  add_library(antlr4::runtime INTERFACE IMPORTED GLOBAL)
  target_include_directories(antlr4::runtime INTERFACE ${ANTLR4_INCLUDE_DIR})
  target_link_libraries(antlr4::runtime INTERFACE
    $<IF:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>,${ANTLR4_LIBRARY},${ANTLR4_SHARED_LIBRARY}>)
endif()

# Graphviz with its layout engine `dot`, as graphviz::dot. The engine is a plugin, which Graphviz would load by a
# configuration file; linked, it is found without one.
pkg_get_variable(gvc_libdir libgvc libdir)
find_library(GRAPHVIZ_DOT_LAYOUT gvplugin_dot_layout HINTS ${gvc_libdir}/graphviz REQUIRED)
mark_as_advanced(GRAPHVIZ_DOT_LAYOUT)
if(NOT TARGET graphviz::dot)
  add_library(graphviz::dot INTERFACE IMPORTED GLOBAL)
  target_link_libraries(graphviz::dot INTERFACE PkgConfig::gvc ${GRAPHVIZ_DOT_LAYOUT})
endif()
