// Pictures of one field at several outputs, all of the same size, colours and limits: the frames of
// a movie, or a sequence of pictures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/view/plot/plot_panels.hpp"

namespace lapl {

class Frames {
 public:
  /// Reads every output once, for limits that hold all of them. `outputs` must outlive the object.
  /// Plain ones have a pixel for each cell and no layout.
  Frames(const std::vector<PlotOutput>& outputs, PlotAxes axes, std::string field, PlotStyle style,
         std::optional<PictureSize> size, bool plain = false);

  const FigureLayout& layout() const { return layout_; }

  /// What the frame of an output shows.
  std::vector<Panel> panels(const PlotOutput& output) const;

 private:
  Shape box_;
  PlotAxes axes_;
  std::string field_;
  PlotStyle style_;
  FigureLayout layout_;
  Limits range_{1, 0};
  bool signs_ = false;
};

}  // namespace lapl
