// The contact sheet of a sweep: a panel for each member, in rows and columns by its values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/sweep/sweep_folder.hpp"
#include "app/view/plot/plot_frames.hpp"

namespace lapl {

class SweepSheet {
 public:
  /// A sweep of at most two keys; the values of the first are the rows, those of the second the
  /// columns, and a single one fills rows. Throws ConfigError for more keys, or if members have
  /// grids of different numbers of axes; IoError if no member has an output.
  SweepSheet(SweepFolder sweep, Origin origin);

  /// The first member with an output.
  const PlotSource& source() const { return *source_; }
  /// Times of the member with the most outputs.
  std::vector<double> times() const;
  /// The cells of a grid that all members have; none if they differ.
  bool has_one_grid() const { return one_grid_; }

  /// Chooses one of a member's outputs, which are in order; null: none.
  using Choice = std::function<const PlotOutput*(const std::vector<PlotOutput>&)>;
  static Choice newest();
  static Choice at_step(std::int64_t step);
  static Choice at_time(double time);
  static Choice not_after(double time);

  /// A view for each place of the sheet, row by row.
  std::vector<View> views(const std::string& field, const std::optional<Cut>& cut,
                          const Choice& choice) const;
  /// The sheet's texts for these views.
  SheetTexts texts(const std::vector<View>& views) const;
  /// Where the panels of these views lie. Throws ConfigError if `size` has no room.
  FigureLayout layout(const std::vector<View>& views, std::optional<PictureSize> size) const;
  /// Gives the panels of these views the texts that they have on a sheet.
  void label(std::vector<Panel>& panels, const std::vector<View>& views) const;
  /// The member at a place; null: none.
  const SweepFolder::Member* member(std::size_t place) const { return cells_.at(place).member; }

 private:
  struct Cell {
    const SweepFolder::Member* member = nullptr;
    std::string note;  // in place of an output
    Shape shape{0, 0};
    std::vector<PlotOutput> outputs;
  };
  bool is_wrapped() const { return sweep_.keys.size() == 1 && rows_ > 1; }

  SweepFolder sweep_;
  std::size_t rows_ = 1, columns_ = 1;
  std::vector<Cell> cells_;
  std::optional<PlotSource> source_;
  bool one_grid_ = true;
};

}  // namespace lapl
