# A text file -> a .cpp that holds it byte for byte:
#   cmake -DIN=... -DOUT=... -DHEADER=api/openapi.h -DFUNCTION=openapi_json -P embed_text.cmake
# A string literal may be 64 KiB long for every compiler, so the text is cut into pieces that the
# compiler joins as array elements instead.
file(READ "${IN}" hex HEX)
get_filename_component(name "${IN}" NAME)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],))" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}" "// Made from ${name} by api/embed_text.cmake.
#include \"${HEADER}\"

namespace iobenchd::api {

namespace {
constexpr unsigned char document[] = {
${bytes}};
}  // namespace

std::string_view ${FUNCTION}() noexcept {
  return {reinterpret_cast<const char*>(document), sizeof document};
}

}  // namespace iobenchd::api
")
