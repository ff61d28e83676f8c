#include "io/hdf5/netcdf3.hpp"

#include <hdf5_hl.h>

#include <string>

#include "io/durable/posix_file.hpp"
#include "io/hdf5/netcdf_module.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/load_module.hpp"

namespace lapl {
namespace {

const NetcdfModule& netcdf() {
#ifdef LAPL_HAS_NETCDF
  static const LoadedModule loaded = load_module("lapl_netcdf", false);
  if (loaded.table == nullptr) throw IoError("cannot read netCDF-3: {}", loaded.missing);
  return *static_cast<const NetcdfModule*>(loaded.table);
#else
  throw IoError(
      "is netCDF-3, and lapl was built without libnetcdf (nccopy -k nc4 IN.nc OUT.nc makes "
      "netCDF-4 of it)");
#endif
}

}  // namespace

Hdf5File netcdf3_as_hdf5(const std::filesystem::path& path) {
  const NetcdfModule& module = netcdf();
  std::string classic = read_start(path);
  const auto [owner, bytes] = module.as_netcdf4(classic);
  std::string().swap(classic);  // HDF5 makes a copy of the bytes
  return {H5LTopen_file_image(bytes.data(), bytes.size(), 0), "open a copy of netCDF-3"};
}

}  // namespace lapl
