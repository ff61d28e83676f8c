#include "io/readers/stored_array.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "io/durable/posix_file.hpp"
#include "io/images/tiff.hpp"
#include "io/readers/file_kind.hpp"
#include "io/readers/npy_reader.hpp"
#include "io/readers/table_reader.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/host_vector.hpp"
#include "kernels/filters/half.hpp"

namespace lapl {
namespace {

// Calls `with` with a value of the type in `Types` that has this size; false if there is none.
template <class... Types, class With>
bool with_type_of_size(std::size_t size, With with) {
  const auto call = [&](auto value) { return with(value), true; };
  return ((sizeof(Types) == size && call(Types())) || ...);
}

// Calls `with` with a value of the stored type; false if this type is not supported.
template <class With>
bool with_stored_type(char kind, std::size_t size, With with) {
  if (kind == 'f') return with_type_of_size<Half, float, double>(size, with);
  if (kind == 'i')
    return with_type_of_size<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(size, with);
  if (kind == 'u' || (kind == 'b' && size == 1))
    return with_type_of_size<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(size, with);
  return false;
}

double stored_value(Half value) { return as_number(value); }
template <class T>
double stored_value(T value) {
  return static_cast<double>(value);
}

}  // namespace

ByteSource file_bytes(const std::filesystem::path& path) {
  const auto file = std::make_shared<PosixFile>(path, O_RDONLY, path.string());
  return {file->size(), [file, path](std::uint64_t first, std::span<std::byte> buffer) {
            file->seek(first);
            if (file->read(buffer) < buffer.size())
              throw IoError(path.string() + ": was cut while it was read");
          }};
}

bool is_number_type(char kind, std::size_t size) {
  return with_stored_type(kind, size, [](auto) {});
}

ArrayReader::ArrayReader(const std::filesystem::path& path, StoredArray array, int grid_axes)
    : path_(path), array_(std::move(array)) {
  const char kind = array_.kind;
  const std::size_t size = array_.value_size;
  layout_ = naming_file(path, [&] { return array_layout("the array", array_.extent, grid_axes); });
  if (kind == 'f' && size == 4) layout_.precision = Precision::float32;
  layout_.fits_single = (kind == 'f' && size <= 4) || (kind != 'f' && size <= 2);
  if (array_.fortran_order && layout_.records > 1)
    throw IoError("{}: holds {} records in Fortran's order (expected C's: numpy.ascontiguousarray)",
                  path.string(), layout_.records);
  if (layout_.shape.columns == layout_.shape.cells()) array_.fortran_order = false;
}

FieldValues ArrayReader::read(std::size_t record) const {
  const auto cells = static_cast<std::size_t>(layout_.shape.cells());
  std::vector<std::byte> bytes(cells * array_.value_size);
  array_.bytes.read(array_.first_value + record * bytes.size(), bytes);
  // In Fortran order, neighbours along the first axis are adjacent in the file.
  const auto from_fortran = [shape = layout_.shape](std::size_t at) {
    const auto i = static_cast<std::int64_t>(at);
    return cell_index(shape, {.row = i / shape.planes % shape.rows,
                              .column = i / shape.planes / shape.rows,
                              .plane = i % shape.planes});
  };
  return with_precision(layout_.precision, [&]<class T>() {
    std::vector<T> values = host_vector<T>(layout_.shape.cells());
    with_stored_type(array_.kind, array_.value_size, [&]<class Stored>(Stored stored) {
      for (std::size_t i = 0; i < cells; ++i) {
        std::byte* const at = bytes.data() + i * sizeof(Stored);
        if (array_.swapped) std::reverse(at, at + sizeof(Stored));
        std::memcpy(&stored, at, sizeof(Stored));
        values[array_.fortran_order ? from_fortran(i) : static_cast<std::int64_t>(i)] =
            static_cast<T>(stored_value(stored));
      }
    });
    return FieldValues(std::move(values));
  });
}

std::optional<ArrayReader> open_array(const std::filesystem::path& path, const std::string& dataset,
                                      int grid_axes) {
  StoredArray (*const open)(const std::filesystem::path&, const std::string&, int) = [&] {
    switch (file_kind(path)) {
      case FileKind::npy: return npy_array;
      case FileKind::npz: return npz_array;
      case FileKind::tiff: return tiff_array;
      case FileKind::text: return table_array;
      default: return decltype(&npy_array)(nullptr);
    }
  }();
  if (open == nullptr) return std::nullopt;
  return ArrayReader(path, open(path, dataset, grid_axes), grid_axes);
}

ReadField read_any_field(const std::filesystem::path& path, const std::string& dataset,
                         const RecordChoice& record,
                         const std::function<void(Shape)>& receive_shape, int grid_axes) {
  const auto reader = open_array(path, dataset, grid_axes);
  if (!reader) return read_field(path, dataset, record, receive_shape, grid_axes);
  const DatasetLayout& layout = reader->layout();
  if (receive_shape) receive_shape(layout.shape);
  const std::size_t at =
      naming_file(path, [&] { return chosen_record(record, layout.records, {}, "the array"); });
  return {layout.shape, layout.records, layout.axes == 1, reader->read(at), at};
}

}  // namespace lapl
