#include <fmt/ranges.h>

#include "io/durable/durable_file.hpp"
#include "io/export/export.hpp"
#include "io/xml_text.hpp"

namespace lapl {
namespace {

// The XDMF description: each record is a grid of three axes, and all records share the axes.
std::string xdmf_text(const std::filesystem::path& raw, const Series& series,
                      const std::string& field) {
  const Shape shape = series.shape;
  const std::size_t size = byte_size(series.precision);
  const std::string dimensions = fmt::format("{} {} {}", shape.planes, shape.rows, shape.columns);
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<Xdmf Version=\"3.0\">\n <Domain>\n"
      "  <Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  std::uint64_t position = 0;
  for (const SeriesRecord& record : series.records) {
    text += fmt::format(
        "   <Grid Name=\"step {0}\" GridType=\"Uniform\">\n"
        "    <Time Value=\"{1}\"/>\n"
        "    <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{2}\"/>\n"
        "    <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
        "     <DataItem Dimensions=\"3\" Format=\"XML\">{8}</DataItem>\n"
        "     <DataItem Dimensions=\"3\" Format=\"XML\">{3}</DataItem>\n"
        "    </Geometry>\n"
        "    <Attribute Name=\"{4}\" AttributeType=\"Scalar\" Center=\"Node\">\n"
        "     <DataItem Dimensions=\"{2}\" NumberType=\"Float\" Precision=\"{5}\" "
        "Format=\"Binary\" Endian=\"Little\" Seek=\"{6}\">{7}</DataItem>\n"
        "    </Attribute>\n   </Grid>\n",
        record.step, record.time, dimensions, fmt::join(series.spacing.by_axis, " "), field, size,
        position, xml_text(raw.filename().string()), fmt::join(series.spacing.origin, " "));
    position += static_cast<std::uint64_t>(shape.cells()) * size;
  }
  return text + "  </Grid>\n </Domain>\n</Xdmf>\n";
}

}  // namespace

std::filesystem::path xdmf_path(const std::filesystem::path& raw) {
  return std::filesystem::path(raw).replace_extension(".xdmf");
}

void write_raw(const std::filesystem::path& path, const Series& series, const std::string& field) {
  write_in_blocks(path, [&](const BlockWriter& write) {
    for (const SeriesRecord& record : series.records)
      write(field_bytes(as_view(read_record(series, record, field))));
  });
  replace_file(xdmf_path(path), xdmf_text(path, series, field));
}

}  // namespace lapl
