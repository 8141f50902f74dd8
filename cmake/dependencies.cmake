# Everything that the project links, as imported targets. Debian 12 has all of it except ONNX, which onnx.cmake finds or
# builds. `./dev setup` installs what is missing.

macro(amdahlc_find)
  find_package(${ARGN} REQUIRED)
endmacro()
include(libraries)
find_package(ZLIB REQUIRED) # for tests, which write what other programs write
find_package(Threads REQUIRED)
find_package(Boost REQUIRED CONFIG) # only headers: Boost.Graph, Boost.ICL, Boost.Math
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter) # the golden runner
include(antlr)
include(onnx)

# amdahlc_library_versions(<out>): rows {"name", "version"} of the libraries above, as initializers of C++.
function(amdahlc_library_versions out)
  # RE2's own package information names no version; its library's file does.
  list(GET re2_LINK_LIBRARIES 0 library)
  file(REAL_PATH ${library} library)
  string(REGEX REPLACE "^.*\\.so\\." "" re2_version ${library})
  set(rows "")
  foreach(row "ONNX ${ONNX_VERSION}" "protobuf ${Protobuf_VERSION}" "simdjson ${simdjson_VERSION}"
              "SQLite ${sqlite_VERSION}" "RE2 ${re2_version}" "fmt ${fmt_VERSION}" "yaml-cpp ${yaml-cpp_VERSION}"
              "nlohmann-json ${nlohmann_json_VERSION}" "libdeflate ${deflate_VERSION}" "ISA-L ${isal_VERSION}"
              "zstd ${zstd_VERSION}" "Graphviz ${gvc_libgvc_VERSION}" "xxHash ${xxhash_VERSION}")
    string(REPLACE " " "\", \"" row ${row})
    string(APPEND rows "{\"${row}\"},\n")
  endforeach()
  set(${out} ${rows} PARENT_SCOPE)
endfunction()

# The folder of Graphviz's engine is not among those in which the loader looks.
cmake_path(GET GRAPHVIZ_DOT_LAYOUT PARENT_PATH graphviz_plugins)
list(APPEND CMAKE_INSTALL_RPATH ${graphviz_plugins})
