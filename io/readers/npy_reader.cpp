#include "io/readers/npy_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

#include "io/config/config_text.hpp"
#include "io/config/yaml_tree.hpp"
#include "io/durable/posix_file.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/host_vector.hpp"
#include "kernels/filters/half.hpp"

namespace lapl {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::uint64_t longest_npy_header = 1 << 20;

struct NpyHeader {
  std::string type;  ///< such as <f4
  bool fortran_order = false;
  std::vector<hsize_t> extent;
};

// A header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
// With brackets for its parentheses it is a map of YAML.
NpyHeader header_in(std::string text) {
  std::ranges::replace(text, '(', '[');
  std::ranges::replace(text, ')', ']');
  const YamlDocument document = parse_yaml(text);
  bool good = !document.problem && document.root.kind == YamlNode::Kind::map;
  NpyHeader header;
  for_each_entry(document.root, [&](const std::string& key, const YamlNode& value) {
    if (key == "descr") {
      header.type = value.text;
    } else if (key == "fortran_order") {
      header.fortran_order = value.text == "True";
      good = good && (header.fortran_order || value.text == "False");
    } else if (key == "shape" && value.kind == YamlNode::Kind::list) {
      for (const YamlNode& extent : value.children) {
        const char* const end = extent.text.data() + extent.text.size();
        const auto [after, error] =
            std::from_chars(extent.text.data(), end, header.extent.emplace_back());
        good = good && error == std::errc() && after == end;
      }
    } else {
      good = false;
    }
  });
  if (!good || header.type.empty())
    throw IoError(
        "its header is none of an array of numbers (expected descr, fortran_order, shape)");
  return header;
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (auto at = bytes.rbegin(); at != bytes.rend(); ++at)
    value = value << 8 | static_cast<unsigned char>(*at);
  return value;
}

// Calls `with` with a value of the type in `Types` that has this size; false if there is none.
template <class... Types, class With>
bool with_type_of_size(std::size_t size, With with) {
  const auto call = [&](auto value) { return with(value), true; };
  return ((sizeof(Types) == size && call(Types())) || ...);
}

// Calls `with` with a value of the stored type; false if this type is not supported.
template <class With>
bool with_npy_type(char kind, std::size_t size, With with) {
  if (kind == 'f') return with_type_of_size<Half, float, double>(size, with);
  if (kind == 'i')
    return with_type_of_size<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(size, with);
  if (kind == 'u' || (kind == 'b' && size == 1))
    return with_type_of_size<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(size, with);
  return false;
}

double npy_value(Half value) { return as_number(value); }
template <class T>
double npy_value(T value) {
  return static_cast<double>(value);
}

}  // namespace

bool is_npy(const std::filesystem::path& path) {
  return std::filesystem::is_regular_file(path) && read_start(path, npy_magic.size()) == npy_magic;
}

NpyReader::NpyReader(const std::filesystem::path& path, int grid_axes) : path_(path) {
  const std::uint64_t length = std::filesystem::file_size(path);
  const std::string start = read_start(path, longest_npy_header);
  const auto refuse = [&](const std::string& what) {
    throw IoError("{}: {}", path.string(), what);
  };
  const std::size_t version = start.size() > 7 ? static_cast<unsigned char>(start[6]) : 0;
  if (version < 1 || version > 3)
    refuse(fmt::format("is an .npy file of version {} (expected 1 to 3)", version));
  const std::size_t count_size = version == 1 ? 2 : 4, text = 8 + count_size;
  const std::uint64_t text_size = little_endian(std::string_view(start).substr(8, count_size));
  if (start.size() < text || text_size > start.size() - text) refuse("its header is cut short");
  first_value_ = text + text_size;
  const NpyHeader header =
      naming_file(path, [&] { return header_in(start.substr(text, text_size)); });
  const std::string& type = header.type;
  if (type.size() > 2) kind_ = type[1], value_size_ = static_cast<std::size_t>(type[2] - '0');
  swapped_ = type.starts_with('>');
  if (type.size() != 3 || std::string_view("<>|=").find(type[0]) == std::string_view::npos ||
      !with_npy_type(kind_, value_size_, [](auto) {}))
    refuse(fmt::format(
        "holds values of type {} (expected floating-point numbers of at most 64 bits, or integers)",
        shown(type)));
  std::uint64_t room = length > first_value_ ? (length - first_value_) / value_size_ : 0;
  for (const hsize_t size : header.extent) room /= std::max<hsize_t>(size, 1);
  if (room == 0)
    refuse(fmt::format("is {} bytes long, too short for an array of ({}) values of {} bytes",
                       length, fmt::join(header.extent, ", "), value_size_));
  layout_ = naming_file(path, [&] { return array_layout("the array", header.extent, grid_axes); });
  if (kind_ == 'f' && value_size_ == 4) layout_.precision = Precision::float32;
  layout_.fits_single = (kind_ == 'f' && value_size_ <= 4) || (kind_ != 'f' && value_size_ <= 2);
  fortran_order_ = header.fortran_order && layout_.shape.columns < layout_.shape.cells();
  if (header.fortran_order && layout_.records > 1)
    refuse(
        fmt::format("holds {} records in Fortran's order (expected C's: numpy.ascontiguousarray)",
                    layout_.records));
}

FieldValues NpyReader::read(std::size_t record) const {
  const auto cells = static_cast<std::size_t>(layout_.shape.cells());
  std::vector<std::byte> bytes(cells * value_size_);
  const PosixFile file(path_, O_RDONLY, path_.string());
  file.seek(first_value_ + record * bytes.size());
  if (file.read(bytes) < bytes.size())
    throw IoError(path_.string() + ": was cut while it was read");
  // In Fortran order, neighbours along the first axis are adjacent in the file.
  const auto from_fortran = [shape = layout_.shape](std::size_t at) {
    const auto i = static_cast<std::int64_t>(at);
    return cell_index(shape, {.row = i / shape.planes % shape.rows,
                              .column = i / shape.planes / shape.rows,
                              .plane = i % shape.planes});
  };
  return with_precision(layout_.precision, [&]<class T>() {
    std::vector<T> values = host_vector<T>(layout_.shape.cells());
    with_npy_type(kind_, value_size_, [&]<class Stored>(Stored stored) {
      for (std::size_t i = 0; i < cells; ++i) {
        std::byte* const at = bytes.data() + i * sizeof(Stored);
        if (swapped_) std::reverse(at, at + sizeof(Stored));
        std::memcpy(&stored, at, sizeof(Stored));
        values[fortran_order_ ? from_fortran(i) : static_cast<std::int64_t>(i)] =
            static_cast<T>(npy_value(stored));
      }
    });
    return FieldValues(std::move(values));
  });
}

ReadField read_any_field(const std::filesystem::path& path, const std::string& dataset,
                         const RecordChoice& record,
                         const std::function<void(Shape)>& receive_shape, int grid_axes) {
  if (!is_npy(path)) return read_field(path, dataset, record, receive_shape, grid_axes);
  const NpyReader reader(path, grid_axes);
  const DatasetLayout& layout = reader.layout();
  if (receive_shape) receive_shape(layout.shape);
  const std::size_t at =
      naming_file(path, [&] { return chosen_record(record, layout.records, {}, "the array"); });
  return {layout.shape, layout.records, layout.axes == 1, reader.read(at), at};
}

}  // namespace lapl
