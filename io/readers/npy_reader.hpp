// Reads NumPy's files: .npy, versions 1.0 to 3.0 (numpy.lib.format), and archives of them (.npz).
#pragma once

#include "io/readers/stored_array.hpp"

namespace lapl {

/// The array of an .npy file: all real types except long double, in both byte orders. Throws
/// IoError, also if the file is shorter than its header states.
StoredArray npy_array(const std::filesystem::path& path, const std::string& = {}, int = 2);

/// The array `name` of an .npz file, as numpy.savez and savez_compressed write it; a slash before
/// the name does not matter. Throws the same errors, and one that lists the arrays if it has none
/// of this name.
StoredArray npz_array(const std::filesystem::path& path, const std::string& name, int = 2);

}  // namespace lapl
