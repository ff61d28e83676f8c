#include "app/view/plot/plot_frames.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/view/plot/complex_views.hpp"
#include "app/view/plot/iso_surface.hpp"
#include "kernels/error.hpp"
#include "solver/dataset_names.hpp"

namespace lapl {
namespace {

// Throws ConfigError that names the first cell of a picture whose value has no logarithm.
void require_positive(const View& view, FieldView values, Shape shape) {
  const std::vector<double> all = as_doubles(values);
  const auto found = std::ranges::find_if(all, [](double value) { return value <= 0; });
  if (found == all.end()) return;
  const int removed = view.cut ? view.cut->axis : 0;
  const auto at = found - all.begin();
  throw ConfigError(
      "--log: {}{} is {} in cell {}:{}, {}:{} (expected values above 0; with --limits LOW HIGH "
      "others have the colour of LOW)",
      view.field, view.output->step ? fmt::format(" at step {}", *view.output->step) : "", *found,
      all_axes[removed == 2 ? 1 : 2].position, at % shape.columns,
      all_axes[removed == 0 ? 1 : 0].position, at / shape.columns);
}

}  // namespace

const ReadField& ViewReader::read(const View& view) {
  if (output_ == view.output && name_ == view.field) return field_;
  output_ = nullptr;
  field_ = {};  // frees its memory before the next field is read
  const bool every_time = view.field == dataset_name(OutputPart::mask);
  field_ = read_shown(view.output->file, view.field, every_time ? 0 : view.output->record);
  output_ = view.output;
  name_ = view.field;
  return field_;
}

DrawnField ViewReader::drawn(const View& view, Shape box, const PlotStyle& style) {
  const ReadField& field = read(view);
  const Shape shape = cut_shape(field.shape, view.cut);
  if (view.surface)
    return surface_field(view.field, as_view(field.values), shape, box, *view.surface);
  const FieldValues cut =
      view.cut ? cut_values(as_view(field.values), field.shape, *view.cut) : FieldValues();
  const FieldView values = view.cut ? as_view(cut) : as_view(field.values);
  if (style.log && shape.axes == 2 && !style.limits) require_positive(view, values, shape);
  return drawn_field(view.field, values, shape, box, style);
}

Shape ViewReader::shape(const View& view) { return cut_shape(read(view).shape, view.cut); }

namespace {

// The layout of a frame: figure_layout for panels of equal extent; slices_layout for cuts across
// different axes of a grid of three axes.
FigureLayout layout_for(const std::vector<View>& views, const PlotAxes& axes, Shape grid, int rows,
                        std::optional<PictureSize> size) {
  std::vector<Extent> beside;
  bool all_one = true;
  const int row_count = std::max(rows, 1);
  for (std::size_t i = 0; i < views.size() / static_cast<std::size_t>(row_count); ++i) {
    const std::optional<Cut>& cut = views[i].cut;
    beside.push_back(views[i].surface ? surface_extent(grid, *views[i].surface)
                                      : plot_extent(cut_shape(grid, cut), cut_axes(axes, cut)));
    all_one = all_one && (!cut || cut->axis == views.front().cut->axis);
  }
  if (!all_one)
    return slices_layout(size.value_or(slices_size(beside, row_count)), beside, row_count);
  const int count = static_cast<int>(views.size());
  return figure_layout(size.value_or(default_size(count, beside.front(), row_count)), count,
                       beside.front(), rows);
}

}  // namespace

Frames::Frames(std::vector<std::vector<View>> frames, PlotAxes axes, std::vector<PlotStyle> styles,
               int rows, std::optional<PictureSize> size, PictureFormat format, Framing framing,
               FigureLayout layout)
    : frames_(std::move(frames)),
      axes_(std::move(axes)),
      styles_(std::move(styles)),
      format_(format),
      framing_(framing),
      layout_(std::move(layout)) {
  if (framing == Framing::alone)  // fails early if there is no such output
    for (const View& view : frames_.front()) view_subtitle(view);
  if (framing != Framing::plain && layout_.panels.empty()) {
    View whole = frames_.front().front();
    whole.cut.reset();
    layout_ = layout_for(frames_.front(), axes_, view_reader(whole).shape(whole), rows, size);
    if (whole.surface)  // no numbers along its axes, no colour bar
      for (PanelLayout& panel : layout_.panels)
        panel.numbers_across = panel.numbers_upwards = false, panel.bar.width = 0;
  }
  for (std::size_t frame = 0; frame < frames_.size(); ++frame)
    for (std::size_t i = 0; i < styles_.size(); ++i) {
      for (const LineChoice& lines : styles_[i].lines) {
        const DrawnField nodes = line_nodes(frames_[frame][i], i, lines);
        Limits& range = line_ranges_.try_emplace(nodes.name, Limits{1, 0}).first->second;
        range = united(range, nodes.range);
      }
      if (framing == Framing::alone) continue;
      DrawnField field = drawn(frame, i);
      Shown& shown = shown_[frames_[frame][i].field];
      shown.range = united(shown.range, field.range);
      shown.signs = shown.signs || field.signs;
      if (frames_.size() == 1) only_frame_.push_back(std::move(field));
    }
  for (std::size_t i = 0; i < styles_.size(); ++i)
    if (const View& view = frames_.front()[i]; view.surface)
      line_levels(
          {.option = fmt::format("--iso {}", view.surface->value), .levels = {view.surface->value}},
          shown_[view.field].range, view.field);
  for (std::size_t i = 0; i < styles_.size(); ++i)
    for (const LineChoice& lines : styles_[i].lines) {
      const std::string& field = lines.field.empty() ? frames_.front()[i].field : lines.field;
      line_levels(lines, line_ranges_[field], field);  // fails before anything is drawn
    }
}

// The fields of a single frame are read once, one after the other, so one reader suffices.
ViewReader& Frames::view_reader(const View& view) {
  return readers_[frames_.size() == 1 ? "" : view.field];
}

const std::string& Frames::view_subtitle(const View& view) {
  std::string& subtitle = subtitles_[view.output];
  if (subtitle.empty()) subtitle = describe(*view.output, axes_.units.time);
  return subtitle;
}

DrawnField Frames::drawn(std::size_t frame, std::size_t panel) {
  const View& view = frames_[frame][panel];
  if (!view.output) return {view.field, {}, {}, {}, {1, 0}, {}, {}};
  ViewReader& reader = view_reader(view);
  const Shape box =
      framing_ == Framing::plain ? reader.shape(view) : box_pixels(layout_.panels[panel], format_);
  return reader.drawn(view, box, styles_[panel]);
}

// The nodes between which lines are drawn: the cells, or the pixels where there are fewer.
DrawnField Frames::line_nodes(const View& view, std::size_t panel, const LineChoice& lines) {
  View read = view;
  if (!lines.field.empty()) read.field = lines.field;
  if (!view.output) return {read.field, {}, {}, {}, {1, 0}, {}, {}};
  ViewReader& reader = view_reader(read);
  Shape box = box_pixels(layout_.panels[panel], format_);
  const Shape shape = reader.shape(read);
  box = {std::min(box.rows, shape.rows), std::min(box.columns, shape.columns)};
  PlotStyle all_values;
  all_values.percentiles = {0, 100};
  return reader.drawn(read, box, all_values);
}

void Frames::draw_lines(Panel& panel, const View& view, std::size_t index) {
  constexpr std::array<Rgb, 3> of_others = {0xffffff, 0xe0402a, 0x2a60e0};
  std::size_t others = 0;
  for (const LineChoice& lines : styles_[index].lines) {
    const DrawnField nodes = line_nodes(view, index, lines);
    const std::vector<double> levels = line_levels(lines, line_ranges_[nodes.name], nodes.name);
    const bool own = lines.field.empty(), outline = lines.field == dataset_name(OutputPart::mask);
    Panel::Lines& drawn = panel.lines.emplace_back();
    drawn.color = own || outline ? 0x202020 : of_others[others++ % of_others.size()];
    for (const double level : levels)
      std::ranges::move(contour(nodes.pixels, nodes.drawn, level),
                        std::back_inserter(drawn.segments));
    if (own) panel.bar_marks = levels;
    const FieldLabels& labels = axes_.labels[nodes.name];
    if (!own && !outline)
      panel.subtitle +=
          lines_text(labels.label.empty() ? nodes.name : labels.label, levels, labels.unit);
  }
}

std::vector<Panel> Frames::panels(std::size_t frame) {
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < styles_.size(); ++i) {
    const View& view = frames_[frame][i];
    DrawnField field = only_frame_.empty() ? drawn(frame, i) : only_frame_[i];
    if (framing_ != Framing::alone) {
      field.range = shown_[view.field].range;
      field.signs = shown_[view.field].signs;
    }
    field.cut = cut_text(axes_, view.cut);
    panels.push_back(make_panel(std::move(field), view.output ? view_subtitle(view) : "",
                                styles_[i], cut_axes(axes_, view.cut)));
    if (view.surface)
      finish_surface(panels.back(), *view.surface, styles_[i].colormap.value_or("mako"));
    if (view.output) draw_lines(panels.back(), view, i);
  }
  return panels;
}

}  // namespace lapl
