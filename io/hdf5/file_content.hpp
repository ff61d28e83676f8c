// Opening a file for reading, our own only once their seal is verified.
#pragma once

#include <filesystem>
#include <string>

#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/step_file.hpp"

namespace lapl {

struct OpenedFile {
  Hdf5File file;
  std::string format;  ///< step, index or checkpoint; empty for a foreign file
};

/// Verifies the seal where there is one, then opens. Throws IoError that names the file; also for
/// a file of ours that has lost its seal.
OpenedFile open_verified(const std::filesystem::path& path);

/// Whether a dataset of that path exists in an open file; a leading slash does not matter.
bool holds_dataset(hid_t file, const std::string& name);

}  // namespace lapl
