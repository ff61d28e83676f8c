// The formats of files that export, plot and report write, by the endings of their names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/view/plot/figure.hpp"
#include "io/export/export.hpp"

namespace lapl {

enum class FileKind { series, values, picture, movie, page };

struct FileEnding {
  const char* name;  ///< with the dot
  FileKind kind;
  PictureFormat picture = PictureFormat::png;
  /// Writes one field; only for FileKind::values.
  void (*write)(const std::filesystem::path&, const Series&, const std::string&) = nullptr;
};

/// All endings of a kind.
std::vector<std::string> possible_endings(FileKind kind);

/// The format of this kind with the ending of `path`; null if there is none.
const FileEnding* find_ending(const std::filesystem::path& path, FileKind kind);

/// The same, but throws ConfigError instead of returning null. The message calls the kind `what`
/// and ends in `note`.
const FileEnding& require_ending(const std::filesystem::path& path, FileKind kind, const char* what,
                                 const char* note = "");

}  // namespace lapl
