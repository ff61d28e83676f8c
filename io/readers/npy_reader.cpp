#include "io/readers/npy_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "io/config/config_text.hpp"
#include "io/config/yaml_tree.hpp"
#include "io/readers/zip_member.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

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

StoredArray npy_array_in(const std::string& name, ByteSource bytes) {
  std::string start(std::min(bytes.size, longest_npy_header), '\0');
  bytes.read(0, std::as_writable_bytes(std::span(start)));
  const auto refuse = [&](const std::string& what) { throw IoError("{}: {}", name, what); };
  const std::size_t version = start.size() > 7 ? static_cast<unsigned char>(start[6]) : 0;
  if (version < 1 || version > 3)
    refuse(fmt::format("is an .npy file of version {} (expected 1 to 3)", version));
  const std::size_t count_size = version == 1 ? 2 : 4, text = 8 + count_size;
  const std::uint64_t text_size = little_endian(std::string_view(start).substr(8, count_size));
  if (start.size() < text || text_size > start.size() - text) refuse("its header is cut short");
  const NpyHeader header =
      naming_file(name, [&] { return header_in(start.substr(text, text_size)); });
  const std::string& type = header.type;
  StoredArray array;
  if (type.size() > 2) {
    array.kind = type[1];
    array.value_size = static_cast<std::size_t>(type[2] - '0');
  }
  array.swapped = type.starts_with('>');
  if (type.size() != 3 || std::string_view("<>|=").find(type[0]) == std::string_view::npos ||
      !is_number_type(array.kind, array.value_size))
    refuse(fmt::format(
        "holds values of type {} (expected floating-point numbers of at most 64 bits, or integers)",
        shown(type)));
  array.first_value = text + text_size;
  std::uint64_t room = (bytes.size - array.first_value) / array.value_size;
  for (const hsize_t size : header.extent) room /= std::max<hsize_t>(size, 1);
  if (room == 0)
    refuse(fmt::format("is {} bytes long, too short for an array of ({}) values of {} bytes",
                       bytes.size, fmt::join(header.extent, ", "), array.value_size));
  array.fortran_order = header.fortran_order;
  array.extent = header.extent;
  array.bytes = std::move(bytes);
  return array;
}

}  // namespace

StoredArray npy_array(const std::filesystem::path& path, const std::string&, int) {
  return npy_array_in(path.string(), file_bytes(path));
}

StoredArray npz_array(const std::filesystem::path& path, const std::string& name, int) {
  return npy_array_in(path.string(), zip_member(path, name.substr(name.starts_with('/')), ".npy"));
}

}  // namespace lapl
