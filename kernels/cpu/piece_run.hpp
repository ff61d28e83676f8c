#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "kernels/cpu/face_rows.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/piece_stream.hpp"
#include "kernels/cpu/row_loops.hpp"

namespace lapl {

/// Runs a pass (pipeline.hpp) on pieces of the grid, one after the other, in one thread.
template <class T>
class PieceRun {
 public:
  PieceRun(const CompiledStages<T>& stages, const Pipeline& pipeline)
      : stages_(stages),
        pipeline_(pipeline),
        faces_{stages},
        rings_(pipeline.versions.size()),
        lines_(stages.most_lines),
        results_(stages.problem.arrays()),
        line_walks_(stages.most_lines),
        result_walks_(stages.problem.arrays()) {
    for (const Stage& stage : stages.problem.stages)
      trees_.emplace_back(stages.problem, stage.tree);
  }

  void run(const Piece& piece, const std::vector<InstanceTimes<T>>& times, const T* from, T* to) {
    piece_ = piece;
    from_ = from;
    to_ = to;
    lay_out();
    const std::int64_t end =
        stream_.planes.size() * stream_.rows.size() + stream_.behind(pipeline_.last_lag);
    for (std::int64_t t = 0; t < end; t += Pipeline::rows_at_once) {
      incoming_ =
          stream_.for_rows(incoming_, [&](Cell row, std::int64_t number, std::int64_t count) {
            for (; count > 0; --count, ++number, ++row.row)
              for (int field = 0; field < stages_.problem.step_fields; ++field)
                load(field, times.front().conditions, row, number);
          });
      for (std::size_t i = 0; i < made_.size(); ++i) {
        made_[i].next = stream_.for_rows(
            made_[i].next, [&](const Cell& row, std::int64_t number, std::int64_t count) {
              make(made_[i], times[i], row, number, count);
            });
        fetch(static_cast<std::int64_t>(i));
      }
      outgoing_ = stream_.after(outgoing_);
      for (RowRing<T>& ring : rings_)
        if (ring.rows > 0) ring.now = (ring.now + Pipeline::rows_at_once) % ring.rows;
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);  // publishes rows that bypass the caches
  }

 private:
  static constexpr std::int64_t pad = 64 / sizeof(T);

  // A row in a version's ring buffer (pipeline.hpp), `after` rows after the row that enters.
  struct RingRow {
    int version = -1;
    std::int64_t after = 0;
  };

  // A stage in one step (`instance`) and the cells that it computes. `stored` is the range of
  // columns that it writes: its own, and in rings more, up to whole vectors, because aligned
  // vectors are twice as fast. Rows in `inner` read no ghosts that must be computed first.
  struct Made {
    const Pipeline::Instance* instance;
    Piece piece;
    Range stored;
    Cell next;  // first of the next group of rows
    Piece inner = {};
    decltype(RowLoops<T>::diffusion_rows) rows = nullptr;  // function for several rows, or null
    std::vector<RingRow> lines = {}, results = {};
  };

  // Allocates the rings, and a row of ghosts for each line that a stage reads.
  void lay_out() {
    const Shape shape = stages_.problem.shape;
    const Faces<T>& faces = stages_.problem.faces.front();
    faces_.across = faces.columns.wrap() && piece_.columns.size() == shape.columns;
    stream_ = {part(pipeline_.halo)};
    // A whole vector may begin up to a vector before the halo, and the stencil reads one cell more.
    const std::int64_t halo = piece_.columns.first - stream_.columns.first;
    start_ = piece_.columns.first - ((halo + pad - 1) / pad + 1) * pad;
    pitch_ = (stream_.columns.last - start_ + 2 * pad) / pad * pad;
    std::int64_t rows = static_cast<std::int64_t>(stages_.most_lines);
    for (const Pipeline::Version& version : pipeline_.versions)
      rows += stream_.behind(version.rows);
    memory_.resize(rows * pitch_ + pad);
    void* aligned = memory_.data();
    std::size_t space = memory_.size() * sizeof(T);
    ghosts_ = static_cast<T*>(std::align(64, 1, aligned, space));
    T* next = ghosts_ + static_cast<std::int64_t>(stages_.most_lines) * pitch_;
    for (std::size_t i = 0; i < rings_.size(); ++i) {
      rings_[i] = {next, stream_.behind(pipeline_.versions[i].rows), 0};
      next += rings_[i].rows * pitch_;
    }
    needed_.clear();
    for (int field = 0; field < stages_.problem.step_fields; ++field)
      needed_.push_back(part(pipeline_.versions[field].reach));
    made_.clear();
    for (const Pipeline::Instance& instance : pipeline_.instances)
      made_.push_back(made_by(instance));
    incoming_ = stream_.row_behind({});
    outgoing_ = stream_.after(stream_.row_behind(pipeline_.last_lag));
  }

  // The piece and the cells within `reach` of it, without ghosts.
  Piece part(std::int64_t reach) const {
    const Shape shape = stages_.problem.shape;
    const Faces<T>& faces = stages_.problem.faces.front();
    return {piece_.planes.grown(reach, shape.planes, faces.planes.wrap()),
            piece_.rows.grown(reach, shape.rows, faces.rows.wrap()),
            piece_.columns.grown(reach, shape.columns, faces.columns.wrap() && !faces_.across)};
  }

  Made made_by(const Pipeline::Instance& instance) const {
    const Piece piece = part(instance.reach);
    Made made{&instance, piece, piece.columns, stream_.row_behind(instance.lag), stream_};
    const auto place = [&](int version, std::int64_t after) {
      const std::int64_t rows = rings_[version].rows;
      after -= stream_.behind(instance.lag);
      return RingRow{version, rows > 0 ? (after % rows + rows) % rows : 0};
    };
    bool whole = true;
    for (const int result : instance.results) {
      made.results.push_back(place(result, 0));
      whole = whole && rings_[result].rows > 0;
    }
    made.rows = whole ? stages_.diffusion_rows : stages_.outgoing_rows;
    if (whole) {
      made.stored.first = start_ + (piece.columns.first - start_) / pad * pad;
      made.stored.last = start_ + (piece.columns.last - start_ + pad - 1) / pad * pad;
    }
    const Faces<T>& faces = stages_.problem.faces.front();
    const Shape shape = stages_.problem.shape;
    const std::vector<StageLayout::Line>& lines = stages_.layouts[instance.stage].lines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const StageLayout::Line& line = lines[i];
      const bool in_ring = instance.sources[i] >= 0;
      made.lines.push_back(
          in_ring ? place(instance.sources[i], stream_.behind({line.plane, line.row})) : RingRow{});
      if (line.array < 0) continue;
      const auto shrink = [](Range& range, int by, std::int64_t size) {
        range.first = std::max<std::int64_t>(range.first, -by);
        range.last = std::min<std::int64_t>(range.last, size - by);
      };
      if (!faces.planes.wrap()) shrink(made.inner.planes, line.plane, shape.planes);
      if (!faces.rows.wrap() || !in_ring) shrink(made.inner.rows, line.row, shape.rows);
      if (stages_.ends_in_time[line.array]) made.inner = {};
    }
    return made;
  }

  // Points to column 0, in its ring, of row `number` of the next group of rows.
  T* row_at(const RingRow& place, std::int64_t number) const {
    const RowRing<T>& ring = rings_[place.version];
    std::int64_t slot = ring.now + place.after + number;
    while (slot >= ring.rows) slot -= ring.rows;
    return ring.first + slot * pitch_ - start_;
  }

  // Points to column 0 of a version's row; `plane` and `row` may be outside a periodic grid.
  T* row_start(int version, std::int64_t plane, std::int64_t row) const {
    const std::int64_t place =
        (plane - stream_.planes.first) * stream_.rows.size() + row - stream_.rows.first;
    const RowRing<T>& ring = rings_[version];
    return ring.first + place % ring.rows * pitch_ - start_;
  }

  // The index of a row's first cell in a field of the grid.
  std::int64_t index_at(int field, const Cell& row) const {
    const Shape shape = stages_.problem.shape;
    return field * shape.cells() +
           (wrapped(row.plane, shape.planes) * shape.rows + wrapped(row.row, shape.rows)) *
               shape.columns;
  }

  void load(int field, const FaceConditions<T>& sides, const Cell& row, std::int64_t number) {
    const Piece& needed = needed_[field];
    if (rings_[field].rows == 0 || !needed.planes.has(row.plane) || !needed.rows.has(row.row))
      return;
    const std::int64_t size = stages_.problem.shape.columns;
    const T* const source = from_ + index_at(field, row);
    T* const to = row_at({field, 0}, number);
    for (std::int64_t column = needed.columns.first; column < needed.columns.last;) {
      const std::int64_t inside = wrapped(column, size);
      const std::int64_t count = std::min(needed.columns.last - column, size - inside);
      copy_row_(source + inside, to + column, count);
      column += count;
    }
    if (!stages_.ends_in_time[field]) faces_.impose_ends(field, sides, row, needed.columns, to);
  }

  // Prefetches rows that enter and leave with the next group, a share of them for each instance, so
  // that memory is read while instances compute.
  void fetch(std::int64_t instance) const {
    const auto instances = std::ssize(pipeline_.instances);
    const std::int64_t width = piece_.columns.size();
    const std::int64_t first = piece_.columns.first + width * instance / instances / pad * pad;
    const std::int64_t last = piece_.columns.first + width * (instance + 1) / instances;
    const auto of_row = [&](const Cell& row, const auto& line) {
      for (int field = 0; field < stages_.problem.step_fields; ++field) {
        const std::int64_t begin = index_at(field, row);
        for (std::int64_t column = first; column < last; column += pad) line(begin + column);
      }
    };
    stream_.for_rows(incoming_, [&](Cell row, std::int64_t, std::int64_t count) {
      for (; count > 0 && stream_.planes.has(row.plane); --count, ++row.row)
        of_row(row, [&](std::int64_t index) { __builtin_prefetch(from_ + index, 0, 2); });
    });
    if (stages_.past_caches) return;
    stream_.for_rows(outgoing_, [&](Cell row, std::int64_t, std::int64_t count) {
      for (; count > 0 && piece_.planes.has(row.plane); --count, ++row.row)
        if (piece_.rows.has(row.row))
          of_row(row, [&](std::int64_t index) { __builtin_prefetch(to_ + index, 1, 2); });
    });
  }

  // Computes those rows of the instance that are among `count` rows of a plane from `row` on.
  void make(const Made& made, const InstanceTimes<T>& times, Cell row, std::int64_t number,
            std::int64_t count) {
    if (!made.piece.planes.has(row.plane)) return;
    const std::int64_t first = row.row;
    const auto rows_up_to = [&](std::int64_t end, const auto& make_rows) {
      const std::int64_t some = std::min(end, first + count) - row.row;
      if (some > 0) make_rows(some);
      row.row += std::max<std::int64_t>(some, 0);
    };
    const auto at_edge = [&](std::int64_t some) {
      for (Cell edge = row; edge.row < row.row + some; ++edge.row)
        make_at_edge(made, times, edge, number + edge.row - first);
    };
    rows_up_to(made.piece.rows.first, [](std::int64_t) {});
    if (made.inner.planes.has(row.plane)) {
      rows_up_to(std::min(made.inner.rows.first, made.piece.rows.last), at_edge);
      rows_up_to(std::min(made.inner.rows.last, made.piece.rows.last), [&](std::int64_t some) {
        make_inner(made, times, row, number + row.row - first, some);
      });
    }
    rows_up_to(made.piece.rows.last, at_edge);
  }

  void make_inner(const Made& made, const InstanceTimes<T>& times, Cell row, std::int64_t number,
                  std::int64_t count) {
    const int stage = made.instance->stage;
    const std::size_t lines = made.lines.size(), results = made.results.size();
    for (std::size_t i = 0; i < lines; ++i)
      line_walks_[i] = row_walk(made, stages_.layouts[stage].lines[i], made.lines[i], row, number);
    for (std::size_t i = 0; i < results; ++i)
      result_walks_[i] = row_walk(made, made.results[i], row, number);
    const bool many = made.rows != nullptr;  // only stages with one result
    while (count > 0) {
      std::int64_t rows = many ? result_walks_[0].straight(count) : 1;
      for (std::size_t i = 0; i < lines && many; ++i) rows = line_walks_[i].straight(rows);
      for (std::size_t i = 0; i < lines; ++i) lines_[i] = line_walks_[i].next_values(rows);
      for (std::size_t i = 0; i < results; ++i) results_[i] = result_walks_[i].next_values(rows);
      const T* const arguments = uniforms(made, times, row);
      if (many)
        made.rows({lines_.data(), pitch_, arguments[0], results_[0], result_walks_[0].step}, rows,
                  made.stored.size());
      else
        stages_.functions[stage](lines_.data(), arguments, results_.data(), made.stored.size());
      for (std::int64_t k = 0; k < rows; ++k, ++row.row) {
        finish(made, times, row, results_.data());
        if (many) results_[0] += result_walks_[0].step;
      }
      count -= rows;
    }
  }

  RowWalk<const T> row_walk(const Made& made, const StageLayout::Line& line, const RingRow& place,
                            const Cell& row, std::int64_t number) const {
    if (place.version >= 0) {
      const RowWalk<T> ring = row_walk(made, place, row, number);
      return {ring.values, ring.step, ring.end, ring.ring};
    }
    if (line.array < 0) return {stages_.along_columns(line) + made.stored.first};
    const Shape shape = stages_.problem.shape;
    return {
        coefficient_row(line, wrapped(row.plane + line.plane, shape.planes), row.row + line.row) +
            made.stored.first,
        stages_.pitch};
  }
  RowWalk<T> row_walk(const Made& made, const RingRow& place, const Cell& row,
                      std::int64_t number) const {
    const RowRing<T>& ring = rings_[place.version];
    if (ring.rows == 0)
      return {to_ + index_at(pipeline_.versions[place.version].array, row) + made.stored.first,
              stages_.problem.shape.columns};
    const std::int64_t size = ring.rows * pitch_;
    return {row_at(place, number) + made.stored.first, pitch_,
            ring.first - start_ + made.stored.first + size, size};
  }

  void make_at_edge(const Made& made, const InstanceTimes<T>& times, const Cell& row,
                    std::int64_t number) {
    const int stage = made.instance->stage;
    for (std::size_t i = 0; i < made.lines.size(); ++i)
      lines_[i] =
          line(stages_.layouts[stage].lines[i], made.lines[i].version, times.conditions, row,
               made.piece.columns, ghosts_ + static_cast<std::int64_t>(i) * pitch_ - start_) +
          made.stored.first;
    for (std::size_t i = 0; i < made.results.size(); ++i)
      results_[i] = row_walk(made, made.results[i], row, number).values;
    stages_.functions[stage](lines_.data(), uniforms(made, times, row), results_.data(),
                             made.stored.size());
    finish(made, times, row, results_.data());
  }

  // Sets the ghosts at the ends of a computed row; in the last step also copies it to the field.
  void finish(const Made& made, const InstanceTimes<T>& times, const Cell& row,
              T* const* results) const {
    for (std::size_t i = 0; i < made.results.size(); ++i) {
      const int number = made.results[i].version;
      const Pipeline::Version& version = pipeline_.versions[number];
      if (rings_[number].rows == 0) continue;
      T* const values = results[i] - made.stored.first;
      if (!stages_.ends_in_time[version.array])
        faces_.impose_ends(version.array, times.conditions, row, made.piece.columns, values);
      if (version.goes_out && piece_.planes.has(row.plane) && piece_.rows.has(row.row))
        copy_row_(values + piece_.columns.first,
                  to_ + index_at(version.array, row) + piece_.columns.first, piece_.columns.size());
    }
  }

  // Column 0 of a row of a coefficient.
  const T* coefficient_row(const StageLayout::Line& line, std::int64_t plane,
                           std::int64_t row) const {
    return stages_.coefficients[line.array - stages_.problem.step_fields].data() +
           (plane * stages_.problem.shape.rows + row) * stages_.pitch + stages_.margin;
  }

  // Column 0 of a line that a stage reads. Values beyond the grid's faces are set by the condition
  // of the columns, then of the rows, then of the planes.
  const T* line(const StageLayout::Line& line, int version, const FaceConditions<T>& sides,
                const Cell& row, const Range& range, T* ghosts) {
    const Problem<T>& problem = stages_.problem;
    if (line.array < 0) return stages_.along_columns(line);
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
    if (version < 0) return coefficient_row(line, plane, in_plane);
    T* const inside = row_start(version, in.plane, in.row);
    if (stages_.ends_in_time[line.array]) faces_.impose_ends(line.array, sides, in, range, inside);
    const T* found = inside;
    if (in.row != at.row)
      found = faces_.impose(sides.of(line.array, 1, at.row > 0), plane, range, found, ghosts);
    if (in.plane != at.plane)
      found = faces_.impose(sides.of(line.array, 0, at.plane > 0),
                            in.row != at.row ? at.row : in_plane, range, found, ghosts);
    return found;
  }

  const T* uniforms(const Made& made, const InstanceTimes<T>& times, const Cell& row) {
    const int stage = made.instance->stage;
    const StageArguments& of = stages_.layouts[stage].arguments;
    const bool by_row = stages_.by_row[stage];
    if (!by_row && of.draws.empty()) return times.uniforms.data();
    uniforms_ = by_row ? of.values(trees_[stage], row, times.at) : times.uniforms;
    return of.set_row(uniforms_.data(), stages_.problem, row);
  }

  const CompiledStages<T>& stages_;
  const Pipeline& pipeline_;
  FaceRows<T> faces_;
  decltype(RowLoops<T>::copy_row) copy_row_ = widest<RowLoops<T>>().copy_row;
  std::vector<TreeAt<T>> trees_;
  Piece piece_;
  PieceStream stream_;
  const T* from_ = nullptr;
  T* to_ = nullptr;
  std::int64_t start_ = 0, pitch_ = 0;  // first column of a ring's rows; their length in values
  std::vector<T> memory_;
  std::vector<RowRing<T>> rings_;  // one for each version
  T* ghosts_ = nullptr;            // a row of ghosts for each line
  std::vector<Piece> needed_;      // the cells of each field that the piece reads
  std::vector<Made> made_;         // one for each instance
  Cell incoming_, outgoing_;       // first of the next group of rows to enter and to leave
  std::vector<const T*> lines_;    // arguments of a stage's function
  std::vector<T*> results_;
  std::vector<RowWalk<const T>> line_walks_;
  std::vector<RowWalk<T>> result_walks_;
  std::vector<T> uniforms_;
};

}  // namespace lapl
