# WebAssembly by Clang, for the replay of the page.

find_program(WASM_COMPILER clang++-19)
find_file(WASM_LIBCXX libc++.a PATHS /usr/lib/wasm32-wasi NO_DEFAULT_PATH)
find_program(WASM_LINKER wasm-ld-19)
mark_as_advanced(WASM_COMPILER WASM_LIBCXX WASM_LINKER)

# amdahlc_add_wasm_module(<target> <module> file...): a module without imports, linked of sources of the project. Files
# are given from the top. The target is not made where a part of the toolchain is missing.
function(amdahlc_add_wasm_module target module)
  foreach(part WASM_COMPILER WASM_LIBCXX WASM_LINKER)
    if(NOT ${part})
      return()
    endif()
  endforeach()
  # Of the system's headers the sources may see fmt alone, which needs no library so.
  set(include ${CMAKE_CURRENT_BINARY_DIR}/include)
  find_path(FMT_INCLUDE fmt/format.h REQUIRED)
  mark_as_advanced(FMT_INCLUDE)
  file(MAKE_DIRECTORY ${include})
  file(CREATE_LINK ${FMT_INCLUDE}/fmt ${include}/fmt SYMBOLIC)
  # The module is a part of every page: its size counts before its speed. Linking optimizes it as a whole,
  # and the compiler runs `wasm-opt` of the package binaryen on it where that is installed.
  set(options --target=wasm32-wasi -std=c++20 -Oz -flto -DNDEBUG -DFMT_HEADER_ONLY -fno-exceptions -fno-rtti -fno-c++-static-destructors
      -fvisibility=hidden -ffp-contract=off -mbulk-memory -msign-ext -mnontrapping-fptoint)
  set(objects "")
  foreach(source IN LISTS ARGN)
    string(REPLACE "/" "_" object ${source})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${object}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${WASM_COMPILER} ${options} -I ${PROJECT_SOURCE_DIR} -isystem ${include}
              -MD -MF ${object}.d -c ${PROJECT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${PROJECT_SOURCE_DIR}/${source}
      DEPFILE ${object}.d
      COMMENT "Compiling ${source} to WebAssembly" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(OUTPUT ${module}
    COMMAND ${WASM_COMPILER} --target=wasm32-wasi -Oz -flto -mexec-model=reactor -Wl,--gc-sections -Wl,--strip-all
            -Wl,--lto-O3 -Wl,-mllvm,-enable-merge-functions=1 -Wl,-mllvm,-mergefunc-use-aliases=1
            -Wl,-mllvm,-inline-threshold=-50 -Wl,-mllvm,-disable-lsr -Wl,-mllvm,-enable-pre=0 -Wl,-mllvm,-enable-load-pre=0
            ${objects} -o ${module}
    DEPENDS ${objects}
    COMMENT "Linking ${module}" VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${module})
endfunction()
