#include "io/readers/file_kind.hpp"

#include <hdf5.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "io/hdf5/hdf5_handle.hpp"

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

FileKind file_kind(const std::filesystem::path& path) {
  const std::string start = first_bytes(path, 4096);
  if (const KnownKind* const known = known_kind(start)) return known->kind;
  const bool is_text = !start.empty() && std::ranges::all_of(start, [](unsigned char c) {
    return c >= ' ' || (c >= '\t' && c <= '\r');
  });
  if (!is_text) return FileKind::other;
  const Hdf5Session session;  // a file of HDF5 may begin with a block of text
  return H5Fis_hdf5(path.c_str()) > 0 ? FileKind::other : FileKind::text;
}

std::string other_file_kind(const std::filesystem::path& path) {
  const KnownKind* const known = known_kind(first_bytes(path, 16));
  return known != nullptr ? known->name : "";
}

}  // namespace lapl
