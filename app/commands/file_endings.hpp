// The files that export, plot and report write, by the endings of their names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/view/plot/figure.hpp"
#include "io/export/series.hpp"

namespace lapl {

enum class FileKind { series, values, picture, movie, page };

struct FileEnding {
  const char* name;  ///< with its dot
  FileKind kind;
  PictureFormat picture = PictureFormat::png;
  /// Writes one field, for a format of values.
  void (*write)(const std::filesystem::path&, const Series&, const std::string&) = nullptr;
};

/// The endings of a kind.
std::vector<std::string> endings_of(FileKind kind);

/// That of `path` as a file of a kind; null where the kind has no such ending.
const FileEnding* find_ending(const std::filesystem::path& path, FileKind kind);

/// The same; throws ConfigError, which calls the kind `what` and ends in `note`, in place of null.
const FileEnding& ending_of(const std::filesystem::path& path, FileKind kind, const char* what,
                            const char* note = "");

}  // namespace lapl
