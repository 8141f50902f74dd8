# The generator of ANTLR 4 as a build step.

find_program(ANTLR4_TOOL antlr4 REQUIRED)
mark_as_advanced(ANTLR4_TOOL)

# amdahlc_add_grammar(<target> <grammar.g4> [VISITOR] [NO_LISTENER])
#
# Generates lexer and parser of a combined grammar in namespace amdahlc::generated and compiles them into the static
# library <target>. Headers are included by name alone ("AkpParser.h").
function(amdahlc_add_grammar target grammar)
  cmake_parse_arguments(PARSE_ARGV 2 arg "VISITOR;NO_LISTENER" "" "")
  cmake_path(ABSOLUTE_PATH grammar BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  cmake_path(GET grammar STEM name)
  cmake_path(GET grammar PARENT_PATH grammar_dir)
  cmake_path(GET grammar FILENAME grammar_file)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated)
  set(parts Lexer Parser)
  set(options -no-listener -no-visitor)
  if(NOT arg_NO_LISTENER)
    list(APPEND parts Listener BaseListener)
    list(REMOVE_ITEM options -no-listener)
  endif()
  if(arg_VISITOR)
    list(APPEND parts Visitor BaseVisitor)
    list(TRANSFORM options REPLACE "^-no-visitor$" "-visitor")
  endif()
  set(sources ${parts})
  list(TRANSFORM sources REPLACE "(.+)" "${out}/${name}\\1.cpp")
  set(headers ${parts})
  list(TRANSFORM headers REPLACE "(.+)" "${out}/${name}\\1.h")
  # The tool places its output by the path of its input, so it runs where the grammar is.
  add_custom_command(
    OUTPUT ${sources} ${headers}
    COMMAND ${ANTLR4_TOOL} -Dlanguage=Cpp -package amdahlc::generated -Werror ${options} -o ${out} ${grammar_file}
    WORKING_DIRECTORY ${grammar_dir}
    DEPENDS ${grammar}
    COMMENT "Generating ${name} lexer and parser"
    VERBATIM)
  add_library(${target} STATIC ${sources} ${headers})
  amdahlc_install_library(${target})
  set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "")
  target_include_directories(${target} SYSTEM PUBLIC $<BUILD_INTERFACE:${out}>)
  target_link_libraries(${target} PUBLIC antlr4::runtime)
  # The 4.7.2 generator writes u8 literals as char arrays, which C++20 makes char8_t; the generated code cannot be
  # changed.
  target_compile_options(${target} PUBLIC -fno-char8_t PRIVATE -w)
  if(AMDAHLC_SANITIZERS)
    # Same instrumentation as its users; the warnings stay off.
    target_compile_options(${target} PRIVATE -fsanitize=${AMDAHLC_SANITIZERS} -fno-sanitize-recover=all)
  endif()
  if(AMDAHLC_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()
