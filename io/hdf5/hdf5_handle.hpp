// HDF5's C API with owners for its identifiers and a check on every call.
//
// Messages of these functions do not name the file: `naming_file` puts its path in front.
#pragma once

#ifndef H5_USE_110_API
#define H5_USE_110_API  // the signatures of HDF5 1.10, with every later version too
#endif
#include <hdf5.h>

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/error.hpp"

namespace lapl {

/// Held by every function that calls HDF5, since packaged builds of it are not thread-safe. The
/// first one sets the library up: no printing of errors, no clean-up at exit (which crashes after
/// a failed close), no plugins.
class Hdf5Session {
 public:
  Hdf5Session();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

/// Throws IoError "cannot DOING: what HDF5 says".
[[noreturn]] void throw_hdf5_error(std::string_view doing);

/// Hands on the result of an HDF5 call; throws IoError where it is negative, HDF5's sign of
/// failure.
template <class Result>
Result check_hdf5(Result result, std::string_view doing) {
  if (result < 0) throw_hdf5_error(doing);
  return result;
}

/// Owns an identifier. The destructor closes it without a check (it is for errors and for reading);
/// what was written is closed with close().
template <herr_t (*Close)(hid_t)>
class Hdf5Handle {
 public:
  /// Takes the result of the call that made the identifier; throws IoError where it failed.
  Hdf5Handle(hid_t id, std::string_view doing) : id_(check_hdf5(id, doing)) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) Close(id_);
  }

  operator hid_t() const { return id_; }

  /// Closes now. After a failure the identifier must never be touched again, and is not.
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

/// What a new file is made for.
enum class Hdf5Format {
  /// Version 1.8 of the format (1.10 for virtual datasets alone), creation order tracked, as
  /// netCDF-4 wants it.
  netcdf,
  checkpoint,  ///< HDF5's defaults
};

/// Creates a file at a scratch path of write_sealed.
Hdf5File create_hdf5_file(const std::filesystem::path& scratch, Hdf5Format format);
/// Opens it again, to look where its values lie.
Hdf5File reopen_hdf5_file(const std::filesystem::path& scratch);
/// Opens a file for reading.
Hdf5File open_hdf5_file(const std::filesystem::path& path);

/// Opens a file that lies in memory, for reading, in place: `bytes` must outlive it. (HDF5's own
/// H5LTopen_file_image leaks.)
Hdf5File open_hdf5_image(std::span<std::byte> bytes);

/// Creates a group that tracks and indexes creation order.
Hdf5Group create_hdf5_group(hid_t location, const std::string& name);

/// Calls `use`; an IoError that it throws gets "PATH: " in front.
template <class Use>
auto naming_file(const std::filesystem::path& path, Use use) {
  try {
    return use();
  } catch (const IoError& error) {
    throw IoError(path.string() + ": " + error.what());
  }
}

}  // namespace lapl
