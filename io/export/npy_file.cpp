#include <fmt/ranges.h>

#include "io/durable/durable_file.hpp"
#include "io/export/export.hpp"

namespace lapl {
namespace {

// An .npy header: magic, version, 2-byte length of the text, then a Python dictionary, padded with
// spaces and a newline so that the header's length is a multiple of 64 bytes.
std::string npy_header(const Series& series) {
  const std::size_t records = series.records.size();
  const Shape shape = series.shape;
  std::string text =
      fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}{}{}), }}",
                  byte_size(series.precision), records > 1 ? fmt::format("{}, ", records) : "",
                  fmt::join(shape.extents(), ", "), records == 1 && shape.axes == 1 ? "," : "");
  constexpr std::size_t before = 10, alignment = 64;
  text.append(alignment - 1 - (before + text.size()) % alignment, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace

void write_npy(const std::filesystem::path& path, const Series& series, const std::string& field) {
  write_in_blocks(path, [&](const BlockWriter& write) {
    const std::string header = npy_header(series);
    write(std::as_bytes(std::span(header)));
    for (const SeriesRecord& record : series.records)
      write(field_bytes(as_view(read_record(series, record, field))));
  });
}

}  // namespace lapl
