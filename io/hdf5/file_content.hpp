// Opening a file for reading, our own only once their seal is verified.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/rehearsal.hpp"
#include "io/hdf5/step_file.hpp"

namespace lapl {

struct OpenedFile {
  Hdf5File file;
  std::string format;  ///< as read_format gives it
};

/// Verifies the seal where there is one, then opens. Throws IoError that names the file; also for
/// a file of ours that has lost its seal. For files that nobody can have made to mislead.
OpenedFile open_verified(const std::filesystem::path& path);

/// The same for any file, in two parts: verify_if_sealed, whose result open_sealed takes.
bool verify_if_sealed(const std::filesystem::path& path);
OpenedFile open_sealed(const std::filesystem::path& path, bool sealed);

enum class Reading { rehearsal, real };

/// Rehearses the reading of a file by `read`; of an output that of all fields, and not where the
/// same has been rehearsed and then `remember`ed in this process. Returns what to remember.
std::uint64_t rehearse_unless_known(const std::filesystem::path& path, bool sealed,
                                    const std::function<void()>& read);
void remember(std::uint64_t rehearsed);

/// Verifies and opens the file and has `use(OpenedFile, Reading)` read it: in a rehearsal, whose
/// result is dropped, and then again. Throws IoError that names the file; what `use` throws gets
/// the name in front.
template <class Use>
auto read_verified(const std::filesystem::path& path, Use use) {
  const bool sealed = verify_if_sealed(path);
  const auto read = [&](Reading reading) {
    OpenedFile opened = open_sealed(path, sealed);
    return naming_file(path, [&] { return use(std::move(opened), reading); });
  };
  const std::uint64_t rehearsed =
      rehearse_unless_known(path, sealed, [&] { static_cast<void>(read(Reading::rehearsal)); });
  auto result = read(Reading::real);
  remember(rehearsed);
  return result;
}

/// What a step file, an index or a series says of itself. Throws IoError where its parts contradict
/// each other.
FileContent own_content(const OpenedFile& opened);

}  // namespace lapl
