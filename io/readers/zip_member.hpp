// Reads a member of a zip archive, as NumPy's .npz files are (APPNOTE.TXT of PKWARE, without
// zip64).
#pragma once

#include "io/readers/stored_array.hpp"

namespace lapl {

/// The bytes of the member NAME + ENDING, stored or deflated, below 4 GiB; their checksum is
/// verified. Throws IoError with the file's name, also one that lists the members with this ending.
ByteSource zip_member(const std::filesystem::path& path, const std::string& name,
                      const std::string& ending);

}  // namespace lapl
