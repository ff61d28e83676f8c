#include "app/view/plot/plot_frames.hpp"

namespace lapl {

Frames::Frames(const std::vector<PlotOutput>& outputs, PlotAxes axes, std::string field,
               PlotStyle style, std::optional<PictureSize> size, bool plain)
    : axes_(std::move(axes)), field_(std::move(field)), style_(std::move(style)) {
  const PlotOutput& first = outputs.front();
  const Shape shape = read_field(first.file, field_, first.record).shape;
  box_ = shape;
  if (!plain) {
    layout_ = figure_layout(size.value_or(default_size(1, shape)), 1, shape);
    box_ = box_pixels(layout_.panels.front(), PictureFormat::png);
  }
  for (const PlotOutput& output : outputs) {
    const DrawnField drawn = read_drawn(output, field_, box_, style_);
    range_ = united(range_, drawn.range);
    signs_ = signs_ || drawn.signs;
  }
}

std::vector<Panel> Frames::panels(const PlotOutput& output) const {
  DrawnField drawn = read_drawn(output, field_, box_, style_);
  drawn.signs = signs_;
  drawn.range = range_;
  return {make_panel(std::move(drawn), describe(output), style_, axes_)};
}

}  // namespace lapl
