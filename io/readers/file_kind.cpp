#include "io/readers/file_kind.hpp"

#include <fstream>
#include <string_view>

namespace lapl {
namespace {

using namespace std::string_view_literals;

struct KnownKind {
  std::string_view signature;
  const char* name;
};
constexpr KnownKind known_kinds[] = {
    {"\x89HDF\r\n"sv, "HDF5"},
    {"\x89PNG"sv, "a PNG picture"},
    {"\xff\xd8\xff"sv, "a JPEG picture"},
    {"GIF8"sv, "a GIF picture"},
    {"II*\0"sv, "a TIFF picture"},
    {"MM\0*"sv, "a TIFF picture"},
    {"\x93NUMPY"sv, "a NumPy array (.npy)"},
    {"PK\x03\x04"sv, "a zip archive, as NumPy's .npz is"},
    {"CDF\x01"sv, "netCDF-3 (nccopy -k nc4 OLD NEW makes netCDF-4 of it, which is HDF5)"},
    {"CDF\x02"sv, "netCDF-3 (nccopy -k nc4 OLD NEW makes netCDF-4 of it, which is HDF5)"},
    {"CDF\x05"sv, "netCDF-3 (nccopy -k nc4 OLD NEW makes netCDF-4 of it, which is HDF5)"},
    {"\x0e\x03\x13\x01"sv, "HDF4 (h4toh5 makes HDF5 of it)"},
    {"MATLAB 5.0"sv, "an old MAT-file (save with -v7.3 makes HDF5)"},
    {"\x1f\x8b"sv, "compressed by gzip"},
    {"%PDF"sv, "a PDF document"}};

}  // namespace

std::string other_file_kind(const std::filesystem::path& path) {
  char bytes[16];
  std::ifstream file(path, std::ios::binary);
  file.read(bytes, sizeof bytes);
  const std::string_view start(bytes, static_cast<std::size_t>(file.gcount()));
  for (const auto& [signature, name] : known_kinds)
    if (start.starts_with(signature)) return name;
  return {};
}

}  // namespace lapl
