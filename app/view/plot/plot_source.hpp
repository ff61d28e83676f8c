// The data that lapl plot draws: the outputs of a run, or the records of one file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/view/plot/cut.hpp"
#include "io/hdf5/step_file.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// One output of a run, or one record of a file.
struct PlotOutput {
  std::filesystem::path file;
  std::size_t record = 0;
  std::optional<std::int64_t> step;  ///< none in a file of another program
  std::optional<double> time;        ///< none in a file of another program
};

/// Where the field of a grid of three axes has one value, seen from a direction. Angles are in
/// degrees: azimuth 0 is from
/// the end of x, 90 from that of y; the elevation is that above the plane of x and y.
struct IsoSurface {
  double value = 0, azimuth = 0, elevation = 0;
  std::array<double, 3> spacing = {1, 1, 1};  ///< of nodes along z, y, x
};

/// The content of a panel: a field of an output, or a cut or a surface of it.
struct View {
  const PlotOutput* output;  ///< null: there is nothing to show
  std::string field;
  std::optional<Cut> cut = {};
  std::optional<IsoSurface> surface = {};
};

/// The place of a field's first row in pictures. automatic: on top if the initial field or the mask
/// was a picture, or another program wrote the file; else at the bottom, so that y grows upwards.
enum class Origin { automatic, upper, lower };

/// True if the initial field or the mask is a picture.
bool is_drawn_as_picture(const RunConfig& config);

/// The content of a file, with the fields and the orientation that follow from the config in its
/// provenance; the defaults if it has no config that this version can read.
struct DrawnContent : FileContent {
  explicit DrawnContent(FileContent content);
  DrawnContent() = default;

  std::vector<std::string> fields_of_config = RunConfig().fields;
  std::vector<std::string> complex_fields;  ///< of the config, with both parts among the datasets
  bool is_picture = false;                  ///< the first row is drawn on top
  /// of a run that stores a field in few of its outputs, all datasets of outputs; else none
  std::vector<std::string> datasets_of_config;
  std::map<std::string, FieldLabels> labels;  ///< by dataset
};

/// The fields of the state among the datasets of a file, named in the config of its provenance;
/// without a config the dataset "field" or the first one. At least one.
std::vector<std::string> state_fields(const DrawnContent& content);

/// The dataset of `path` with the name `asked`; the first field if `asked` is empty. Throws
/// ConfigError with `option` and the list of datasets if there is no such dataset.
std::string chosen_field(const DrawnContent& content, const std::string& asked,
                         const std::string& path, const char* option = "--field");

/// read_content. An index has no provenance, so it gets that of the newest output.
DrawnContent read_with_provenance(const std::filesystem::path& path);

/// The axes of pictures of this content.
PlotAxes plot_axes(const DrawnContent& content, Origin origin);

/// "step 2500, t = 625 s" with the unit of time; the file's name if it has no steps.
std::string describe(const PlotOutput& output, const std::string& time_unit);

/// The texts of a picture of these frames of `source`, whose newest content this is. The digest of
/// the state is left out where several outputs are drawn.
Provenance texts_of_views(const std::string& source, const FileContent& content,
                          const std::vector<std::vector<View>>& frames);

/// The time of an output. Opens its file if only that says it.
double time_at(const PlotOutput& output);

class PlotSource {
 public:
  /// Throws IoError if there is nothing to draw.
  PlotSource(const std::filesystem::path& path, Origin origin);

  /// In order of step; at least one.
  const std::vector<PlotOutput>& outputs() const { return outputs_; }
  /// Datasets of the last output, or of the last that has all of the run.
  const DrawnContent& content() const { return content_; }
  /// Names of these datasets.
  const std::vector<std::string>& fields() const { return content_.fields; }
  const PlotAxes& axes() const { return axes_; }

  /// The outputs that have all these fields: a run may store a field in few of them.
  std::vector<PlotOutput> outputs_with(const std::vector<std::string>& fields) const;
  /// Throws ConfigError that names the nearest steps.
  const PlotOutput& at_step(std::int64_t step) const;
  /// The output at this time. Throws ConfigError that names the nearest times.
  const PlotOutput& at_time(double time) const;

 private:
  std::string path_;
  std::vector<PlotOutput> outputs_;
  DrawnContent content_;
  PlotAxes axes_;
};

}  // namespace lapl
