// lapl filter CONFIG: convolves or correlates pictures, datasets or frames.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <span>

#include "app/cli/options.hpp"
#include "app/commands/commands.hpp"
#include "app/signals.hpp"
#include "app/view/plot/indexed_png.hpp"
#include "app/view/print_text.hpp"
#include "io/durable/durable_file.hpp"
#include "io/filters/filter_job.hpp"
#include "io/filters/filter_source.hpp"
#include "io/images/frames.hpp"
#include "io/images/image.hpp"
#include "io/readers/quantities.hpp"
#include "io/run/provenance.hpp"
#include "io/run/run_backend.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/found_value.hpp"
#include "kernels/filters/frame_filter.hpp"
#include "solver/clock.hpp"
#include "solver/filters/correlation.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

struct FilterOptions {
  std::string config;
  std::string input, output, backend;
  bool overwrite = false;
  bool quiet = false;
};

// Prints the progress every few seconds.
class FrameProgress {
 public:
  FrameProgress(std::int64_t frames, bool quiet) : frames_(frames), quiet_(quiet) {}
  void done(std::int64_t frame) {
    if (quiet_ || Clock::now() - shown_ < std::chrono::seconds(2)) return;
    shown_ = Clock::now();
    const double passed = seconds();
    const double left =
        passed * static_cast<double>(frames_ - frame - 1) / static_cast<double>(frame + 1);
    print_text(stderr, "lapl: frame {} of {}, {} left\n", frame + 1, frames_, time_left_text(left));
  }
  double seconds() const { return seconds_since(start_); }

 private:
  std::int64_t frames_;
  bool quiet_;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
};

std::string history_text(const FilterJob& job, const FilterOptions& options) {
  return fmt::format("lapl filter {} on {}", path_text(options.config), path_text(job.input_path));
}

// Throws ConfigError if the output exists, unless --overwrite is given, lapl filter wrote the file,
// and it is not an input.
void check_output(const FilterJob& job, const FilterOptions& options) {
  const fs::path& output = job.output_path;
  if (fs::symlink_status(output).type() == fs::file_type::not_found) return;
  if (!options.overwrite)
    throw ConfigError(job.output_path + ": exists already (--overwrite replaces it)");
  std::vector<std::string> all = {job.input_path};
  for (const FilterConfig& filter : job.filters) all.push_back(filter.path);
  for (const std::string& read : all)
    if (std::error_code error; fs::equivalent(output, read, error))
      throw ConfigError(job.output_path + ": is read by this job (expected another output)");
  if (is_png(output) && fs::is_regular_file(output)) return;
  if (const std::string other = other_than_frames(output); !other.empty())
    throw ConfigError(
        "{}: is no result of lapl filter: {} (expected one to replace, or another output)",
        job.output_path, other);
}

// Throws ConfigError if the output's ending does not fit: HDF5, or PNG for one picture.
void check_ending(const FilterJob& job) {
  const fs::path output = job.output_path;
  const std::string ending = output.extension().string();
  for (const char* other : {".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp"})
    if (ending == other)
      throw ConfigError("{}: cannot be written as {} (expected .png, or .h5 for HDF5)",
                        job.output_path, ending);
  if (is_png(output) && job.covariance)
    throw ConfigError(job.output_path + ": a covariance is no picture (expected .h5 for HDF5)");
}

void require_one_picture(const FilterJob& job, std::int64_t frames) {
  if (!is_png(job.output_path)) return;
  if (job.filters.size() != 1)
    throw ConfigError("{}: is a picture, and there are {} filters (expected .h5 for HDF5)",
                      job.output_path, job.filters.size());
  if (frames != 1)
    throw ConfigError("{}: is a picture, and {} holds {} frames (expected .h5 for HDF5)",
                      job.output_path, job.input_path, frames);
}

// Writes values as a picture, 0 black and 1 white. Prints how many values lie outside of 0 to 1.
template <class T>
void write_picture(const FilterJob& job, Shape shape, std::span<const T> values, bool quiet) {
  const auto beyond = std::ranges::count_if(values, [](T value) { return value < 0 || value > 1; });
  if (beyond > 0 && !quiet)
    print_text(stderr, "lapl: {} of {} values lie outside 0 to 1: black or white in the picture\n",
               beyond, values.size());
  if (const fs::path parent = fs::path(job.output_path).parent_path(); !parent.empty())
    fs::create_directories(parent);
  replace_file(job.output_path, grey_png(shape, {values.begin(), values.end()}));
}

// Throws NumericalError if a value is not finite: sums with large weights can overflow.
template <class T>
void require_finite(std::span<const T> values, Shape shape, const std::string& name,
                    std::int64_t frame) {
  const auto first = first_not_finite(values);
  if (!first) return;
  throw NumericalError(
      "frame {}: filter {} gives {} at {}, where the input is finite; "
      "nothing was written",
      frame, name, values[*first], place_text(cell_at(shape, *first), shape.axes));
}

// Applies the filters one after the other, each to all frames.
template <class T>
int filter_as(const FilterJob& job, const FrameSource& source, const FilterOptions& options) {
  const std::vector<FilterConfig> filters = load_filters(job.filters);
  const BackendChoice choice = choose_backend(job.backend);
  const std::int64_t frames = source.frames;
  require_one_picture(job, frames);
  std::vector<FilterPlan<T>> plans;
  std::vector<FrameDataset> datasets;
  for (const FilterConfig& filter : filters) {
    const auto correlation = make_correlation<T>(filter, source.shape);
    const MethodChoice method = choose_method(filter, correlation, choice.backend);
    datasets.push_back({job.output_datasets[plans.size()],
                        fmt::format("{}, {} with {}", job.input_dataset, enum_name(filter.kind),
                                    enum_name(filter.kernel)),
                        correlation.output});
    plans.push_back({correlation, method.method, 0, filter.nan == NanCells::skip});
    if (!options.quiet)
      print_text(stderr, "lapl: filter {}: method {} ({})\n", filter.name, enum_name(method.method),
                 method.reason);
  }
  check_output(job, options);
  // Only one filter is in memory at a time. The first is set up before any file is created.
  auto filterer = make_frame_filter<T>(choice.backend, plans.front(), job.threads);
  if (!options.quiet)
    print_text(stderr, "lapl: {} frame{} of {} on {} ({})\n", frames, frames == 1 ? "" : "s",
               shape_text(source.shape), filterer->device(), choice.reason);
  FrameProgress progress(frames * std::ssize(plans), options.quiet);
  catch_stop_signals();
  std::vector<double> seconds;
  const auto filter_all = [&](std::size_t which, const PutFrame& put) {
    const Correlation<T>& correlation = plans[which].correlation;
    const auto done = frames * static_cast<std::int64_t>(which);
    if (which > 0) {
      filterer.reset();  // frees its frames before the next filter allocates
      filterer = make_frame_filter<T>(choice.backend, plans[which], job.threads);
    }
    std::set<std::int64_t> not_finite;  // input frames with a NaN or an infinity, which spread
    filterer->run(
        frames,
        [&](std::int64_t frame, T* values) {
          const std::span held(values, static_cast<std::size_t>(source.shape.cells()));
          source.read(frame, held);
          if (first_not_finite(std::span<const T>(held))) not_finite.insert(frame);
        },
        [&](std::int64_t frame, const T* values) {
          if (const std::string reason = stop_signal(); !reason.empty())
            throw IoError("stopped by {} at frame {} of {}: nothing was written", reason,
                          done + frame, frames * std::ssize(plans));
          const std::span held(values, static_cast<std::size_t>(correlation.output.cells()));
          if (!not_finite.contains(frame))
            require_finite(held, correlation.output, filters[which].name, frame);
          put(which, frame, held);
          progress.done(done + frame);
        });
    seconds.push_back(filterer->seconds());
  };
  if (is_png(job.output_path))
    filter_all(0, [&](std::size_t, std::int64_t, FieldView values) {
      write_picture(job, datasets.front().shape, std::get<std::span<const T>>(values),
                    options.quiet);
    });
  else
    write_frames(job.output_path, history_text(job, options), precision_of_type<T>, datasets,
                 frames, source.axes, [&](const PutFrame& put) {
                   for (std::size_t which = 0; which < plans.size(); ++which)
                     filter_all(which, put);
                 });
  if (options.quiet) return 0;
  for (std::size_t i = 0; i < datasets.size(); ++i)
    print_text("{}: {}, {} frame{} of {}, {}, {:.3g} s of filtering\n", job.output_path,
               datasets[i].name, frames, frames == 1 ? "" : "s", shape_text(datasets[i].shape),
               enum_name(precision_of_type<T>), seconds[i]);
  print_text("{}: {:.3g} s in all, with reading and writing\n", job.output_path,
             progress.seconds());
  return 0;
}

int covariance_as(const FilterJob& job, const FilterOptions& options) {
  check_output(job, options);
  const CovarianceResult result = add_covariance_file(
      job.input_path, *job.covariance, job.output_path, job.output_datasets.front(),
      history_text(job, options), job.precision, job.backend, job.threads);
  if (!options.quiet)
    print_text(
        "{}: covariance, batch {}, {} channels, {} outputs of {}, {} x {} window, {}, {} in "
        "{:.3g} s\n",
        job.output_path, result.problem.batch, result.problem.channels, result.problem.outputs,
        shape_text(result.problem.output), result.problem.window.rows,
        result.problem.window.columns, result.storage, result.sum.backend, result.sum.seconds);
  return 0;
}

int filter_command(const FilterOptions& options) {
  FilterJob job = load_filter_job(options.config);
  if (!options.input.empty()) job.input_path = fs::absolute(options.input);
  if (!options.output.empty()) job.output_path = fs::absolute(options.output);
  if (!options.backend.empty()) job.backend = options.backend;
  check_ending(job);
  if (job.covariance) return covariance_as(job, options);
  const FrameSource source = open_frames(job.input_path, job.input_dataset);
  const Precision precision =
      job.precision.value_or(source.fits_single ? Precision::float32 : Precision::float64);
  return with_precision(precision, [&]<class T>() { return filter_as<T>(job, source, options); });
}

}  // namespace

void add_filter_command(CommandLine& line) {
  Command command =
      line.add("filter", "Convolve or correlate a picture, a dataset or a sequence of frames");
  FilterOptions& options = command.calls(filter_command);
  command.positional("CONFIG", &options.config, "YAML filter config; - is standard input",
                     {.required = true});
  command.option("--input FILE", &options.input, "Replace input.path");
  command.option("--output FILE", &options.output,
                 "Replace output.path: HDF5, or a picture if it ends in .png");
  add_backend_option(command, options.backend);
  command.flag("--overwrite", &options.overwrite,
               "Replace an existing output file, if lapl filter wrote it or it is a .png");
  add_quiet_option(command, options.quiet);
  command.footer(R"(Examples:
  lapl filter configs/filters/picture-smooth.yaml
  lapl filter smooth.yaml --input mine.png --output mine.h5
  lapl filter smooth.yaml --input mine.png --output smooth.png

A config:
  input: {path: picture.png}
  output: {path: smooth.h5}
  filter: {kernel: gaussian, sigma: 2, edge: nearest}
docs/filters.md has all keys and worked examples.)");
}

}  // namespace lapl
