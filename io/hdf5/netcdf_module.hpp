// The function of lapl_netcdf, the only library linked with libnetcdf. It is loaded when the first
// classic netCDF file is read.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace lapl {

struct NetcdfModule {
  /// The bytes of a netCDF-4 file with the numeric variables of a classic file, and their owner.
  /// Throws IoError.
  std::pair<std::shared_ptr<void>, std::span<std::byte>> (*as_netcdf4)(std::string& classic);
};

}  // namespace lapl
