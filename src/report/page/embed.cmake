# Writes files into a C++ source, so that the program carries them:
#   cmake -DOUT=page_assets.cpp -DDYGRAPHS=…/dygraph.min.js -P embed.cmake
# Declared in report/page_assets.hpp.
cmake_minimum_required(VERSION 3.22)

set(source "// Written by embed.cmake.\n#include \"report/page_assets.hpp\"\n\nnamespace qkvlab {\n")

function(embed name file)
  file(READ "${file}" text)
  string(TOLOWER "${text}" text)
  # What would end its element early, or be read as something else, must not stand in one.
  foreach(forbidden ${ARGN})
    string(FIND "${text}" "${forbidden}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} holds '${forbidden}', which must not stand in a page")
    endif()
  endforeach()
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  file(SHA256 "${file}" digest)
  string(APPEND source
    "\nconstexpr char k${name}Bytes[] = {${bytes}};\n"
    "constexpr PageAsset k${name} = {{k${name}Bytes, sizeof k${name}Bytes}, \"${digest}\"};\n")
  set(source "${source}" PARENT_SCOPE)
endfunction()

# Its last line names a file that is not there.
file(READ "${DYGRAPHS}" dygraphs)
string(REGEX REPLACE "\n//# sourceMappingURL=[^\n]*\n?$" "\n" dygraphs "${dygraphs}")
file(WRITE "${OUT}.dygraphs" "${dygraphs}")

set(folder "${CMAKE_CURRENT_LIST_DIR}")
set(script "")
foreach(part tools curves seeds maps panel viewer)
  file(READ "${folder}/${part}.js" text)
  string(APPEND script "${text}\n")
endforeach()
file(WRITE "${OUT}.script" "(function () {\n\"use strict\";\n${script}}());\n")

embed(PageFrame "${folder}/page.html")
embed(PageStyle "${folder}/page.css" "</style")
embed(PageScript "${OUT}.script" "</script" "<!--")
embed(Dygraphs "${OUT}.dygraphs" "</script" "<!--")
embed(DygraphsLicence "${folder}/dygraphs_licence.txt")
file(WRITE "${OUT}" "${source}\n}  // namespace qkvlab\n")
