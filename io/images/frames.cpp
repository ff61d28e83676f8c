#include "io/images/frames.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/images/image.hpp"
#include "io/readers/stored_array.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

FrameSource open_pictures(const std::vector<fs::path>& files, int axes) {
  const Shape shape = png_shape(files.front());
  const auto read = [files, shape](std::int64_t frame) -> FieldValues {
    const fs::path& file = files[frame];
    const auto same_shape = [&](Shape found) {
      if (found != shape)
        throw IoError("{}: is {} pixels, the first picture {}", file.string(), shape_text(found),
                      shape_text(shape));
    };
    return read_png(file, same_shape).values;
  };
  // float32 suffices: its rounding is far smaller than the step between 16-bit grey values.
  return {shape, std::ssize(files), axes, true, read};
}

FrameSource frame_source(const DatasetLayout& layout,
                         std::function<FieldValues(std::size_t record)> read) {
  return {layout.shape, static_cast<std::int64_t>(layout.records), layout.axes, layout.fits_single,
          std::move(read)};
}

// The dataset and its file stay open, so that the seal is verified only once for all frames.
FrameSource open_dataset(const fs::path& path, const std::string& name) {
  const Hdf5Session session;
  return read_verified(path, [&](const OpenedFile& opened) {
    if (opened.format == "index")
      throw IoError(
          "is an index of other files (name one of the step files, or filter while running: "
          "`filters` in the run's config)");
    const auto dataset = std::make_shared<Hdf5Dataset>(open_plain_dataset(opened.file, name));
    const DatasetLayout layout = field_layout(*dataset, name);
    if (is_rehearsal()) touch_field(*dataset, name, layout);
    return frame_source(layout, [path, name, layout, dataset](std::size_t record) {
      const Hdf5Session reading_session;
      return naming_file(path, [&] { return read_values(*dataset, name, layout, record); });
    });
  });
}

}  // namespace

template <class T>
void FrameSource::read(std::int64_t frame, std::span<T> values) const {
  const FieldValues found = values_at(frame);
  const auto convert = [&](auto v) {
    const auto value = static_cast<T>(v);
    if (!std::isfinite(value) && std::isfinite(v))
      throw NumericalError("frame {}: {} is infinite in float32", frame, v);
    return value;
  };
  std::visit([&](const auto& held) { std::ranges::transform(held, values.begin(), convert); },
             found);
}
template void FrameSource::read(std::int64_t, std::span<float>) const;
template void FrameSource::read(std::int64_t, std::span<double>) const;

FrameSource open_frames(const fs::path& path, const std::string& dataset) {
  if (fs::is_directory(path)) return open_pictures(pictures_in(path), 3);
  if (is_png(path)) return open_pictures({path}, 2);
  const auto reader = open_array(path, dataset);
  if (!reader) return open_dataset(path, dataset);
  return frame_source(reader->layout(),
                      [reader](std::size_t record) { return reader->read(record); });
}

std::string other_than_frames(const fs::path& path) try {
  if (!fs::is_regular_file(fs::symlink_status(path))) return "it is not a regular file";
  const Hdf5Session session;
  const std::string format =
      read_verified(path, [](const OpenedFile& opened) { return opened.format; });
  if (format == "filtered") return {};
  return format.empty() ? "another program has made it" : "it is a " + format + " file of lapl";
} catch (const IoError& error) {
  return error.what();
}

void write_frames(const fs::path& path, const std::string& history, Precision precision,
                  const std::vector<FrameDataset>& datasets, std::int64_t frames, int axes,
                  const std::function<void(const PutFrame&)>& make) {
  std::uint64_t bytes = 0;
  for (const FrameDataset& dataset : datasets)
    bytes += stored_size(dataset.shape, byte_size(precision)) * static_cast<std::uint64_t>(frames);
  if (!path.parent_path().empty()) fs::create_directories(path.parent_path());
  write_sealed(path, bytes, [&](const fs::path& scratch) {
    const Hdf5Session session;
    naming_file(path, [&] {
      Hdf5File file = create_hdf5_file(scratch, Hdf5Format::netcdf);
      write_format(file, "filtered");
      write_attribute(file, "history", history);
      std::vector<Hdf5Dataset> open;
      for (const FrameDataset& of : datasets) {
        open.push_back(create_records(
            file, of.name, precision,
            along_axes(axes, 1, static_cast<std::size_t>(frames), of.shape), of.shape));
        write_attribute(open.back(), "long_name", of.long_name);
      }
      make([&](std::size_t which, std::int64_t frame, FieldView values) {
        write_values(open[which], datasets[which].name, axes, static_cast<std::size_t>(frame),
                     datasets[which].shape, values);
      });
      for (std::size_t i = 0; i < open.size(); ++i)
        open[i].close("close dataset " + datasets[i].name);
      file.close("close the file");
    });
  });
}

}  // namespace lapl
