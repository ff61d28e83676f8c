#include "app/commands/file_endings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/export/export.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

constexpr FileEnding file_endings[] = {
    {".nc", FileKind::series},
    {".vtkhdf", FileKind::series},
    {".npy", FileKind::values, {}, write_npy},
    {".raw", FileKind::values, {}, write_raw},
    {".csv", FileKind::values, {}, write_csv},
    {".png", FileKind::picture, PictureFormat::png},
    {".svg", FileKind::picture, PictureFormat::svg},
    {".pdf", FileKind::picture, PictureFormat::pdf},
    {".mp4", FileKind::movie},
    {".png", FileKind::movie},
    {".html", FileKind::page},
};

}  // namespace

std::vector<std::string> possible_endings(FileKind kind) {
  std::vector<std::string> names;
  for (const FileEnding& row : file_endings)
    if (row.kind == kind) names.emplace_back(row.name);
  return names;
}

const FileEnding* find_ending(const std::filesystem::path& path, FileKind kind) {
  for (const FileEnding& row : file_endings)
    if (row.kind == kind && path.extension() == row.name) return &row;
  return nullptr;
}

const FileEnding& require_ending(const std::filesystem::path& path, FileKind kind, const char* what,
                                 const char* note) {
  if (const FileEnding* const found = find_ending(path, kind)) return *found;
  std::vector<std::string> names = possible_endings(kind);
  const std::string last = names.back();
  names.pop_back();
  throw ConfigError("{}: unknown kind of {} \"{}\" ({}{}{}{})", path.string(), what,
                    path.extension().string(), fmt::join(names, ", "), names.empty() ? "" : " or ",
                    last, note);
}

}  // namespace lapl
