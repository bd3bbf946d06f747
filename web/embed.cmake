# Turns a directory of static files into C++: cmake -D DIST=dir -D OUTPUT=file.cpp -P embed.cmake.
# Plain character arrays, because no compiler of ours has #embed and a string literal of this length
# is more than the standard promises.
cmake_minimum_required(VERSION 3.25)

function(content_type name result)
  if(name MATCHES "\\.html$")
    set(type "text/html; charset=utf-8")
  elseif(name MATCHES "\\.js$")
    set(type "text/javascript; charset=utf-8")
  elseif(name MATCHES "\\.css$")
    set(type "text/css; charset=utf-8")
  elseif(name MATCHES "\\.svg$")
    set(type "image/svg+xml")
  else()
    message(FATAL_ERROR "${name}: its content type isn't known; add it to web/embed.cmake")
  endif()
  set(${result} ${type} PARENT_SCOPE)
endfunction()

# '\x1f' and not 0x1f: a byte over 127 doesn't narrow to a char that may be signed.
function(character_array file name result)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(........................)" "\\1\n    " hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," list "${hex}")
  set(${result} "constexpr char ${name}[] = {\n    ${list}\n};\n" PARENT_SCOPE)
endfunction()

file(GLOB files RELATIVE ${DIST} ${DIST}/*)
list(FILTER files EXCLUDE REGEX "\\.gz$")
list(SORT files)
set(arrays "")
set(rows "")
set(index 0)
foreach(name IN LISTS files)
  content_type(${name} type)
  character_array(${DIST}/${name} body_${index} array)
  string(APPEND arrays "${array}")
  set(gzip "{}")
  file(SIZE ${DIST}/${name} plain_bytes)
  if(EXISTS ${DIST}/${name}.gz)
    file(SIZE ${DIST}/${name}.gz gzip_bytes)
    if(gzip_bytes LESS plain_bytes)
      character_array(${DIST}/${name}.gz gzip_${index} array)
      string(APPEND arrays "${array}")
      set(gzip "{gzip_${index}, sizeof gzip_${index}}")
    endif()
  endif()
  set(path "/${name}")
  if(name STREQUAL "index.html")
    set(path "/")
  endif()
  set(immutable false)
  if(name MATCHES "-[0-9a-f]+\\.(js|css)$")
    set(immutable true)
  endif()
  string(APPEND rows "    {\"${path}\", \"${type}\", {body_${index}, sizeof body_${index}}, "
                     "${gzip}, ${immutable}},\n")
  math(EXPR index "${index} + 1")
endforeach()
if(index EQUAL 0)
  message(FATAL_ERROR "${DIST} is empty: there is no dashboard to embed")
endif()

file(WRITE ${OUTPUT} "// Made by web/embed.cmake; never edit.
#include \"api/assets.h\"

namespace iobenchd::api {

namespace {

${arrays}
constexpr Asset embedded[] = {
${rows}};

}  // namespace

std::span<const Asset> assets() noexcept { return embedded; }

}  // namespace iobenchd::api
")
