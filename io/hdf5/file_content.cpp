#include "io/hdf5/file_content.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/checkpoint_layout.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/hdf5_values.hpp"

namespace lapl {
namespace {

const char* precision_of(const FieldLayout& layout) {
  return layout.single_precision ? "float32" : "float64";
}

/// Every dataset with rows, columns and a time: what is left once the axes are taken away.
void add_own_fields(hid_t file, FileContent& content) {
  for (const std::string& name : list_datasets(file)) {
    const Hdf5Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "open dataset " + name);
    if (extent_of(dataset, name).size() != 3) continue;
    if (content.fields.empty()) content.precision = precision_of(field_layout(dataset, name));
    content.fields.push_back(name);
  }
}

FileContent content_of_run_file(const OpenedFile& opened) {
  const Axes axes = read_axes(opened.file);
  FileContent content{.kind = opened.format,
                      .shape = axes.shape,
                      .spacing = axes.spacing,
                      .steps = axes.steps,
                      .times = axes.times,
                      .fields = {},
                      .precision = {},
                      .provenance = {}};
  add_own_fields(opened.file, content);
  const std::string group = "provenance/";
  for (const std::string& name : list_datasets(opened.file))
    if (name.starts_with(group))
      content.provenance.emplace_back(name.substr(group.size()),
                                      read_text(opened.file, name, longest_text));
  return content;
}

FileContent content_of_checkpoint(hid_t file) {
  const CheckpointHeader header = read_checkpoint_header(file);
  const Hdf5Dataset dataset = open_plain_dataset(file, "field");
  return {.kind = "checkpoint",
          .shape = header.shape,
          .spacing = 1,
          .steps = {header.step},
          .times = {static_cast<double>(header.step) * header.time_step},
          .fields = {"field"},
          .precision = precision_of(field_layout(dataset, "field")),
          .provenance = {{"config", header.config},
                         {"state_digest", fmt::format("{:#018x}", header.state_digest)}}};
}

/// The datasets that read_field accepts; shape and precision are those of the first.
FileContent content_of_plain(hid_t file) {
  FileContent content;
  content.kind = "hdf5";
  std::string first_reason = "there is none";
  bool rejected = false;
  for (const std::string& name : list_datasets(file)) try {
      const Hdf5Dataset dataset = open_plain_dataset(file, name);
      const FieldLayout layout = field_layout(dataset, name);
      if (layout.axes == 1) continue;  // an axis of others, say
      if (content.fields.empty()) {
        content.shape = layout.shape;
        content.precision = precision_of(layout);
      }
      content.fields.push_back(name);
    } catch (const IoError& error) {
      if (!rejected) first_reason = error.what();
      rejected = true;
    }
  if (content.fields.empty())
    throw IoError("holds no dataset that can be read as a field: " + first_reason);
  return content;
}

}  // namespace

bool verify_if_sealed(const std::filesystem::path& path) {
  const bool sealed = has_seal(path);
  if (sealed) verify_seal(path);
  return sealed;
}

OpenedFile open_sealed(const std::filesystem::path& path, bool sealed) {
  return naming_file(path, [&] {
    Hdf5File file = open_hdf5_file(path);
    std::string format = read_format(file);
    if (!format.empty() && !sealed)
      throw IoError("has no seal: it is truncated, or was changed after lapl wrote it");
    return OpenedFile{std::move(file), std::move(format)};
  });
}

OpenedFile open_verified(const std::filesystem::path& path) {
  return open_sealed(path, verify_if_sealed(path));
}

bool holds_dataset(hid_t file, const std::string& name) {
  const std::vector<std::string> names = list_datasets(file);
  const std::size_t start = std::min(name.find_first_not_of('/'), name.size());
  return std::ranges::find(names, name.substr(start)) != names.end();
}

FileContent read_content(const std::filesystem::path& path) {
  const Hdf5Session session;
  return read_verified(path, [](const OpenedFile& opened, Reading) {
    if (opened.format.empty() || opened.format == "filtered") return content_of_plain(opened.file);
    if (opened.format == "checkpoint") return content_of_checkpoint(opened.file);
    return content_of_run_file(opened);
  });
}

}  // namespace lapl
