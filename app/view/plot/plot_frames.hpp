// Pictures of the same panels at several outputs or places, all of the same size, colours and
// limits: the frames of a movie, or a sequence of pictures.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/view/plot/plot_panels.hpp"

namespace lapl {

/// Reads what panels show. Keeps the field that it read last: whole, of three axes too.
class ViewReader {
 public:
  /// In the pixels of a box. The output must outlive the object.
  DrawnField drawn(const View& view, Shape box, const PlotStyle& style);
  /// The shape of the picture, in cells.
  Shape shape(const View& view);

 private:
  const ReadField& read(const View& view);

  const PlotOutput* output_ = nullptr;
  std::string name_;
  ReadField field_;
};

/// Limits of all that is shown of a field, of each panel alone, or the same in a picture that has a
/// pixel for each cell and no layout.
enum class Framing { shared, alone, plain };

class Frames {
 public:
  /// Reads everything once for limits that are shared. The outputs must outlive the object. Each
  /// frame has as many panels, with a style for each; in `rows` rows where that is not 0.
  Frames(std::vector<std::vector<View>> frames, PlotAxes axes, std::vector<PlotStyle> styles,
         int rows, std::optional<PictureSize> size, PictureFormat format = PictureFormat::png,
         Framing framing = Framing::shared);

  const FigureLayout& layout() const { return layout_; }

  /// The views of a frame.
  std::vector<Panel> panels(std::size_t frame);

 private:
  ViewReader& reader_of(const View& view);
  const std::string& subtitle_of(const View& view);
  DrawnField drawn(std::size_t frame, std::size_t panel);

  struct Shown {
    Limits range = {1, 0};
    bool signs = false;
  };
  std::vector<std::vector<View>> frames_;
  PlotAxes axes_;
  std::vector<PlotStyle> styles_;
  PictureFormat format_;
  Framing framing_;
  std::map<std::string, ViewReader> readers_;           // by field, where shown again
  std::map<std::string, Shown> shown_;                  // likewise
  std::map<const PlotOutput*, std::string> subtitles_;  // to look for them verifies a file
  FigureLayout layout_;
};

}  // namespace lapl
