#include <fmt/ranges.h>

#include <array>
#include <iterator>

#include "io/durable/durable_file.hpp"
#include "io/export/export.hpp"
#include "kernels/error.hpp"

namespace lapl {

void write_csv(const std::filesystem::path& path, const Series& series, const std::string& field) {
  const std::int64_t cells = series.shape.cells();
  const auto records = static_cast<std::int64_t>(series.records.size());
  if (cells > most_csv_lines / records)
    throw ConfigError(
        "{}: {} outputs of {} cells make over {} lines, which is more than .csv is good for (fewer "
        "outputs with --steps or --step; or .npy, .nc)",
        path.string(), records, shape_text(series.shape), most_csv_lines);
  write_in_blocks(path, [&](const BlockWriter& write) {
    std::string text = "step,time,";
    for (const auto& [axis, extent] : shape_axes(series.shape))
      text += std::string(axis.name) + ',';
    text += field + '\n';
    for (const SeriesRecord& record : series.records) {
      const FieldValues read = read_record(series, record, field);
      const std::string before = fmt::format("{},{}", record.step, record.time);
      std::visit(
          [&](const auto& values) {
            for (std::int64_t i = 0; i < cells; ++i) {
              const Cell cell = cell_at(series.shape, i);
              const std::array<std::int64_t, 3> indices = {cell.plane, cell.row, cell.column};
              fmt::format_to(std::back_inserter(text), "{},{},{}\n", before,
                             fmt::join(indices.end() - series.shape.axes, indices.end(), ","),
                             values[i]);
            }
          },
          read);
      write(std::as_bytes(std::span(text)));
      text.clear();
    }
  });
}

}  // namespace lapl
