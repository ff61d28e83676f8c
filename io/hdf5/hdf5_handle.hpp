// HDF5's C API, with owners for its identifiers and a check of every call. The messages of these
// functions do not name the file; naming_file adds its path.
#pragma once

#ifndef H5_USE_110_API
#define H5_USE_110_API  // signatures of HDF5 1.10 in all later versions
#endif
#include <hdf5.h>

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/error.hpp"

namespace lapl {

/// Must be held by every function that calls HDF5, because packaged builds of HDF5 are not
/// thread-safe. The first session sets the library up: no error printing, no clean-up at exit
/// (which crashes after a failed close), no plugins.
class Hdf5Session {
 public:
  Hdf5Session();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

/// Throws IoError "cannot DOING: " followed by HDF5's message.
[[noreturn]] void throw_hdf5_error(std::string_view doing);

/// Returns the result of an HDF5 call. Throws IoError if it is negative, which means failure.
template <class Result>
Result check_hdf5(Result result, std::string_view doing) {
  if (result < 0) throw_hdf5_error(doing);
  return result;
}

/// Owns an HDF5 identifier. The destructor closes it unchecked, after reading or after an error; a
/// file that was written must be closed with close().
template <herr_t (*Close)(hid_t)>
class Hdf5Handle {
 public:
  /// Takes the result of the call that created the identifier. Throws IoError if the call failed.
  Hdf5Handle(hid_t id, std::string_view doing) : id_(check_hdf5(id, doing)) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) Close(id_);
  }

  operator hid_t() const { return id_; }

  /// Closes the identifier, which must not be closed again even if this fails.
  void close(std::string_view doing) {
    check_hdf5(Close(std::exchange(id_, H5I_INVALID_HID)), doing);
  }

 private:
  hid_t id_;
};

using Hdf5File = Hdf5Handle<H5Fclose>;
using Hdf5Group = Hdf5Handle<H5Gclose>;
using Hdf5Dataset = Hdf5Handle<H5Dclose>;
using Hdf5Attribute = Hdf5Handle<H5Aclose>;
using Hdf5Space = Hdf5Handle<H5Sclose>;
using Hdf5Type = Hdf5Handle<H5Tclose>;
using Hdf5Properties = Hdf5Handle<H5Pclose>;

/// The purpose of a new file, which selects its format.
enum class Hdf5Format {
  /// HDF5 1.8 format (1.10 for virtual datasets) with creation order tracked, as netCDF-4 needs.
  netcdf,
  checkpoint,  ///< HDF5's defaults
};

/// Creates a file at a scratch path of write_sealed.
Hdf5File create_hdf5_file(const std::filesystem::path& scratch, Hdf5Format format);
/// Opens a file of create_hdf5_file again, to find the places of its values.
Hdf5File reopen_hdf5_file(const std::filesystem::path& scratch);
/// Opens a file for reading.
Hdf5File open_hdf5_file(const std::filesystem::path& path);

/// Creates a group that tracks and indexes creation order.
Hdf5Group create_hdf5_group(hid_t location, const std::string& name);

/// Calls `use`. If it throws IoError, throws IoError with "PATH: " in front of the message.
template <class Use>
auto naming_file(const std::filesystem::path& path, Use use) {
  try {
    return use();
  } catch (const IoError& error) {
    throw IoError(path.string() + ": " + error.what());
  }
}

}  // namespace lapl
