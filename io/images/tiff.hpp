// Reads TIFF files, by the library lapl_tiff if this build has it.
#pragma once

#include "io/readers/stored_array.hpp"

namespace lapl {

/// The pages of a TIFF, as (rows, columns) or (pages, rows, columns) of the numbers that it stores:
/// one sample a pixel, integers of 8 to 64 bits or floating-point numbers of 16 to 64. Throws
/// IoError for another TIFF, and if lapl was built without libtiff.
StoredArray tiff_array(const std::filesystem::path& path, const std::string& = {}, int = 2);

}  // namespace lapl
