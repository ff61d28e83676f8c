// Pictures of the same panels at several outputs or slices, all of the same size, colours and
// limits: the frames of a movie, or a sequence of pictures.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/view/plot/plot_panels.hpp"

namespace lapl {

/// Reads the data of panels. The whole field that was read last stays in memory, also if only a cut
/// of it is shown.
class ViewReader {
 public:
  /// A view's field, resampled to the pixels of a box. view.output must outlive the reader.
  DrawnField drawn(const View& view, Shape box, const PlotStyle& style);
  /// The shape of the view, in cells.
  Shape shape(const View& view);

 private:
  const ReadField& read(const View& view);

  const PlotOutput* output_ = nullptr;
  std::string name_;
  ReadField field_;
};

/// shared: all panels of a field have the same limits; alone: each panel has its own; plain: shared
/// limits, one pixel per cell, without titles and axes.
enum class Framing { shared, alone, plain };

class Frames {
 public:
  /// Reads all fields once to find their limits, if these are shared. The outputs must outlive the
  /// object. Each frame has one panel for each style, in `rows` rows (0: the best number),
  /// or where `layout` says.
  Frames(std::vector<std::vector<View>> frames, PlotAxes axes, std::vector<PlotStyle> styles,
         int rows, std::optional<PictureSize> size, PictureFormat format = PictureFormat::png,
         Framing framing = Framing::shared, FigureLayout layout = {});

  const FigureLayout& layout() const { return layout_; }

  /// The panels of one frame.
  std::vector<Panel> panels(std::size_t frame);

 private:
  ViewReader& view_reader(const View& view);
  const std::string& view_subtitle(const View& view);
  DrawnField drawn(std::size_t frame, std::size_t panel);
  DrawnField line_nodes(const View& view, std::size_t panel, const LineChoice& lines);
  void draw_lines(Panel& panel, const View& view, std::size_t index);

  struct Shown {
    Limits range = {1, 0};
    bool signs = false;
  };
  std::vector<std::vector<View>> frames_;
  PlotAxes axes_;
  std::vector<PlotStyle> styles_;
  PictureFormat format_;
  Framing framing_;
  std::vector<DrawnField> only_frame_;                  // of a single frame with shared limits
  std::map<std::string, ViewReader> readers_;           // by field; of a single frame only ""
  std::map<std::string, Shown> shown_;                  // by field
  std::map<std::string, Limits> line_ranges_;           // all values of fields of lines
  std::map<const PlotOutput*, std::string> subtitles_;  // kept, because describe() verifies a file
  FigureLayout layout_;
};

}  // namespace lapl
