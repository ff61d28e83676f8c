// Texts in pictures that say where they come from: chunks iTXt of a PNG
// (https://www.w3.org/TR/png-3/#11iTXt), JSON in the element metadata of an SVG.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "io/hdf5/step_file.hpp"

namespace lapl {

/// A chunk of a PNG: length of its data, type, data, checksum.
std::string png_chunk(const std::string& type, const std::string& data);

/// The PNG or SVG with these texts. Names have 1 to 79 characters of ASCII.
std::string with_texts(std::string picture, const Provenance& texts);

/// The texts of a PNG or an SVG; none if the file is neither, or HDF5 after a block of text. Throws
/// IoError if it is damaged, a PDF or cannot be read.
std::optional<Provenance> read_picture_texts(const std::filesystem::path& file);

}  // namespace lapl
