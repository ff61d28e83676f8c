// Reads classic netCDF files (netCDF-3) as HDF5, so that what reads datasets reads them too.
#pragma once

#include <filesystem>

#include "io/hdf5/hdf5_handle.hpp"

namespace lapl {

/// An HDF5 file in memory with the numbers of a classic netCDF file, as libnetcdf copies them to
/// netCDF-4: dimensions, attributes and fill values too. Throws IoError, also if this build has no
/// libnetcdf.
Hdf5File netcdf3_as_hdf5(const std::filesystem::path& path);

}  // namespace lapl
