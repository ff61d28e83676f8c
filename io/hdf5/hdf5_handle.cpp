#include "io/hdf5/hdf5_handle.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <new>

#include "io/hdf5/start_hdf5.hpp"

namespace lapl {
namespace {

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

// HDF5 may crash if memory runs out inside it, above all while it starts. So a session first
// allocates more than HDF5 needs besides values, which may throw, and frees it.
void require_memory() {
  constexpr std::size_t enough = 8 << 20;
  ::operator delete(::operator new(enough));
}

// In a process that has done this before, such as Python with h5py, H5dont_atexit fails, and the
// settings stay as they are. It must be HDF5's first call, or HDF5 flushes at exit what it could
// not write, and crashes.
void set_up_hdf5() {
  const bool first = H5dont_atexit() >= 0;
  check_hdf5(H5open(), "set up HDF5");
  if (first) check_hdf5(H5PLset_loading_state(0), "switch HDF5's plugins off");
}

/// Stores the first description and stops the walk.
herr_t add_description(unsigned, const H5E_error2_t* error, void* text) {
  if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 1;
}

std::string hdf5_reason() {
  std::string reason = "HDF5 gives no reason";
  // Upward begins at the innermost function, which knows the cause.
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, add_description, &reason);
  return reason;
}

/// Reads the message, because HDF5 1.14 has overwritten errno by now.
bool has_no_locks(const std::string& reason) {
  return reason.starts_with(fmt::format("unable to lock file, errno = {},", ENOLCK)) ||
         reason.starts_with(fmt::format("unable to lock file, errno = {},", EOPNOTSUPP));
}

/// Properties for the stdio driver. HDF5's default driver resolves symbolic links, which fails for
/// files in memory, because they have no name.
Hdf5Properties scratch_access() {
  Hdf5Properties access(H5Pcreate(H5P_FILE_ACCESS), "make file properties");
  check_hdf5(H5Pset_fapl_stdio(access), "set file properties");
  // No other process opens the file.
  check_hdf5(H5Pset_file_locking(access, false, true), "set file properties");
  // Closing the file fails while objects in it are open, so that no write can follow unnoticed.
  check_hdf5(H5Pset_fclose_degree(access, H5F_CLOSE_SEMI), "set file properties");
  return access;
}

constexpr unsigned tracked = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;

}  // namespace

Hdf5Session::Hdf5Session() : lock_(hdf5_mutex()) {
  require_memory();
  static const bool ready = (set_up_hdf5(), true);
  static_cast<void>(ready);
  // Each thread has its own error handler.
  check_hdf5(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), "silence HDF5's error printing");
}

void start_hdf5() { static_cast<void>(Hdf5Session()); }

void throw_hdf5_error(std::string_view doing) {
  throw IoError("cannot " + std::string(doing) + ": " + hdf5_reason());
}

Hdf5File create_hdf5_file(const std::filesystem::path& scratch, Hdf5Format format) {
  const Hdf5Properties creation(H5Pcreate(H5P_FILE_CREATE), "make file properties");
  const Hdf5Properties access = scratch_access();
  if (format == Hdf5Format::netcdf) {
    check_hdf5(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST),
               "set the format's version");
    check_hdf5(H5Pset_link_creation_order(creation, tracked), "set file properties");
    check_hdf5(H5Pset_attr_creation_order(creation, tracked), "set file properties");
    check_hdf5(H5Pset_obj_track_times(creation, false), "set file properties");
  }
  return {H5Fcreate(scratch.c_str(), H5F_ACC_TRUNC, creation, access), "create the HDF5 file"};
}

Hdf5File reopen_hdf5_file(const std::filesystem::path& scratch) {
  return {H5Fopen(scratch.c_str(), H5F_ACC_RDONLY, scratch_access()), "open the HDF5 file again"};
}

Hdf5File open_hdf5_file(const std::filesystem::path& path) {
  const Hdf5Properties access(H5Pcreate(H5P_FILE_ACCESS), "make file properties");
  // Reads without locks if the file system has none; HDF5 itself does this only for ENOSYS.
  check_hdf5(H5Pset_file_locking(access, true, true), "set file properties");
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (file >= 0 || !has_no_locks(hdf5_reason())) return {file, "open as HDF5"};
  check_hdf5(H5Pset_file_locking(access, false, true), "set file properties");
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), "open as HDF5"};
}

Hdf5Group create_hdf5_group(hid_t location, const std::string& name) {
  const Hdf5Properties creation(H5Pcreate(H5P_GROUP_CREATE), "make group properties");
  check_hdf5(H5Pset_link_creation_order(creation, tracked), "set group properties");
  check_hdf5(H5Pset_attr_creation_order(creation, tracked), "set group properties");
  check_hdf5(H5Pset_obj_track_times(creation, false), "set group properties");
  return {H5Gcreate2(location, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT),
          "create group " + name};
}

}  // namespace lapl
