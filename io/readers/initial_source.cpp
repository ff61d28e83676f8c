#include "io/readers/initial_source.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "io/images/image.hpp"
#include "io/readers/npy_reader.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

// Reads a PNG file, or for three axes a folder with one PNG file per plane.
std::vector<double> load_pictures(const std::string& key, const std::string& path, Shape shape) {
  namespace fs = std::filesystem;
  if (!fs::exists(path)) throw IoError("{}: no such file or folder", path);
  const bool folder = fs::is_directory(path);
  if (folder != (shape.axes == 3))
    throw ConfigError("{}: {} is {}, grid.shape is [{}] (expected {})", key, path,
                      folder ? "a folder" : "one file", fmt::join(shape.extents(), ", "),
                      folder ? "a PNG; folders of them are for three axes"
                             : "a folder of PNGs, one for each plane");
  const std::vector<fs::path> files = folder ? pictures_in(path) : std::vector{fs::path(path)};
  if (std::ssize(files) != shape.planes)
    throw ConfigError("{}: {} holds {} PNG files (expected {}, one for each plane of grid.shape)",
                      key, path, files.size(), shape.planes);
  const auto check_shape = [&](const fs::path& file) {
    return [&, file](Shape found) {
      if (found.rows != shape.rows || found.columns != shape.columns)
        throw ConfigError("{}: {} holds {} values, {}grid.shape is [{}]", key, file.string(),
                          text_of(found), folder ? "one plane, " : "",
                          fmt::join(shape.extents(), ", "));
    };
  };
  // Checks all shapes before any file is read.
  for (const fs::path& file : files) check_shape(file)(png_shape(file));
  std::vector<double> values;
  values.reserve(shape.cells());
  for (const fs::path& file : files) {
    const std::vector<double> plane = read_png(file, check_shape(file)).values;
    values.insert(values.end(), plane.begin(), plane.end());
  }
  return values;
}

// Reads a field from a file; messages name the file by `key`.
std::vector<double> load(FieldFile kind, const std::string& key, const std::string& path,
                         const std::string& dataset, Shape shape) {
  const auto check_shape = [&](Shape found) {
    if (found != shape)
      throw ConfigError("{}: {} holds {} values, grid.shape is [{}]", key, path, text_of(found),
                        fmt::join(shape.extents(), ", "));
  };
  switch (kind) {
    case FieldFile::picture: return load_pictures(key, path, shape);
    case FieldFile::dataset:
      return doubles_of(view_of(read_any_field(path, dataset, check_shape, shape.axes).values));
  }
  return {};
}

}  // namespace

WholeFields load_initial_fields(const RunConfig& config) {
  WholeFields whole;
  for (const std::string& field : config.fields) {
    const InitialConfig& initial = initial_of(config, field);
    if (const auto* const file = std::get_if<FieldFile>(&row_of(initial.kind).made))
      whole[field] =
          load(*file, config.initials.contains(field) ? "initial." + field : "initial.path",
               initial.path, initial.dataset, config.shape);
  }
  return whole;
}

CoefficientFields load_coefficients(const RunConfig& config) {
  CoefficientFields fields;
  for (const auto& [name, parameter] : config.parameters) {
    const std::string key = "parameters." + name;
    switch (parameter.kind) {
      case ParameterConfig::Kind::number: break;
      case ParameterConfig::Kind::image: {
        const auto [low, high] = parameter.range;
        std::vector<double> values =
            load(FieldFile::picture, key, parameter.path, "", config.shape);
        for (double& value : values) value = low + value * (high - low);
        fields[name] = std::move(values);
        break;
      }
      case ParameterConfig::Kind::hdf5:
        fields[name] =
            load(FieldFile::dataset, key, parameter.path, parameter.dataset, config.shape);
        break;
      case ParameterConfig::Kind::formula:
        fields[name] = values_of_formula(key, parameter.formula, config, {}, only_rank());
        break;
    }
    if (const auto field = fields.find(name); field != fields.end())
      for (std::size_t i = 0; i < field->second.size(); ++i)
        if (!with_precision(config.precision, [&]<class T>() {
              return std::isfinite(static_cast<T>(field->second[i]));
            }))
          throw ConfigError(
              "{}: the value at {} is {} (expected finite numbers in {})", key,
              text_of(cell_at(config.shape, static_cast<std::int64_t>(i)), config.shape.axes),
              field->second[i], name_of(config.precision));
  }
  return fields;
}

StateFields load_state_fields(const RunConfig& config) {
  return {load_coefficients(config), load_initial_fields(config)};
}

}  // namespace lapl
