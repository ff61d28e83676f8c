// Pieces of the grid on their way through a pass of a pipeline, with stages compiled at run time.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/cpu/compiled_stages.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/piece_cut.hpp"
#include "kernels/cpu/rows.hpp"

namespace lapl {

/// Takes pieces through a pass; for one thread.
template <class T>
class PieceRun {
 public:
  PieceRun(const CompiledStages<T>& stages, const Pipeline& pipeline)
      : stages_(stages), pipeline_(pipeline), rings_(pipeline.versions.size()) {
    for (const Stage& stage : stages.problem.stages)
      trees_.emplace_back(stages.problem, stage.tree);
  }

  void run(const Piece& piece, const std::vector<InstanceTimes<T>>& times, const T* from, T* to) {
    piece_ = piece;
    from_ = from;
    to_ = to;
    lay_out();
    lines_.resize(stages_.most_lines);
    results_.resize(stages_.problem.arrays());
    const std::int64_t end =
        stream_.planes.size() * stream_.rows.size() + behind(pipeline_.last_lag);
    for (std::int64_t t = 0; t < end; t += Pipeline::rows_at_once) {
      for (int field = 0; field < stages_.problem.fields; ++field)
        for_rows(t, [&](const Cell& row, std::int64_t) { load(field, times.front().laws, row); });
      for (std::size_t i = 0; i < made_.size(); ++i) {
        const Made& made = made_[i];
        for_rows(t - behind(made.instance->lag), [&](const Cell& row, std::int64_t number) {
          if (made.piece.planes.holds(row.plane) && made.piece.rows.holds(row.row))
            make(made, times[i], row, number);
        });
        fetch(t + Pipeline::rows_at_once, static_cast<std::int64_t>(i));
      }
      for (Ring& ring : rings_)
        if (ring.rows > 0) ring.now = (ring.now + Pipeline::rows_at_once) % ring.rows;
    }
  }

 private:
  static constexpr std::int64_t pad = 64 / sizeof(T);

  // A row of a ring that an instance reads or makes: so many after the one that comes in.
  struct Place {
    int version = -1;
    std::int64_t after = 0;
  };

  // What an instance makes: `stored` are whole vectors of the columns where there is room for what
  // nobody reads, since aligned ones are twice as fast; `inner` reads no ghosts but of columns.
  struct Made {
    const Pipeline::Instance* instance;
    Piece piece;
    Range stored;
    Piece inner = {};
    std::vector<Place> lines = {}, results = {};
  };

  struct Ring {
    T* first = nullptr;
    std::int64_t rows = 0;
    std::int64_t now = 0;  // where the row is that comes in
  };

  // Places the rings, and a row of ghosts for each line.
  void lay_out() {
    const Shape shape = stages_.problem.shape;
    const Faces<T>& faces = stages_.problem.faces.front();
    across_ = faces.columns.wrap() && piece_.columns.size() == shape.columns;
    stream_ = part(pipeline_.halo);
    // Whole vectors begin at most one before the halo, and read a cell more.
    const std::int64_t halo = piece_.columns.first - stream_.columns.first;
    start_ = piece_.columns.first - ((halo + pad - 1) / pad + 1) * pad;
    pitch_ = (stream_.columns.last - start_ + 2 * pad) / pad * pad;
    std::int64_t rows = static_cast<std::int64_t>(stages_.most_lines);
    for (const Pipeline::Version& version : pipeline_.versions) rows += behind(version.rows);
    memory_.resize(rows * pitch_ + pad);
    void* aligned = memory_.data();
    std::size_t space = memory_.size() * sizeof(T);
    ghosts_ = static_cast<T*>(std::align(64, 1, aligned, space));
    T* next = ghosts_ + static_cast<std::int64_t>(stages_.most_lines) * pitch_;
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      rings_[i] = {next, behind(pipeline_.versions[i].rows), 0};
      next += rings_[i].rows * pitch_;
    }
    needed_.clear();
    for (int field = 0; field < stages_.problem.fields; ++field)
      needed_.push_back(part(pipeline_.versions[field].reach));
    made_.clear();
    for (const Pipeline::Instance& instance : pipeline_.instances)
      made_.push_back(made_by(instance));
  }

  // The piece and the cells within `reach` of it, without those that are ghosts.
  Piece part(std::int64_t reach) const {
    const Shape shape = stages_.problem.shape;
    const Faces<T>& faces = stages_.problem.faces.front();
    const auto grown = [&](Range range, std::int64_t size, bool endless) {
      range = {range.first - reach, range.last + reach};
      return endless ? range
                     : Range{std::max<std::int64_t>(range.first, 0), std::min(range.last, size)};
    };
    return {grown(piece_.planes, shape.planes, faces.planes.wrap()),
            grown(piece_.rows, shape.rows, faces.rows.wrap()),
            grown(piece_.columns, shape.columns, faces.columns.wrap() && !across_)};
  }

  Made made_by(const Pipeline::Instance& instance) const {
    const Piece piece = part(instance.reach);
    Made made{&instance, piece, piece.columns, stream_};
    const auto place = [&](int version, std::int64_t after) {
      const std::int64_t rows = rings_[version].rows;
      after -= behind(instance.lag);
      return Place{version, rows > 0 ? (after % rows + rows) % rows : 0};
    };
    bool whole = true;
    for (const int result : instance.results) {
      made.results.push_back(place(result, 0));
      whole = whole && rings_[result].rows > 0;
    }
    if (whole) {
      made.stored.first = start_ + (piece.columns.first - start_) / pad * pad;
      made.stored.last = start_ + (piece.columns.last - start_ + pad - 1) / pad * pad;
    }
    const Faces<T>& faces = stages_.problem.faces.front();
    const Shape shape = stages_.problem.shape;
    const std::vector<StageLayout::Line>& lines = stages_.layouts[instance.stage].lines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (instance.sources[i] < 0) {
        made.lines.emplace_back();
        continue;
      }
      made.lines.push_back(place(instance.sources[i], behind({lines[i].plane, lines[i].row})));
      const auto shrink = [](Range& range, int by, std::int64_t size) {
        range.first = std::max<std::int64_t>(range.first, -by);
        range.last = std::min<std::int64_t>(range.last, size - by);
      };
      if (!faces.planes.wrap()) shrink(made.inner.planes, lines[i].plane, shape.planes);
      if (!faces.rows.wrap()) shrink(made.inner.rows, lines[i].row, shape.rows);
    }
    return made;
  }

  std::int64_t behind(StreamRows rows) const { return rows.of(stream_.rows.size()); }

  // Calls `use` with each of the rows at once from one of the stream on, its column 0, and with
  // its number among them.
  template <class Use>
  void for_rows(std::int64_t first, const Use& use) const {
    const std::int64_t size = stream_.rows.size();
    std::int64_t number = std::max<std::int64_t>(-first, 0);
    first += number;
    Cell row{stream_.rows.first + first % size, 0, stream_.planes.first + first / size};
    for (; number < Pipeline::rows_at_once; ++number) {
      use(row, number);
      if (++row.row < stream_.rows.last) continue;
      row.row = stream_.rows.first;
      ++row.plane;
    }
  }

  // The same for a place in the next rows at once.
  T* row_at(const Place& place, std::int64_t number) const {
    const Ring& ring = rings_[place.version];
    std::int64_t slot = ring.now + place.after + number;
    while (slot >= ring.rows) slot -= ring.rows;
    return ring.first + slot * pitch_ - start_;
  }

  // The cell of column 0 in a row of a version; all indices may lie outside of the grid.
  T* row_of(int version, std::int64_t plane, std::int64_t row) const {
    const std::int64_t place =
        (plane - stream_.planes.first) * stream_.rows.size() + row - stream_.rows.first;
    const Ring& ring = rings_[version];
    return ring.first + place % ring.rows * pitch_ - start_;
  }

  // That of a row of the grid in a field.
  std::int64_t index_of(int field, const Cell& row) const {
    const Shape shape = stages_.problem.shape;
    return field * shape.cells() +
           (wrapped(row.plane, shape.planes) * shape.rows + wrapped(row.row, shape.rows)) *
               shape.columns;
  }

  void load(int field, const FaceLaws<T>& laws, const Cell& row) {
    const Piece& needed = needed_[field];
    if (rings_[field].rows == 0 || !needed.planes.holds(row.plane) || !needed.rows.holds(row.row))
      return;
    const std::int64_t size = stages_.problem.shape.columns;
    const T* const source = from_ + index_of(field, row);
    T* const to = row_of(field, row.plane, row.row);
    for (std::int64_t column = needed.columns.first; column < needed.columns.last;) {
      const std::int64_t inside = wrapped(column, size);
      const std::int64_t count = std::min(needed.columns.last - column, size - inside);
      copy_row_(source + inside, to + column, count);
      column += count;
    }
    if (!stages_.ends_in_time[field]) impose_ends(field, laws, row, needed.columns, to);
  }

  // Fetches one instance's share of what comes in and goes out in the next rows at once, while
  // there is something to compute.
  void fetch(std::int64_t next, std::int64_t instance) const {
    const auto instances = std::ssize(pipeline_.instances);
    const std::int64_t width = piece_.columns.size();
    const std::int64_t first = piece_.columns.first + width * instance / instances / pad * pad;
    const std::int64_t last = piece_.columns.first + width * (instance + 1) / instances;
    for (int field = 0; field < stages_.problem.fields; ++field) {
      for_rows(next, [&](const Cell& row, std::int64_t) {
        if (!stream_.planes.holds(row.plane)) return;
        const T* const source = from_ + index_of(field, row);
        for (std::int64_t column = first; column < last; column += pad)
          __builtin_prefetch(source + column, 0, 2);
      });
      for_rows(next - behind(pipeline_.last_lag), [&](const Cell& row, std::int64_t) {
        if (!piece_.planes.holds(row.plane) || !piece_.rows.holds(row.row)) return;
        const T* const goal = to_ + index_of(field, row);
        for (std::int64_t column = first; column < last; column += pad)
          __builtin_prefetch(goal + column, 1, 2);
      });
    }
  }

  void make(const Made& made, const InstanceTimes<T>& times, const Cell& row, std::int64_t number) {
    const int stage = made.instance->stage;
    const bool inner = made.inner.planes.holds(row.plane) && made.inner.rows.holds(row.row);
    for (std::size_t i = 0; i < made.lines.size(); ++i) {
      const Place& place = made.lines[i];
      if (inner && place.version >= 0) {
        const StageLayout::Line& line = stages_.layouts[stage].lines[i];
        T* const values = row_at(place, number);
        if (stages_.ends_in_time[line.array])
          impose_ends(line.array, times.laws, {row.row + line.row, 0, row.plane + line.plane},
                      made.piece.columns, values);
        lines_[i] = values + made.stored.first;
      } else {
        lines_[i] =
            line(stages_.layouts[stage].lines[i], place.version, times.laws, row,
                 made.piece.columns, ghosts_ + static_cast<std::int64_t>(i) * pitch_ - start_) +
            made.stored.first;
      }
    }
    const auto out = [&](const Place& place) {
      return to_ + index_of(pipeline_.versions[place.version].array, row);
    };
    for (std::size_t i = 0; i < made.results.size(); ++i) {
      const Place& place = made.results[i];
      results_[i] =
          (rings_[place.version].rows > 0 ? row_at(place, number) : out(place)) + made.stored.first;
    }
    stages_.functions[stage](lines_.data(), uniforms(made, times, row), results_.data(),
                             made.stored.size());
    for (const Place& place : made.results) {
      const Pipeline::Version& version = pipeline_.versions[place.version];
      if (rings_[place.version].rows == 0) continue;
      T* const values = row_at(place, number);
      if (!stages_.ends_in_time[version.array])
        impose_ends(version.array, times.laws, row, made.piece.columns, values);
      if (version.goes_out && piece_.planes.holds(row.plane) && piece_.rows.holds(row.row))
        copy_row_(values + piece_.columns.first, out(place) + piece_.columns.first,
                  piece_.columns.size());
    }
  }

  // Where column 0 of a line is; what a stage reads beyond the grid's faces is set, by the law of
  // the columns, then of the rows, then of the planes.
  const T* line(const StageLayout::Line& line, int version, const FaceLaws<T>& laws,
                const Cell& row, const Range& range, T* ghosts) {
    const Problem<T>& problem = stages_.problem;
    if (line.array < 0) return stages_.positions.data() + stages_.margin;
    const Shape shape = problem.shape;
    const Faces<T>& faces = problem.faces.front();
    const auto nearest = [](std::int64_t index, std::int64_t size, bool endless) {
      return endless ? index : std::clamp<std::int64_t>(index, 0, size - 1);
    };
    const Cell at{row.row + line.row, 0, row.plane + line.plane};
    const Cell in{nearest(at.row, shape.rows, faces.rows.wrap()), 0,
                  nearest(at.plane, shape.planes, faces.planes.wrap())};
    const std::int64_t plane = wrapped(in.plane, shape.planes);
    const std::int64_t in_plane = wrapped(in.row, shape.rows);
    if (version < 0)
      return stages_.coefficients[line.array - problem.fields].data() +
             (plane * shape.rows + in_plane) * stages_.pitch + stages_.margin;
    T* const inside = row_of(version, in.plane, in.row);
    if (stages_.ends_in_time[line.array]) impose_ends(line.array, laws, in, range, inside);
    const T* found = inside;
    if (in.row != at.row)
      found = impose(laws.of(line.array, 1, at.row > 0), plane, range, found, ghosts);
    if (in.plane != at.plane)
      found = impose(laws.of(line.array, 0, at.plane > 0), in.row != at.row ? at.row : in_plane,
                     range, found, ghosts);
    return found;
  }

  // A row by a law along it; `slow`: the index along the slower axis of the law's face.
  const T* impose(const LawsAlongFace<T>& law, std::int64_t slow, const Range& range,
                  const T* inside, T* ghosts) const {
    const bool wrap = stages_.problem.faces.front().columns.wrap();
    for (std::int64_t column = range.first - 1; column <= range.last; ++column) {
      const std::int64_t place = wrap ? wrapped(column, stages_.problem.shape.columns) : column;
      ghosts[column] = law.at(slow, place).ghost(inside[column]);
    }
    return ghosts;
  }

  // What lies beyond the ends of a row: done when it is made, since a vector that holds a number
  // just written is waited for, or where it depends on the time when it is read.
  void impose_ends(int array, const FaceLaws<T>& laws, const Cell& row, const Range& range,
                   T* values) const {
    const Shape shape = stages_.problem.shape;
    if (across_) {
      values[-1] = values[shape.columns - 1];
      values[shape.columns] = values[0];
    } else if (!stages_.problem.faces.front().columns.wrap()) {
      const auto impose_end = [&](bool last, std::int64_t ghost, std::int64_t inside) {
        values[ghost] = laws.of(array, 2, last)
                            .at(wrapped(row.plane, shape.planes), wrapped(row.row, shape.rows))
                            .ghost(values[inside]);
      };
      if (range.first == 0) impose_end(false, -1, 0);
      if (range.last == shape.columns) impose_end(true, shape.columns, shape.columns - 1);
    }
  }

  const T* uniforms(const Made& made, const InstanceTimes<T>& times, const Cell& row) {
    const int stage = made.instance->stage;
    if (!stages_.by_row[stage]) return times.uniforms.data();
    uniforms_ = uniforms_of(trees_[stage], stages_.layouts[stage], row, times.time);
    return uniforms_.data();
  }

  const CompiledStages<T>& stages_;
  const Pipeline& pipeline_;
  decltype(RowLoops<T>::copy_row) copy_row_ = widest<RowLoops<T>>().copy_row;
  std::vector<TreeAt<T>> trees_;  // of each stage
  Piece piece_, stream_;          // the stream: with the halo
  const T* from_ = nullptr;
  T* to_ = nullptr;
  bool across_ = false;                 // the columns are periodic, and all in the piece
  std::int64_t start_ = 0, pitch_ = 0;  // first column of a ring's rows, and their length
  std::vector<T> memory_;
  std::vector<Ring> rings_;    // of each version
  T* ghosts_ = nullptr;        // a row for each line
  std::vector<Piece> needed_;  // of each field
  std::vector<Made> made_;     // by each instance
  std::vector<const T*> lines_;
  std::vector<T*> results_;
  std::vector<T> uniforms_;
};

}  // namespace lapl
