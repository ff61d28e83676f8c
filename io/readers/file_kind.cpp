#include "io/readers/file_kind.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>

namespace lapl {
namespace {

using namespace std::string_view_literals;

struct KnownKind {
  std::string_view signature;
  const char* name;
  FileKind kind = FileKind::other;
};
constexpr KnownKind known_kinds[] = {
    {"\x89HDF\r\n"sv, "HDF5"},
    {"\x89PNG"sv, "a PNG picture"},
    {"\xff\xd8\xff"sv, "a JPEG picture (magick IN.jpg OUT.png)"},
    {"GIF8"sv, "a GIF picture (magick IN.gif OUT.png)"},
    {"II*\0"sv, "a TIFF picture", FileKind::tiff},
    {"MM\0*"sv, "a TIFF picture", FileKind::tiff},
    {"II+\0"sv, "a TIFF picture", FileKind::tiff},
    {"MM\0+"sv, "a TIFF picture", FileKind::tiff},
    {"\x93NUMPY"sv, "a NumPy array (.npy)", FileKind::npy},
    {"PK\x03\x04"sv, "a zip archive, as NumPy's .npz is", FileKind::npz},
    {"PK\x05\x06"sv, "an empty zip archive", FileKind::npz},
    {"CDF\x01"sv, "netCDF-3", FileKind::netcdf3},
    {"CDF\x02"sv, "netCDF-3", FileKind::netcdf3},
    {"CDF\x05"sv, "netCDF-3", FileKind::netcdf3},
    {"\x0e\x03\x13\x01"sv, "HDF4 (h4toh5 IN.hdf OUT.h5)"},
    {"GRIB"sv, "GRIB (cdo -f nc4 copy IN.grib OUT.nc)"},
    {"SIMPLE  ="sv,
     "FITS (python3 -c \"import numpy, astropy.io.fits as f; numpy.save('OUT.npy', "
     "f.getdata('IN.fits'))\")"},
    {"MATLAB 5.0"sv, "an old MAT-file (in MATLAB: save('OUT.mat', '-v7.3') makes HDF5)"},
    {"\x1f\x8b"sv, "compressed by gzip (gunzip IN.gz)"},
    {"\xfd"
     "7zXZ"sv,
     "compressed by xz (unxz IN.xz)"},
    {"\x28\xb5\x2f\xfd"sv, "compressed by zstd (unzstd IN.zst)"},
    {"%PDF"sv, "a PDF document"}};

std::string first_bytes(const std::filesystem::path& path, std::size_t most) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  std::string bytes(most, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(most));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

const KnownKind* known_kind(std::string_view start) {
  const auto* const known = std::ranges::find_if(
      known_kinds, [&](const KnownKind& row) { return start.starts_with(row.signature); });
  return known == std::end(known_kinds) ? nullptr : known;
}

}  // namespace

bool is_hdf5_after_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 8> start{};
  for (std::int64_t at = 512; file.seekg(at).read(start.data(), start.size()); at *= 2)
    if (std::string_view(start.data(), start.size()) == "\x89HDF\r\n\x1a\n"sv) return true;
  return false;
}

FileKind file_kind(const std::filesystem::path& path) {
  const std::string start = first_bytes(path, 4096);
  if (const KnownKind* const known = known_kind(start)) return known->kind;
  const bool is_text = !start.empty() && std::ranges::all_of(start, [](unsigned char c) {
    return c >= ' ' || (c >= '\t' && c <= '\r');
  });
  return is_text && !is_hdf5_after_text(path) ? FileKind::text : FileKind::other;
}

std::string other_file_kind(const std::filesystem::path& path) {
  const KnownKind* const known = known_kind(first_bytes(path, 16));
  return known != nullptr ? known->name : "";
}

}  // namespace lapl
