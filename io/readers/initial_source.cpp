#include "io/readers/initial_source.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "io/hdf5/mask_dataset.hpp"
#include "io/images/image.hpp"
#include "io/readers/file_kind.hpp"
#include "io/readers/stored_array.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/size_text.hpp"
#include "kernels/memory_needed.hpp"
#include "solver/diagnostics.hpp"
#include "solver/equation/condition_formulas.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/equation/mask_weights.hpp"
#include "solver/other_grid.hpp"

namespace lapl {
namespace {

// Throws DeviceError unless memory has room for a whole field with this number of bytes for each
// cell. The message names the field by `key`.
void require_memory(const std::string& key, Shape shape, double bytes_a_cell) {
  const double needed = bytes_a_cell * static_cast<double>(shape.cells());
  const double available = memory_available("cpu").host;
  if (available != 0 && needed > available)
    throw DeviceError("{}: the field of {} cells needs {} of host memory, {} are available", key,
                      shape_text(shape), size_text(needed), size_text(available));
}

// The grey values of a TIFF, whose pages are the planes: integers as fractions of the largest of
// their type, other numbers as they are.
std::vector<double> load_tiff(const std::string& key, const std::string& path, Shape shape) {
  const ArrayReader reader = *open_array(path, "", shape.axes);
  const DatasetLayout& layout = reader.layout();
  if (layout.shape != shape || layout.records > 1)
    throw ConfigError("{}: {} holds {} page{} of {} values, grid.shape is [{}]", key, path,
                      layout.records * static_cast<std::size_t>(layout.shape.planes),
                      layout.records == 1 && layout.shape.planes == 1 ? "" : "s",
                      shape_text({layout.shape.rows, layout.shape.columns}),
                      fmt::join(shape.extents(), ", "));
  if (reader.array().kind == 'i')
    throw ConfigError(
        "{}: {} holds signed integers, which are no grey values (expected kind hdf5, "
        "which reads the numbers)",
        key, path);
  require_memory(key, shape, sizeof(double));
  std::vector<double> values = as_doubles(as_view(reader.read(0)));
  if (reader.array().kind == 'u') {
    const double largest = std::ldexp(1, static_cast<int>(8 * reader.array().value_size)) - 1;
    for (double& value : values) value /= largest;
  }
  return values;
}

// Reads a PNG file, or for three axes a folder with one PNG file per plane.
std::vector<double> load_pictures(const std::string& key, const std::string& path, Shape shape) {
  namespace fs = std::filesystem;
  if (!fs::exists(path)) throw IoError("{}: no such file or folder", path);
  if (file_kind(path) == FileKind::tiff) return load_tiff(key, path, shape);
  const bool folder = fs::is_directory(path);
  if (folder != (shape.axes == 3))
    throw ConfigError("{}: {} is {}, grid.shape is [{}] (expected {})", key, path,
                      folder ? "a folder" : "one file", fmt::join(shape.extents(), ", "),
                      folder
                          ? "a PNG; folders of them are for three axes"
                          : "a folder of PNGs, one for each plane, or a TIFF with as many pages");
  const std::vector<fs::path> files = folder ? pictures_in(path) : std::vector{fs::path(path)};
  if (std::ssize(files) != shape.planes)
    throw ConfigError("{}: {} holds {} PNG files (expected {}, one for each plane of grid.shape)",
                      key, path, files.size(), shape.planes);
  const auto check_shape = [&](const fs::path& file) {
    return [&, file](Shape found) {
      if (found.rows != shape.rows || found.columns != shape.columns)
        throw ConfigError("{}: {} holds {} values, {}grid.shape is [{}]", key, file.string(),
                          shape_text(found), folder ? "one plane, " : "",
                          fmt::join(shape.extents(), ", "));
    };
  };
  // Checks all shapes before any file is read.
  for (const fs::path& file : files) check_shape(file)(png_shape(file));
  require_memory(key, shape, sizeof(double));
  std::vector<double> values;
  values.reserve(shape.cells());
  for (const fs::path& file : files) {
    const std::vector<double> plane = read_png(file, check_shape(file)).values;
    values.insert(values.end(), plane.begin(), plane.end());
  }
  return values;
}

// Reads a dataset; messages name the file by `key`. If the dataset has several records, adds a note
// that says which one was read, even if the config chose it.
ReadField load_dataset(const std::string& key, const std::string& path, const std::string& dataset,
                       const RecordChoice& choice, const std::function<void(Shape)>& check_shape,
                       int axes, RecordNotes* notes) {
  ReadField read = read_any_field(path, dataset, choice, check_shape, axes);
  if (read.records > 1 && notes != nullptr)
    notes->push_back(fmt::format(
        "{}: {} has {} records; record {}{} is read ({}record: a number, last or {{time: T}})", key,
        path, read.records, read.record, read.time ? fmt::format(", at time {},", *read.time) : "",
        key == "initial.path" ? "initial." : ""));
  return read;
}

// Throws ConfigError unless a file of lapl and the config have grids over the same box. Their first
// nodes may differ by the halves of their cells.
void require_same_box(const std::string& key, const std::string& path, const ReadField& read,
                      const RunConfig& config) {
  if (!read.spacing) return;
  for (std::size_t axis = 3 - static_cast<std::size_t>(config.shape.axes); axis < 3; ++axis) {
    const double h = read.spacing->by_axis[axis], own = config.spacing.by_axis[axis];
    const double size = h * static_cast<double>(by_axis(read.shape)[axis]),
                 wanted = own * static_cast<double>(by_axis(config.shape)[axis]);
    const double apart = std::abs(read.spacing->origin[axis] - config.spacing.origin[axis]);
    if (std::abs(size - wanted) <= 1e-9 * wanted &&
        (by_axis(config.boundaries)[axis] == Boundary::periodic ||
         apart <= (h + own) / 2 * (1 + 1e-9)))
      continue;
    throw ConfigError(
        "{}: {} has {} cells of {} along {} from {} on, the grid {} of {} from {} on (expected the "
        "same box)",
        key, path, by_axis(read.shape)[axis], h, std::array{"z", "y", "x"}[axis],
        read.spacing->origin[axis], by_axis(config.shape)[axis], own, config.spacing.origin[axis]);
  }
}

// Reads a field from a file; messages name the file by `key`.
std::vector<double> load(FieldFile kind, const std::string& key, const std::string& path,
                         const std::string& dataset, const RecordChoice& choice,
                         const RunConfig& config, RecordNotes* notes,
                         std::optional<Interpolation> interpolation = {}) {
  const Shape shape = config.shape;
  const auto check_shape = [&](Shape found) {
    if (found != shape && !interpolation)
      throw ConfigError("{}: {} holds {} values, grid.shape is [{}]{}", key, path,
                        shape_text(found), fmt::join(shape.extents(), ", "),
                        file_kind(path) == FileKind::text && found.columns == shape.axes + 1 &&
                                found.rows == shape.cells()
                            ? " (positions and values need a first line such as: x y value)"
                            : "");
    require_memory(key, shape, sizeof(double));
    if (interpolation) require_memory(key, found, 2 * sizeof(double));
  };
  if (kind == FieldFile::picture) return load_pictures(key, path, shape);
  const ReadField read = load_dataset(key, path, dataset, choice, check_shape, shape.axes, notes);
  std::vector<double> values = as_doubles(as_view(read.values));
  if (!interpolation) return values;
  require_same_box(key, path, read, config);
  return on_other_grid(std::move(values), read.shape, shape, *interpolation, config.boundaries);
}

}  // namespace

WholeFields load_initial_fields(const RunConfig& config, RecordNotes* notes) {
  WholeFields whole;
  for (const std::string& field : config.fields) {
    const InitialConfig& initial = field_initial(config, field);
    const auto& from = config.initial_from;
    const bool is_from = from && std::ranges::count(from->fields, field) > 0;
    if (const auto* const file = std::get_if<FieldFile>(&table_row(initial.kind).made))
      whole[field] =
          load(*file,
               is_from                           ? "initial.from"
               : config.initials.contains(field) ? "initial." + field
                                                 : "initial.path",
               initial.path, initial.dataset, initial.record, config, notes, initial.interpolate);
  }
  return whole;
}

namespace {

// The values of a parameter that is a field, or of the mask; none for a number.
std::vector<double> load_source(const std::string& key, const ParameterConfig& source,
                                const RunConfig& config, RecordNotes* notes) {
  switch (source.kind) {
    case ParameterConfig::Kind::image: {
      const auto [low, high] = source.range;
      std::vector<double> values =
          load(FieldFile::picture, key, source.path, "", {}, config, notes);
      for (double& value : values) value = low + value * (high - low);
      return values;
    }
    case ParameterConfig::Kind::hdf5:
      return load(FieldFile::dataset, key, source.path, source.dataset, source.record, config,
                  notes);
    case ParameterConfig::Kind::formula:
      require_memory(key, config.shape, 5 * sizeof(double));  // buffers, copy, result, random
      return values_of_formula(key, source.formula, config, {}, only_rank());
    case ParameterConfig::Kind::number: break;
  }
  return {};
}

std::string cell_place(std::int64_t index, Shape shape) {
  return place_text(cell_at(shape, index), shape.axes);
}

// The mask: 1 inside and 0 outside.
std::vector<double> load_mask(const RunConfig& config, RecordNotes* notes = nullptr) {
  std::vector<double> values = load_source(mask_name, *config.mask, config, notes);
  bool any = false;
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    if (!std::isfinite(values[i]))
      throw ConfigError(
          "{}: the value at {} is {} (expected 0 outside and other finite numbers "
          "inside)",
          mask_name, cell_place(i, config.shape), values[i]);
    values[i] = values[i] != 0 ? 1 : 0;
    any = any || values[i] != 0;
  }
  if (!any)
    throw ConfigError("{}: is 0 in every cell (expected another number in the cells inside)",
                      mask_name);
  return values;
}

// A note on the cells inside the mask that have no neighbour inside; empty if there are none.
std::string lone_cells(const RunConfig& config, const std::vector<double>& mask) {
  const Shape shape = config.shape;
  const Faces<double> faces = quantity_faces<double>(config.boundaries);
  const std::array size = by_axis(shape);
  std::int64_t count = 0, first = -1;
  for (std::int64_t index = 0; index < std::ssize(mask) && shape.cells() > 1; ++index) {
    if (mask[index] == 0) continue;
    const std::array at = by_axis(cell_at(shape, index));
    bool alone = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int step : {-1, 1}) {
        std::array<std::int64_t, 3> beside = at;
        const AxisSource source =
            source_at(axis_faces(faces, static_cast<int>(axis)), at[axis] + step, size[axis]);
        beside[axis] = source.index;
        if (source.ghost || beside == at) continue;
        alone = alone && mask[cell_index(shape, {beside[1], beside[2], beside[0]})] == 0;
      }
    if (!alone) continue;
    ++count;
    if (first < 0) first = index;
  }
  if (count == 0) return {};
  return fmt::format("{}: {} cell{} inside {} no cell inside beside {}, the first at {}", mask_name,
                     count, count == 1 ? "" : "s", count == 1 ? "has" : "have",
                     count == 1 ? "it" : "them", cell_place(first, shape));
}

}  // namespace

std::shared_ptr<const StoredMask> stored_mask(const RunConfig& config) {
  return config.mask ? std::make_shared<const StoredMask>(config.shape, load_mask(config))
                     : nullptr;
}

void drop_mask(RunConfig& config) {
  config.mask.reset();
  config.mask_conditions.clear();
}

std::string resolve_mask(RunConfig& config) {
  if (!config.mask) return {};
  const std::vector<double> mask = load_mask(config);
  if (std::ranges::count(mask, 0) == 0) {
    drop_mask(config);
    return {};
  }
  if (config.probes)
    for (const Probe& probe : config.probes->at)
      for (const std::string& field : config.fields)
        for (const auto& [cell, weight] : cells_of_probe(config, probe, field))
          if (mask[cell] == 0)
            throw ConfigError("output.probes: at.{}: found {}, outside of {} (expected {} inside)",
                              probe.name, place_text(probe), mask_name,
                              probe.position.empty() ? "a cell" : "all cells beside it");
  return lone_cells(config, mask);
}

std::string resolve_mask(Model& model) {
  const bool masked = model.run.mask.has_value();
  std::string note = resolve_mask(model.run);
  if (masked && !model.run.mask) model = Model(model.run);
  return note;
}

std::string note_on_fluxes(const RunConfig& config) {
  if (has_coefficient_of_operators(config))
    return "equation: a coefficient of a divergence reads neighbours, so fluxes through sides and "
           "the mask boundary are of first order";
  if (!has_weights(config)) return {};
  CoefficientFields fields{{mask_name, load_mask(config)}};
  add_mask_weights(config, fields);
  std::int64_t slanted = 0;
  for (const auto& [name, values] : fields)
    if (name != mask_name) slanted += std::ssize(values) - std::ranges::count(values, 1);
  if (slanted == 0) return {};
  return fmt::format(
      "boundary.mask: the mask boundary is slanted or curved in {} cells, so fluxes through it "
      "are of first order (they are weighted as docs/numerics.md says, section Masks)",
      slanted);
}

CoefficientFields load_coefficients(const RunConfig& config, RecordNotes* notes) {
  CoefficientFields fields;
  const std::vector<double> mask = config.mask ? load_mask(config, notes) : std::vector<double>();
  for (const auto& [name, parameter] : config.parameters) {
    if (parameter.kind == ParameterConfig::Kind::number) continue;
    const std::string key = "parameters." + name;
    std::vector<double>& values = fields[name] = load_source(key, parameter, config, notes);
    for (std::int64_t i = 0; i < std::ssize(values); ++i) {
      const bool finite = with_precision(
          config.precision, [&]<class T>() { return std::isfinite(static_cast<T>(values[i])); });
      if (finite) continue;
      if (mask.empty() || mask[i] != 0)
        throw ConfigError("{}: the value at {} is {} (expected finite numbers in {})", key,
                          cell_place(i, config.shape), values[i], enum_name(config.precision));
      values[i] = 0;  // no cell reads it
    }
  }
  if (config.mask) fields[mask_name] = mask;
  add_mask_weights(config, fields);
  return fields;
}

StateFields load_state_fields(const RunConfig& config, RecordNotes* notes) {
  return {load_coefficients(config, notes), load_initial_fields(config, notes), {config.start}};
}

}  // namespace lapl
