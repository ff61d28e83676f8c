// Pictures of fields at several outputs, all of the same size, colours and limits: the frames of
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
  /// A panel for each field, in its own style.
  Frames(const std::vector<PlotOutput>& outputs, PlotAxes axes,
         const std::vector<std::string>& fields, const std::vector<PlotStyle>& styles,
         std::optional<PictureSize> size, bool plain = false);

  const FigureLayout& layout() const { return layout_; }

  /// What the frame of an output shows.
  std::vector<Panel> panels(const PlotOutput& output) const;

 private:
  struct Shown {
    std::string field;
    PlotStyle style;
    Shape box = {};
    Limits range = {1, 0};
    bool signs = false;
  };
  PlotAxes axes_;
  std::vector<Shown> shown_;
  FigureLayout layout_;
};

}  // namespace lapl
