// Copies classic netCDF files with libnetcdf; part of the library lapl_netcdf.
#include "io/hdf5/netcdf_module.hpp"

#include <netcdf.h>
#include <netcdf_mem.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "kernels/error.hpp"

namespace lapl {
namespace {

void check(int status) {
  if (status != NC_NOERR)
    throw IoError("cannot read as netCDF-3: {}", status == EPERM
                                                     ? "it ends before its values do: it is cut"
                                                     : nc_strerror(status));
}

struct OpenFile {
  int id = -1;
  ~OpenFile() {
    if (id >= 0) nc_abort(id);
  }
};

std::pair<std::shared_ptr<void>, std::span<std::byte>> as_netcdf4(std::string& bytes) {
  OpenFile in, out;
  // nc_open would read zeros where a file is cut.
  check(nc_open_mem("netCDF-3", NC_NOWRITE, bytes.size(), bytes.data(), &in.id));
  check(nc_create_mem("lapl", NC_NETCDF4, 1 << 16, &out.id));
  int dimensions = 0, variables = 0;
  check(nc_inq(in.id, &dimensions, &variables, nullptr, nullptr));
  std::array<char, NC_MAX_NAME + 1> name{};
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    std::size_t length = 0;
    check(nc_inq_dim(in.id, dimension, name.data(), &length));
    check(nc_def_dim(out.id, name.data(), length, nullptr));
  }
  for (int variable = 0; variable < variables; ++variable) {
    nc_type type = NC_CHAR;
    check(nc_inq_vartype(in.id, variable, &type));
    if (type != NC_CHAR) check(nc_copy_var(in.id, variable, out.id));
  }
  NC_memio made{};
  check(nc_close_memio(std::exchange(out.id, -1), &made));
  return {std::shared_ptr<void>(made.memory, std::free),
          {static_cast<std::byte*>(made.memory), made.size}};
}

}  // namespace
}  // namespace lapl

extern "C" const lapl::NetcdfModule lapl_netcdf;
const lapl::NetcdfModule lapl_netcdf = {lapl::as_netcdf4};
