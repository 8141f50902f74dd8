# cpack runs this on the folder of each package before it is packed: notices of the libraries that are linked
# statically, and, by the kind of the package, what Debian wants or what the user has to install.

set(root ${CPACK_TEMPORARY_DIRECTORY})
if(CPACK_GENERATOR STREQUAL "DEB")
  string(APPEND root /usr)
endif()
set(doc ${root}/share/doc/amdahlc)
file(READ ${CPACK_AMDAHLC_SOURCE_DIR}/LICENSE license)

# notice(<what> <file>): appends the notice of a library. The file comes with the package that the library was linked
# from, so that both are of the same version.
set(copyright "${license}")
function(notice what file)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "no notice of ${what}, which is linked statically: ${file} is missing; packages are made on Debian")
  endif()
  file(READ ${file} text)
  set(copyright "${copyright}\n---- ${what}, which is part of the command:\n\n${text}" PARENT_SCOPE)
endfunction()
notice("The C++ runtime of ANTLR" /usr/share/doc/libantlr4-runtime-dev/copyright)
notice("nlohmann-json" /usr/share/doc/nlohmann-json3-dev/copyright)
set(apache /usr/share/common-licenses/Apache-2.0)
string(APPEND copyright "\n---- ONNX, which is part of the command:\n\n"
  "Copyright (c) ONNX Project Contributors, under the Apache License, Version 2.0.\n")

if(CPACK_GENERATOR STREQUAL "DEB")
  string(APPEND copyright "On Debian systems its text is in ${apache}.\n")
else()
  string(APPEND copyright "Its text is in the file Apache-2.0 beside this one.\n")
  file(COPY ${apache} DESTINATION ${doc} FOLLOW_SYMLINK_CHAIN)
endif()
file(WRITE ${doc}/copyright "${copyright}")

if(CPACK_GENERATOR STREQUAL "DEB")
  # As Debian's policy asks: pages and change logs are compressed, without the time in the compressed file.
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, if it is set
  file(WRITE ${doc}/changelog.Debian
    "amdahlc (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * Version ${CPACK_PACKAGE_VERSION}; changelog.gz lists its changes.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
  # The layout engine is a plug-in of Graphviz that the command is linked with, and it is in a folder of plug-ins.
  file(WRITE ${root}/share/lintian/overrides/amdahlc
    "# The folder is that of libgvc6, which has the layout engine.\n"
    "amdahlc: custom-library-search-path RUNPATH */graphviz [usr/bin/amdahlc]\n")
  # Debian's zsh reads no site-functions below /usr.
  file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
  execute_process(
    COMMAND gzip -9n ${doc}/changelog ${doc}/changelog.Debian ${root}/share/man/man1/amdahlc.1
    COMMAND_ERROR_IS_FATAL ANY)
else()
  # The packages with the shared libraries, as the .deb names them.
  set(work ${CPACK_TEMPORARY_DIRECTORY}.shlibs)
  file(WRITE ${work}/debian/control "Source: amdahlc\n\nPackage: amdahlc\nArchitecture: any\n")
  execute_process(COMMAND dpkg-shlibdeps -O ${root}/bin/amdahlc WORKING_DIRECTORY ${work}
    OUTPUT_VARIABLE depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "^shlibs:Depends=" "" depends "${depends}")
  string(REPLACE ", " "\n" depends "${depends}")
  file(WRITE ${doc}/requirements
    "# Debian packages that the command needs, with their least versions. Everything else is linked statically:\n"
    "# ONNX, the C++ runtime of ANTLR.\n${depends}\n")
  file(REMOVE_RECURSE ${work})
endif()
