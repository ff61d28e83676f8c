# Writes OUTPUT, a source file that defines lapl::embedded_headers with the texts of HEADERS from folder SOURCE.
set(rows "")
foreach(name IN LISTS HEADERS)
  file(READ ${SOURCE}/${name} text)
  string(APPEND rows "    {\"${name}\", R\"header(${text})header\"},\n")
endforeach()
file(WRITE ${OUTPUT}.new "#include \"kernels/stages/embedded_headers.hpp\"

namespace lapl {
namespace {
constexpr EmbeddedHeader all_headers[] = {
${rows}};
}  // namespace
const std::span<const EmbeddedHeader> embedded_headers = all_headers;
}  // namespace lapl
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
