// Opens files for reading. The seals of lapl's own files are verified first.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/rehearsal.hpp"
#include "io/hdf5/step_file.hpp"

namespace lapl {

/// A file opened for reading.
struct OpenedFile {
  Hdf5File file;
  std::string format;  ///< as read_format returns it
};

/// Verifies the seal if there is one, then opens the file. Throws IoError with the file's name,
/// also for a file of lapl without its seal. Only for files that nobody can have manipulated.
OpenedFile open_verified(const std::filesystem::path& path);

/// Do the same in two parts, for any file; open_sealed takes the result of verify_if_sealed.
bool verify_if_sealed(const std::filesystem::path& path);
OpenedFile open_sealed(const std::filesystem::path& path, bool sealed);

/// Rehearses a call of `read` for this file (io/hdf5/rehearsal.hpp), and for an output also reading
/// all its fields. Skips an output that this process has rehearsed and passed to remember().
/// Returns the value to pass to remember().
std::uint64_t rehearse_unless_known(const std::filesystem::path& path, bool sealed,
                                    const std::function<void()>& read);
void remember(std::uint64_t rehearsed);

/// Verifies and opens the file and calls `use(OpenedFile)` twice: in a rehearsal, and then for the
/// result. Throws IoError; the file's name is put in front of errors of `use`.
template <class Use>
auto read_verified(const std::filesystem::path& path, Use use) {
  const bool sealed = verify_if_sealed(path);
  const auto read = [&] {
    OpenedFile opened = open_sealed(path, sealed);
    return naming_file(path, [&] { return use(std::move(opened)); });
  };
  const std::uint64_t rehearsed =
      rehearse_unless_known(path, sealed, [&] { static_cast<void>(read()); });
  auto result = read();
  remember(rehearsed);
  return result;
}

/// The content of a step file, an index or a series. Throws IoError if its parts contradict each
/// other.
FileContent own_content(const OpenedFile& opened);

}  // namespace lapl
