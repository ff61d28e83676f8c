// The loops of tile_steps.hpp, compiled once for each instruction set. The linker must not merge
// functions of different sets, so every function is in an anonymous namespace or always inlined.
#include "kernels/cpu/tile_steps.hpp"

#include <algorithm>

#include "kernels/cpu/instruction_set.hpp"
#include "kernels/cpu/lanes.hpp"
#include "kernels/cpu/subnormal.hpp"
#include "kernels/stages/diffusion.hpp"

namespace lapl {
namespace {

/// One step of R rows in place. rows[0 ... R + 1] hold the rows before the step and the rows above
/// and below them; the results go to rows[0 ... R - 1], each one place higher up. With Guard, the
/// values are scaled (subnormal.hpp), and it returns true if a result would be subnormal without
/// the scale.
template <int R, bool Guard, template <class> class Stage, class T>
LAPL_INLINE bool step_rows_together(T* const* rows, std::int64_t length, const Stage<T>& of_one) {
  using V = Lanes<T>;
  constexpr int n = V::count;
  T* row[R + 2];
  V left[R], centre[R + 2], right[R], wrapped[R];
  const Stage<V> stage{V(of_one.coefficient)};
  bool met = false;
  for (int r = 0; r < R + 2; ++r) row[r] = rows[r];
  for (int r = 0; r < R; ++r) {
    left[r] = rotated<-1>(V::load(row[r + 1] + (length - 1) * n));
    centre[r + 1] = V::load(row[r + 1]);
    wrapped[r] = rotated<1>(centre[r + 1]);
  }
  const auto step_vector = [&](std::int64_t i) __attribute__((always_inline)) {
    centre[0] = V::load(row[0] + i);
    centre[R + 1] = V::load(row[R + 1] + i);
    V difference[R], updated[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      difference[r] =
          neighbour_difference(left[r], right[r], centre[r], centre[r + 2], centre[r + 1]);
      updated[r] = stage.update(centre[r + 1], difference[r]);
    }
    if (Guard && any_small<R>(updated))
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r)
        updated[r] =
            rounded_as_unscaled(updated[r], centre[r + 1], difference[r], stage.coefficient, met);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) updated[r].store(row[r] + i);
  };
  for (std::int64_t i = 0; i < (length - 1) * n; i += n) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) right[r] = V::load(row[r + 1] + i + n);
    step_vector(i);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      left[r] = centre[r + 1];
      centre[r + 1] = right[r];
    }
  }
  for (int r = 0; r < R; ++r) right[r] = wrapped[r];
  step_vector((length - 1) * n);
  return met;
}

template <bool Guard, template <class> class Stage, class T>
bool step_rows(T* const* rows, std::int64_t count, std::int64_t length, const Stage<T>& stage) {
  std::int64_t row = 0;
  bool met = false;
  for (; row + rows_at_once <= count; row += rows_at_once)
    met |= step_rows_together<rows_at_once, Guard>(rows + row, length, stage);
  for (; row < count; ++row) met |= step_rows_together<1, Guard>(rows + row, length, stage);
  return met;
}

/// Computes the time levels of one tile, `slab` rows at a time. At level l, slab s computes the
/// `slab` rows from start + s * slab - l on: each level lags one row behind the level before it,
/// since it needs the row below. Each new row is stored where the row above it was, one level
/// earlier:
///
///   place(level, row) = (row - level) modulo (slab + 2 * levels)      slab = 4, levels = 2:
///
///   place         0   1   2   3   4   5   6   7
///   slab 0 loads                  r4  r5  r6  r7   level 0
///        to               r3  r4  r5  r6           level 1 in the places 2 ... 5; 6 and 7 keep r6
///        to       r2  r3  r4  r5                   and r7 of level 0, which slab 1 needs
///   slab 1 loads  r8  r9 r10 r11                   once r2 ... r5 of level 2 are stored
///
/// At any time slab + 2 rows are in use, in the level-one cache; the others are in the level-two
/// cache.
template <template <class> class Stage, class T>
class TileRun {
 public:
  /// `scratch` may be null if only scratch_size() is called.
  TileRun(const Problem<T>& problem, const Stage<T>& stage, const Tile& tile, T* scratch)
      : problem_(problem),
        stage_(stage),
        tile_(tile),
        left_(reach_before(problem.faces.front().columns, tile.first_column, tile.levels)),
        right_(reach_after(problem.faces.front().columns, tile.last_column, tile.levels,
                           problem.shape.columns)),
        length_((right_ - left_ + n - 1) / n),
        pitch_(padded_length(length_) * n),
        places_(tile.slab + 2 * tile.levels),
        linear_(scratch),
        rows_(scratch == nullptr ? nullptr : scratch + (length_ + 1) * n) {}

  std::int64_t scratch_size() const { return (length_ + 1) * n + places_ * pitch_; }

  struct Met {
    bool unsafe = false;     ///< a value cannot be scaled; `to` is incomplete
    bool subnormal = false;  ///< a result is subnormal; set only with Guard
  };

  /// With Guard, computes on scaled values. The coefficient must then be one with which no
  /// magnitude grows, so that none overflows.
  template <bool Guard>
  Met advance(const T* from, T* to) {
    Met met;
    const std::int64_t slab = tile_.slab;
    if (Guard) std::fill_n(linear_, (length_ + 1) * n, T(0));
    // place_ lists each place twice, so that a window has consecutive elements.
    for (std::int64_t i = 0; i <= 2 * places_; ++i) place_[i] = rows_ + i % places_ * pitch_;
    std::int64_t start = first_row(0);
    const std::int64_t offset = (start / places_ + 2 * tile_.levels + 4) * places_;
    for (; start - tile_.levels < tile_.last_row; start += slab)
      for (std::int64_t level = 0; level <= tile_.levels; ++level) {
        const std::int64_t top = start - level;
        // window[2] is the place of row `top`
        T* const* const window = place_ + (top - level - 2 + offset) % places_;
        const std::int64_t first = std::max(top, first_row(level));
        const std::int64_t last = std::min(top + slab, last_row(level));
        T* const* const made = window + 2 + (first - top);
        if (level == 0)
          for (std::int64_t row = first; row < last; ++row) {
            load(from, row, made[row - first]);
            if (Guard && !scale_up(made[row - first], length_ * n)) return {.unsafe = true};
          }
        else if (first < last)
          met.subnormal |= step_rows<Guard>(made, last - first, length_, stage_);
        if (level < tile_.levels)
          impose_faces(window + 2, top, first, last);
        else
          for (std::int64_t row = first; row < last; ++row) {
            if (Guard) scale_down(made[row - first], length_ * n);
            store(made[row - first], row, to);
          }
        prefetch<0>(from, start + slab, level);
        prefetch<1>(to, start + slab - tile_.levels, level);
      }
    return met;
  }

 private:
  static constexpr int n = Lanes<T>::count;

  static std::int64_t padded_length(std::int64_t length) {
    return length < 24 ? length : (length + 31) / 32 * 32;
  }

  // The first column that level 0 needs so that the tile's columns are correct at the last level,
  // and the column after the last. On an axis that is not periodic they end with the ghost cells.
  static std::int64_t reach_before(const AxisFaces<T>& faces, std::int64_t first,
                                   std::int64_t levels) {
    return faces.wrap() ? first - levels : std::max<std::int64_t>(first - levels, -1);
  }
  static std::int64_t reach_after(const AxisFaces<T>& faces, std::int64_t last, std::int64_t levels,
                                  std::int64_t size) {
    return faces.wrap() ? last + levels : std::min(last + levels, size + 1);
  }

  std::int64_t first_row(std::int64_t level) const {
    const std::int64_t row = tile_.first_row - (tile_.levels - level);
    return rows_wrap() ? row : std::max<std::int64_t>(row, 0);
  }
  std::int64_t last_row(std::int64_t level) const {
    const std::int64_t row = tile_.last_row + (tile_.levels - level);
    return rows_wrap() ? row : std::min(row, problem_.shape.rows);
  }
  bool rows_wrap() const { return problem_.faces.front().rows.wrap(); }

  /// The index of a column's cell in a row of scratch memory (lanes.hpp).
  std::int64_t offset_in_row(std::int64_t column) const {
    return (column - left_) % length_ * n + (column - left_) / length_;
  }

  // Cells beyond the ghost cells never affect a cell of the grid, so a row may be read past its
  // ends as long as the reads stay within the field.
  void load(const T* from, std::int64_t row, T* out) const {
    const std::int64_t rows = problem_.shape.rows, columns = problem_.shape.columns;
    const T* source = from + ((row % rows + rows) % rows) * columns;
    const bool wraps = problem_.faces.front().columns.wrap();
    const bool inside = wraps ? left_ >= 0 && right_ <= columns : true;
    if (inside && source + left_ >= from &&
        source + left_ + (length_ + 1) * n <= from + rows * columns) {
      lift_row(source + left_, out, length_);
      return;
    }
    const std::int64_t last = wraps ? right_ : std::min(right_, columns);
    for (std::int64_t column = wraps ? left_ : std::max<std::int64_t>(left_, 0); column < last;) {
      const std::int64_t within = (column % columns + columns) % columns;
      const std::int64_t count = std::min(last - column, columns - within);
      copy(source + within, linear_ + (column - left_), count);
      column += count;
    }
    lift_row(linear_, out, length_);
  }

  // Prefetches grid rows that the next slab reads (Write = 0) or writes (Write = 1): at each of the
  // levels + 1 levels, an equal part of them. Inline, because GCC drops calls of a function that
  // only prefetches.
  template <int Write>
  LAPL_INLINE void prefetch(const T* grid, std::int64_t top, std::int64_t level) const {
    constexpr std::int64_t line = 64 / sizeof(T);
    const std::int64_t rows = problem_.shape.rows, columns = problem_.shape.columns;
    const std::int64_t first = std::max<std::int64_t>(left_, 0), last = std::min(right_, columns);
    const std::int64_t lines = (last - first + line - 1) / line, all = lines * tile_.slab;
    std::int64_t i = all * level / (tile_.levels + 1);
    const std::int64_t end = all * (level + 1) / (tile_.levels + 1);
    for (std::int64_t row = top + i / lines, in_row = i % lines; i < end; ++i) {
      if (row >= 0 && row < rows)
        __builtin_prefetch(grid + row * columns + first + in_row * line, Write, 2);
      if (++in_row == lines) in_row = 0, ++row;
    }
  }

  void store(const T* row_values, std::int64_t row, T* to) const {
    lower_row(row_values, linear_, length_);
    copy(linear_ + (tile_.first_column - left_),
         to + row * problem_.shape.columns + tile_.first_column,
         tile_.last_column - tile_.first_column);
  }

  // Sets ghost cells next to rows [first, last) and ghost rows of the slab; rows[0] is row `top`.
  void impose_faces(T* const* rows, std::int64_t top, std::int64_t first, std::int64_t last) const {
    const std::int64_t height = problem_.shape.rows, width = problem_.shape.columns;
    const AxisFaces<T>& columns = problem_.faces.front().columns;
    if (!columns.wrap()) {
      if (left_ == -1)
        impose_ghost_column(columns.first, rows + (first - top), last - first, -1, 0);
      if (right_ == width + 1)
        impose_ghost_column(columns.last, rows + (first - top), last - first, width, width - 1);
    }
    if (rows_wrap()) return;
    if (first == 0 && first < last)
      impose_ghost_row(problem_.faces.front().rows.first, rows[-1 - top], rows[0 - top]);
    if (last_row(0) == height && height >= top && height < top + tile_.slab)
      impose_ghost_row(problem_.faces.front().rows.last, rows[height - top],
                       rows[height - 1 - top]);
  }

  void impose_ghost_column(const Face<T>& face, T* const* rows, std::int64_t count,
                           std::int64_t ghost, std::int64_t nearest) const {
    const std::int64_t to = offset_in_row(ghost), from = offset_in_row(nearest);
    const auto impose = [&](const auto condition) __attribute__((always_inline)) {
      for (std::int64_t row = 0; row < count; ++row) rows[row][to] = condition(rows[row][from]);
    };
    if (face.is_constant())
      impose([a = face.a](T) { return a; });
    else if (face.is_even())
      impose([](T inside) { return inside; });
    else
      impose([face](T inside) { return face.ghost(inside); });
  }

  void impose_ghost_row(const Face<T>& face, T* ghost, const T* nearest) const {
    if (face.is_constant())
      std::fill_n(ghost, length_ * n, face.a);
    else if (face.is_even())
      std::copy_n(nearest, length_ * n, ghost);
    else
      for (std::int64_t i = 0; i < length_ * n; ++i) ghost[i] = face.ghost(nearest[i]);
  }

  const Problem<T>& problem_;
  const Stage<T> stage_;
  const Tile& tile_;
  std::int64_t left_, right_;  // columns at level 0, ghost cells included
  std::int64_t length_;        // vectors in a row
  std::int64_t pitch_;         // values from one row to the next
  std::int64_t places_;        // rows in scratch memory
  T* linear_;                  // a row in row-major order
  T* rows_;
  T* place_[2 * (Tile::most_slab + 2 * Tile::most_levels) + 1];
};

template <class T>
std::int64_t scratch_size(const Problem<T>& problem, const Tile& tile) {
  return TileRun<DiffusionStage, T>(problem, DiffusionStage<T>::held(), tile, nullptr)
      .scratch_size();
}

template <class T>
bool advance(const Problem<T>& problem, const DiffusionStage<T>& stage, const Tile& tile,
             const T* from, T* to, T* scratch, bool expect_subnormal) {
  TileRun<DiffusionStage, T> run(problem, stage, tile, scratch);
  if (expect_subnormal && as_extensions(problem.faces.front()) && stage.coefficient >= 0 &&
      stage.coefficient <= T(largest_stable_coefficient(2))) {
    const auto met = run.template advance<true>(from, to);
    if (!met.unsafe) return met.subnormal;
  }
  forget_subnormals();
  run.template advance<false>(from, to);
  return met_subnormals();
}

template <class T>
constexpr TileLoops<T> table = {Lanes<T>::count, scratch_size<T>, advance<T>};

}  // namespace

template <>
const TileLoops<float> Compiled<TileLoops<float>, LAPL_INSTRUCTION_SET>::loops = table<float>;
template <>
const TileLoops<double> Compiled<TileLoops<double>, LAPL_INSTRUCTION_SET>::loops = table<double>;

}  // namespace lapl
