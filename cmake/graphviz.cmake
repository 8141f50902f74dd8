# Graphviz: its library and the layout engine `dot`, as graphviz::dot. The engine is a plugin, which Graphviz would load
# by a configuration file; linked, it is found without one.

pkg_check_modules(gvc REQUIRED IMPORTED_TARGET GLOBAL libgvc libcgraph libcdt)
pkg_get_variable(gvc_libdir libgvc libdir)
find_library(GRAPHVIZ_DOT_LAYOUT gvplugin_dot_layout HINTS ${gvc_libdir}/graphviz REQUIRED)
mark_as_advanced(GRAPHVIZ_DOT_LAYOUT)

add_library(graphviz_dot INTERFACE)
target_link_libraries(graphviz_dot INTERFACE PkgConfig::gvc ${GRAPHVIZ_DOT_LAYOUT})
# Its folder is not among those in which the loader looks.
cmake_path(GET GRAPHVIZ_DOT_LAYOUT PARENT_PATH graphviz_plugins)
list(APPEND CMAKE_INSTALL_RPATH ${graphviz_plugins})
add_library(graphviz::dot ALIAS graphviz_dot)
