// Pictures of the same panels at several outputs or places, all of the same size, colours and
// limits: the frames of a movie, or a sequence of pictures.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/view/plot/plot_panels.hpp"

namespace lapl {

/// Reads what panels show, each field of an output once while it is that one's turn.
class ViewReader {
 public:
  /// In the pixels of a box.
  DrawnField drawn(const View& view, Shape box, const PlotStyle& style);
  /// Of the picture.
  Shape shape(const View& view);

 private:
  const ReadField& read(const View& view);

  std::filesystem::path file_;
  std::size_t record_ = 0;
  std::map<std::string, ReadField> fields_;
};

/// Panels of one extent as figure_layout has them; what is cut out of grids of three axes across
/// different ones as slices_layout has it.
FigureLayout layout_for(const std::vector<View>& views, const PlotAxes& axes, Shape grid, int rows,
                        std::optional<PictureSize> size);

class Frames {
 public:
  /// Reads everything once, for limits that hold all that is shown of a field. The outputs must
  /// outlive the object. Each frame has as many panels, with a style for each; in `rows` rows where
  /// that is not 0. Plain ones have a pixel for each cell and no layout.
  Frames(std::vector<std::vector<View>> frames, PlotAxes axes, std::vector<PlotStyle> styles,
         int rows, std::optional<PictureSize> size, PictureFormat format = PictureFormat::png,
         bool plain = false);

  const FigureLayout& layout() const { return layout_; }

  /// What a frame shows.
  std::vector<Panel> panels(std::size_t frame);

 private:
  DrawnField drawn(std::size_t frame, std::size_t panel);

  struct Shown {
    Limits range = {1, 0};
    bool signs = false;
  };
  std::vector<std::vector<View>> frames_;
  PlotAxes axes_;
  std::vector<PlotStyle> styles_;
  PictureFormat format_;
  bool plain_;
  ViewReader reader_;
  std::map<std::string, Shown> shown_;                  // by field
  std::map<const PlotOutput*, std::string> subtitles_;  // to look for them verifies a file
  FigureLayout layout_;
};

}  // namespace lapl
