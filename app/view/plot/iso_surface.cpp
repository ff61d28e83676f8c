#include "app/view/plot/iso_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "app/view/plot/ticks.hpp"
#include "kernels/backend.hpp"

namespace lapl {
namespace {

using Vector = std::array<double, 3>;  // along z, y, x, as in storage

constexpr double around_box = 1.16;  // the picture, for the names of axes
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector moved(const Vector& from, double by, const Vector& along) {
  return {from[0] + by * along[0], from[1] + by * along[1], from[2] + by * along[2]};
}

// Positions are relative to the middle of the box.
struct Camera {
  Camera(Shape shape, const IsoSurface& surface) {
    constexpr double degree = std::numbers::pi / 180;
    const double azimuth = surface.azimuth * degree, elevation = surface.elevation * degree;
    toward = {std::sin(elevation), std::cos(elevation) * std::sin(azimuth),
              std::cos(elevation) * std::cos(azimuth)};
    right = {0, std::cos(azimuth), -std::sin(azimuth)};
    up = {std::cos(elevation), -std::sin(elevation) * std::sin(azimuth),
          -std::sin(elevation) * std::cos(azimuth)};
    for (std::size_t a = 0; a < 3; ++a) {
      half[a] = static_cast<double>(by_axis(shape)[a] - 1) / 2 * surface.spacing[a];
      width += 2 * around_box * std::abs(right[a]) * half[a];
      height += 2 * around_box * std::abs(up[a]) * half[a];
    }
  }
  // The place in the picture, from its upper left corner, as parts of its sides.
  std::array<double, 2> place(const Vector& at) const {
    return {0.5 + dot(right, at) / width, 0.5 - dot(up, at) / height};
  }
  // The point of the plane through the middle that has this place.
  Vector point(double across, double down) const {
    return moved(moved({}, (across - 0.5) * width, right), (0.5 - down) * height, up);
  }

  Vector toward, right, up, half{};  // toward the viewer; half the box
  double width = 0, height = 0;      // of the picture
};

template <class T>
struct Volume {
  std::span<const T> values;
  Shape shape;
  const IsoSurface& surface;
  const Camera& camera;

  // Trilinear between nodes; the nearest point of the box outside.
  double at(const Vector& point) const {
    const std::array<std::int64_t, 3> nodes = by_axis(shape);
    std::array<std::int64_t, 3> first{};
    Vector part{};
    for (std::size_t a = 0; a < 3; ++a) {
      const double node = std::clamp((point[a] + camera.half[a]) / surface.spacing[a], 0.0,
                                     static_cast<double>(nodes[a] - 1));
      first[a] = std::min(static_cast<std::int64_t>(node), nodes[a] - 2);
      part[a] = node - static_cast<double>(first[a]);
    }
    const T* const corner =
        values.data() + (first[0] * shape.rows + first[1]) * shape.columns + first[2];
    const auto row = [&](std::int64_t from) {
      const double low = corner[from], high = corner[from + 1];
      return low + part[2] * (high - low);
    };
    const auto plane = [&](std::int64_t from) {
      const double low = row(from);
      return low + part[1] * (row(from + shape.columns) - low);
    };
    const double low = plane(0);
    return low + part[0] * (plane(shape.rows * shape.columns) - low);
  }

  // The brightness of the surface where the ray through this point meets it.
  double brightness(const Vector& through) const {
    double near = std::numeric_limits<double>::infinity(), far = -near;
    for (std::size_t a = 0; a < 3; ++a) {
      const double speed = std::abs(camera.toward[a]) < 1e-12 ? 1e-12 : camera.toward[a];
      const auto [first, last] = std::minmax(
          {(-camera.half[a] - through[a]) / speed, (camera.half[a] - through[a]) / speed});
      far = std::max(far, first);
      near = std::min(near, last);
    }
    if (!(near > far)) return nothing;
    double nodes = 0;  // passed along the fastest axis for each unit of length
    for (std::size_t a = 0; a < 3; ++a)
      nodes = std::max(nodes, std::abs(camera.toward[a]) / surface.spacing[a]);
    const auto steps = static_cast<std::int64_t>(std::ceil((near - far) * 2 * nodes));
    double before = nothing;
    for (std::int64_t i = 0; i <= steps; ++i) {
      const double step = (near - far) / static_cast<double>(steps);
      const double along = near - step * static_cast<double>(i);
      const double now = at(moved(through, along, camera.toward)) - surface.value;
      if (std::isfinite(before) && std::isfinite(now) && (before < 0) != (now < 0))
        return lit(moved(through, along + step * now / (now - before), camera.toward));
      before = now;
    }
    return nothing;
  }

  // Lambert's law, with a light at the upper left of the viewer. Both sides of the surface shine.
  double lit(const Vector& point) const {
    Vector slope{};
    for (std::size_t a = 0; a < 3; ++a) {
      Vector low = point, high = point;
      low[a] = std::max(point[a] - surface.spacing[a], -camera.half[a]);
      high[a] = std::min(point[a] + surface.spacing[a], camera.half[a]);
      slope[a] = (at(high) - at(low)) / (high[a] - low[a]);
    }
    const Vector light = moved(moved(camera.toward, 0.6, camera.up), -0.4, camera.right);
    const double sides = dot(slope, camera.toward) < 0 ? -1 : 1;
    const double lengths = std::sqrt(dot(slope, slope) * dot(light, light));
    const double cosine = lengths > 0 ? sides * dot(slope, light) / lengths : 1;
    return 0.25 + 0.75 * std::max(cosine, 0.0);
  }
};

}  // namespace

Extent surface_extent(Shape shape, const IsoSurface& surface) {
  const Camera camera(shape, surface);
  return {camera.height / camera.width, 1};
}

DrawnField surface_field(const std::string& name, FieldView values, Shape shape, Shape box,
                         const IsoSurface& surface) {
  const Camera camera(shape, surface);
  DrawnField drawn{name, shape, box, std::vector<double>(box.cells()), {1, 0}, {}, {}, {}};
  std::visit(
      [&]<class T>(std::span<const T> held) {
        for (const double value : held)
          if (std::isfinite(value)) drawn.range = united(drawn.range, {value, value});
        const Volume<T> volume{held, shape, surface, camera};
        const int threads = useful_threads(box, 1024);
#pragma omp parallel for num_threads(threads) schedule(static)
        for (std::int64_t row = 0; row < box.rows; ++row)
          for (std::int64_t column = 0; column < box.columns; ++column)
            drawn.pixels[row * box.columns + column] = volume.brightness(
                camera.point((static_cast<double>(column) + 0.5) / static_cast<double>(box.columns),
                             (static_cast<double>(row) + 0.5) / static_cast<double>(box.rows)));
      },
      values);
  return drawn;
}

namespace {

std::int64_t pixel_at(Shape pixels, const std::array<double, 2>& place) {
  return static_cast<std::int64_t>(place[1] * static_cast<double>(pixels.rows)) * pixels.columns +
         static_cast<std::int64_t>(place[0] * static_cast<double>(pixels.columns));
}

// Draws the edges of the box, behind the surface and in front, and the names of its axes.
void add_edges(Panel& panel, const IsoSurface& surface) {
  constexpr int pieces = 100;  // of an edge, of which the surface hides some
  const Camera camera(panel.shape, surface);
  const auto side = [&](std::size_t axis) { return camera.toward[axis] < 0 ? -1 : 1; };
  Panel::Lines& edges = panel.lines.emplace_back();
  edges.color = 0x707070;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const int first : {-1, 1})
      for (const int second : {-1, 1}) {
        const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
        const bool behind = first != side(b) && second != side(c);
        const auto at = [&](double part) {
          Vector point{};
          point[axis] = (2 * part / pieces - 1) * camera.half[axis];
          point[b] = first * camera.half[b], point[c] = second * camera.half[c];
          return camera.place(point);
        };
        for (int i = 0; i < pieces; ++i) {
          const auto from = at(i), middle = at(i + 0.5), to = at(i + 1);
          if (!behind || std::isnan(panel.pixels[pixel_at(panel.drawn, middle)]))
            edges.segments.push_back({from[0], from[1], to[0], to[1]});
        }
      }
  // The names of axes stand outside: x and y below, or above if seen from below, z at the left.
  const int base = -side(0), left_y = camera.right[1] < 0 ? 1 : -1,
            left_x = camera.right[2] < 0 ? 1 : -1;
  const auto name = [&](const PlotAxis& axis, const Vector& ends) {
    const auto place = camera.place(
        {ends[0] * camera.half[0], ends[1] * camera.half[1], ends[2] * camera.half[2]});
    panel.names.push_back(
        {axis.name, 0.5 + 1.07 * (place[0] - 0.5), 0.5 + 1.07 * (place[1] - 0.5)});
  };
  name(panel.axes.x, {1.0 * base, 1.0 * side(1), 0});
  name(panel.axes.y, {1.0 * base, 0, 1.0 * side(2)});
  name(panel.axes.z, {0, 1.0 * left_y, 1.0 * left_x});
}

}  // namespace

void finish_surface(Panel& panel, const IsoSurface& surface, const std::string& colormap) {
  panel.title += with_unit(", iso-surface at " + number_text(surface.value, 6), panel.unit);
  panel.limits = {0, 1};
  panel.colormap = colormap_named(colormap);
  panel.axes.first_row_below = false;
  panel.surface = true;
  add_edges(panel, surface);
}

}  // namespace lapl
