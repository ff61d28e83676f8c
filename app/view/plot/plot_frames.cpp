#include "app/view/plot/plot_frames.hpp"

namespace lapl {

Frames::Frames(const std::vector<PlotOutput>& outputs, PlotAxes axes,
               const std::vector<std::string>& fields, const std::vector<PlotStyle>& styles,
               std::optional<PictureSize> size, bool plain)
    : axes_(std::move(axes)) {
  const PlotOutput& first = outputs.front();
  const Shape shape = read_field(first.file, fields.front(), first.record).shape;
  const int count = static_cast<int>(fields.size());
  if (!plain) layout_ = figure_layout(size.value_or(default_size(count, shape)), count, shape);
  for (std::size_t i = 0; i < fields.size(); ++i)
    shown_.push_back({.field = fields[i],
                      .style = styles[i],
                      .box = plain ? shape : box_pixels(layout_.panels[i], PictureFormat::png)});
  for (const PlotOutput& output : outputs)
    for (Shown& shown : shown_) {
      const DrawnField drawn = read_drawn(output, shown.field, shown.box, shown.style);
      shown.range = united(shown.range, drawn.range);
      shown.signs = shown.signs || drawn.signs;
    }
}

std::vector<Panel> Frames::panels(const PlotOutput& output) const {
  std::vector<Panel> panels;
  for (const Shown& shown : shown_) {
    DrawnField drawn = read_drawn(output, shown.field, shown.box, shown.style);
    drawn.signs = shown.signs;
    drawn.range = shown.range;
    panels.push_back(make_panel(std::move(drawn), describe(output), shown.style, axes_));
  }
  return panels;
}

}  // namespace lapl
