// Faces: the values of the ghost nodes just outside a block, defined once for every engine. A face
// has a condition, or a neighbour.
//
//              ghost      | interior ...              | ghost
//   index        -1       |  0   1   2  ... n-2  n-1  |   n
//   condition       a + b*u0    | u0  u1  u2           un-1 | a' + b'*un-1
//   neighbour   un-1      | u0  u1  u2           un-1 | u0             the block itself: periodic
//
// The condition a = b = 0 holds the ghost node at 0; nothing flows through a face with a = 0 and b
// = 1. A face that varies has neither a nor b: its condition depends on the time or the place, and
// a tree of Problem::conditions computes a and b.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "kernels/grid/boundary.hpp"
#include "kernels/grid/ghost.hpp"

namespace lapl {

template <class T>
struct Face {
  T a = 0, b = 0;  ///< ghost = a + b * inside
  bool neighbour = false;
  int condition = -1;  ///< index in Problem::conditions of a face that varies

  /// A face that varies. Its a and b are NaN: it equals no face, and whoever reads them gets NaNs.
  static constexpr Face varying(int condition) {
    constexpr T none = std::numeric_limits<T>::quiet_NaN();
    return {none, none, false, condition};
  }

  friend constexpr bool operator==(const Face&, const Face&) = default;

  LAPL_HOST_DEVICE bool varies() const { return condition >= 0; }
  LAPL_HOST_DEVICE bool is_constant() const { return !neighbour && !varies() && b == T(0); }
  LAPL_HOST_DEVICE bool is_even() const {
    return !neighbour && !varies() && a == T(0) && b == T(1);
  }

  LAPL_HOST_DEVICE T ghost(T inside) const { return ghost_value(a, b, inside); }
};

/// The two faces of an axis; either both are neighbours or neither is.
template <class T>
struct AxisFaces {
  Face<T> first, last;

  AxisFaces() = default;
  AxisFaces(Face<T> both) : first(both), last(both) {}
  AxisFaces(Face<T> first_face, Face<T> last_face) : first(first_face), last(last_face) {}
  AxisFaces(Boundary boundary)
      : AxisFaces(boundary == Boundary::periodic ? Face<T>{.neighbour = true}
                                                 : Face<T>{0, T(boundary == Boundary::insulated)}) {
  }
  friend bool operator==(const AxisFaces&, const AxisFaces&) = default;

  LAPL_HOST_DEVICE bool wrap() const { return first.neighbour; }
  LAPL_HOST_DEVICE const Face<T>& side(bool is_last) const { return is_last ? last : first; }
  LAPL_HOST_DEVICE const Face<T>& at(std::int64_t index) const { return side(index >= 0); }
};

template <class T>
struct Faces {
  AxisFaces<T> rows, columns, planes;

  Faces() = default;
  Faces(AxisFaces<T> of_rows, AxisFaces<T> of_columns, AxisFaces<T> of_planes = {})
      : rows(of_rows), columns(of_columns), planes(of_planes) {}
  Faces(Boundaries boundaries) : Faces(boundaries.rows, boundaries.columns, boundaries.planes) {}
  friend bool operator==(const Faces&, const Faces&) = default;
};

/// The two faces of axis 0 (planes), 1 (rows) or 2 (columns).
template <class T>
const AxisFaces<T>& axis_faces(const Faces<T>& faces, int axis) {
  return axis == 0 ? faces.planes : axis == 1 ? faces.rows : faces.columns;
}

/// The interior node that determines the value at an index from -1 to size.
struct AxisSource {
  std::int64_t index = 0;
  bool ghost = false;  ///< true if the condition of the face applies to the node's value
};
template <class T>
LAPL_HOST_DEVICE AxisSource source_at(const AxisFaces<T>& faces, std::int64_t index,
                                      std::int64_t size) {
  if (index >= 0 && index < size) return {index, false};
  if (faces.wrap()) return {index < 0 ? size - 1 : 0, false};
  return {index < 0 ? 0 : size - 1, true};
}

/// The value of a plane at (row, column), both from -1 to their size and at most one of them
/// outside. `value(row, column)` reads the interior.
template <class T, class Read>
LAPL_HOST_DEVICE T value_at(const Faces<T>& faces, std::int64_t row, std::int64_t rows,
                            std::int64_t column, std::int64_t columns, Read value) {
  const AxisSource from_row = source_at(faces.rows, row, rows);
  const AxisSource from_column = source_at(faces.columns, column, columns);
  T found = value(from_row.index, from_column.index);
  if (from_column.ghost) found = faces.columns.at(column).ghost(found);
  if (from_row.ghost) found = faces.rows.at(row).ghost(found);
  return found;
}

/// How values continue beyond a face: mirrored and negated, mirrored, or repeated. Some engines
/// extend the grid once in this way instead of imposing the conditions of faces at each step; a
/// step of a mirror-symmetric linear equation keeps the extension exact.
enum class Extension : std::uint8_t { odd, even, periodic };

struct AxisExtension {
  Extension first = Extension::odd, last = Extension::odd;
};
struct Extensions {
  AxisExtension rows, columns;
};

/// The extensions that are equivalent to the faces; none if a face is not held at 0, even or
/// periodic.
template <class T>
std::optional<Extensions> as_extensions(const Faces<T>& faces) {
  bool possible = true;
  const auto of = [&](const Face<T>& face) {
    possible =
        possible && (face.neighbour || face.is_even() || (face.is_constant() && face.a == 0));
    return face.neighbour ? Extension::periodic : face.is_even() ? Extension::even : Extension::odd;
  };
  const Extensions found{{of(faces.rows.first), of(faces.rows.last)},
                         {of(faces.columns.first), of(faces.columns.last)}};
  return possible ? std::optional(found) : std::nullopt;
}

/// The node whose value an index of an extended axis has.
template <class Index>
struct Extended {
  Index index = 0;       ///< an interior node
  bool ghost = false;    ///< true for the node just outside an odd face, whose value is 0
  bool negated = false;  ///< true if the value is that of the node, negated
};
template <class Index>
LAPL_HOST_DEVICE Extended<Index> extended(AxisExtension axis, Index index, Index size) {
  bool negated = false;
  while (index < 0 || index >= size) {  // repeats only on a grid narrower than the halo
    const bool before = index < 0;
    const Extension extension = before ? axis.first : axis.last;
    if (extension == Extension::periodic) {
      index += before ? size : -size;
    } else if (extension == Extension::even) {
      index = (before ? -1 : 2 * size - 1) - index;
    } else {
      if (index == -1 || index == size) return {before ? 0 : size - 1, true, false};
      index = (before ? -2 : 2 * size) - index;
      negated = !negated;
    }
  }
  return {index, false, negated};
}

}  // namespace lapl
