// lapl_output_speed OUTPUT.nc FIELD FOLDER: writes a field to step files in FOLDER, plain and
// compressed. Prints for each form the file's size and milliseconds (best of seven) and the speed
// of packing alone, in GB of values a second on one core.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/packed_values.hpp"
#include "io/hdf5/step_file.hpp"
#include "solver/clock.hpp"

using namespace lapl;

namespace {

/// The shortest time of seven calls.
template <class Use>
double best_seconds(const Use& use) {
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    const auto start = Clock::now();
    use();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

void measure(const ReadField& read, const StoredForm& form, const std::filesystem::path& path) {
  const FieldView values = as_view(read.values);
  const StepRecord record{.shape = read.shape,
                          .title = "a measurement",
                          .fields = {{"field", "field", "1", values}},
                          .provenance = {},
                          .form = form};
  FileWriter writer;
  const double writing = best_seconds(
      [&] { write_step_file(writer, only_rank(), path, record, RowRange::all(read.shape)); });
  double packing = 0;
  const FieldValues stored =
      as_stored(values, value_precision(values), form.kept_bits(), "the field");
  const auto bytes = field_bytes(as_view(stored));
  if (form.compression > 0) {
    const std::size_t size = byte_size(value_precision(values));
    packing = best_seconds([&] {
      for (const ContiguousValues& chunk : packed_chunks(read.shape, size)) {
        const Unpacked one{size, {bytes.subspan(chunk.first, chunk.size)}, chunk.padding};
        pack(std::span(&one, 1), form.compression);
      }
    });
  }
  fmt::print(
      "{:>11} {:>7} {:>8.2f} {:>6.1f}  {}\n", form.compression, form.round.value_or(0),
      static_cast<double>(std::filesystem::file_size(path)) / 1e6, writing * 1e3,
      packing > 0 ? fmt::format("{:.2f}", static_cast<double>(bytes.size()) / packing / 1e9) : "");
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    fmt::print(stderr, "lapl_output_speed OUTPUT.nc FIELD FOLDER\n");
    return 2;
  }
  const ReadField read = read_field(words[1], words[2]);
  fmt::print("compression   round       MB     ms  GB/s\n");
  for (const auto& round : {std::optional<double>(), std::optional(1e-4)})
    for (const int level : {0, 1, 4, 6})
      measure(read, {.compression = level, .round = round},
              std::filesystem::path(words[3]) / "o.nc");
}
