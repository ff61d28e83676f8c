#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "io/config/config_checks.hpp"
#include "io/config/config_keys.hpp"

namespace lapl {
namespace {

class GridChecker : public KeyChecker {
 public:
  using KeyChecker::KeyChecker;

  void check_cells() {
    if (!right({"grid.shape"})) return;
    const auto [planes, rows, columns] =
        std::tuple(run_.shape.planes, run_.shape.rows, run_.shape.columns);
    if (rows > most_cells / columns || planes > most_cells / columns / rows)
      add("grid.shape", fmt::format("found {}, too many cells (at most {} together)",
                                    shape_text(run_.shape), most_cells));
  }

  /// The engines divide by h^2 in the run's precision, so h^2 must be representable in it.
  void check_spacing() {
    if (!right({"grid.spacing", "grid.size", "grid.shape", "compute.precision"})) return;
    const char* const key = given("grid.size") ? "grid.size" : "grid.spacing";
    check_count("grid.spacing");
    check_count("grid.size");
    if (given("grid.size") && entries_.at("grid.spacing").origin != "default")
      add("grid.size", "given besides grid.spacing (give one of them)");
    for (const double spacing : run_.spacing.given(run_.shape.axes)) {
      const double square = spacing * spacing;
      if (is_positive_in(run_.precision, square) && is_positive_in(run_.precision, 1 / square))
        continue;
      const auto largest = with_precision(
          run_.precision, []<class T>() -> double { return std::numeric_limits<T>::max(); });
      add(key, fmt::format("found {}{}, of which the square or its inverse is infinite in {} "
                           "(expected about {:.1e} to {:.1e})",
                           given("grid.size") ? "a spacing of " : "", spacing,
                           enum_name(run_.precision), std::sqrt(1 / largest), std::sqrt(largest)));
    }
  }

  /// Neighbouring nodes must have different positions in the run's precision.
  void check_origin() {
    if (!right({"grid.origin", "grid.center", "grid.spacing", "grid.size", "grid.shape"})) return;
    check_count("grid.origin");
    const bool centered = entries_.at("grid.center").value->text == "true";
    if (centered && node_yaml(*entries_.at("grid.origin").value) != "0")
      add("grid.center", "given besides grid.origin (give one of them)");
    if (centered || !right({"compute.precision"})) return;
    for (std::size_t axis = 3 - run_.shape.axes; axis < 3; ++axis) {
      const double first = run_.spacing.origin[axis];
      const bool apart = with_precision(run_.precision, [&]<class T>() {
        const T low = static_cast<T>(first), high = static_cast<T>(run_.spacing.position(axis, 1));
        return std::isfinite(low) && low != high;
      });
      if (first != 0 && !apart)
        return add("grid.origin",
                   fmt::format("found {}, beside which a spacing of {} is lost in {} (expected an "
                               "origin nearer to 0{})",
                               first, run_.spacing.by_axis[axis], enum_name(run_.precision),
                               or_float64()));
    }
  }

  void check_coordinates() {
    if (run_.coordinates == Coordinates::cartesian || !right({"grid.coordinates", "grid.shape"}))
      return;
    const char* const name = enum_name(run_.coordinates);
    const bool is_sphere = run_.coordinates == Coordinates::spherical;
    if (run_.shape.axes > (is_sphere ? 1 : 2))
      add("grid.shape",
          fmt::format("found {} axes in {} coordinates (expected {})", run_.shape.axes, name,
                      is_sphere ? "one, r" : "one, r, or two, [z, r]"));
    if (right({"equation.kind"}) && is_diffusion(run_))
      add("equation.kind", fmt::format("found diffusion in {} coordinates (expected a formula, "
                                       "such as u: D * laplacian(u))",
                                       name));
    if (!right({"grid.origin", "grid.center", "grid.spacing", "grid.size", "boundary.columns"}))
      return;
    const double h = run_.spacing.by_axis[2], inner = run_.spacing.origin[2] - h / 2;
    if (inner < -1e-12 * h)
      return add(entries_.at("grid.center").value->text == "true" ? "grid.center" : "grid.origin",
                 fmt::format("found r = {} at the first node, and the cell around it reaches to {} "
                             "(expected at least half a spacing, {}; 0 means this)",
                             run_.spacing.origin[2], inner, h / 2));
    if (run_.boundaries.columns == Boundary::periodic)
      add("boundary.columns",
          fmt::format("found periodic along r in {} coordinates (expected a condition)", name));
  }

  void check_mask() {
    if (entries_.at("grid.mask").origin != "default") return;
    if (const auto mask_boundary = entries_.find(std::string(mask_key));
        mask_boundary != entries_.end())
      mistakes_.add(mask_boundary->second.place, mask_key,
                    "given without grid.mask (expected one)");
  }

  void check_mode() {
    if (!right({"initial.mode", "grid.shape", "boundary.columns"})) return;
    if (run_.shape.axes > 1 && !right({"boundary.rows"})) return;
    if (run_.shape.axes > 2 && !right({"boundary.planes"})) return;
    if (run_.initials.empty()) check_mode("initial.kind", "initial.mode", run_.initial);
    for (const auto& [field, initial] : run_.initials)
      check_mode("initial." + field, "initial." + field, initial);
  }

 private:
  /// A list of numbers by axis must have one for each axis of the grid.
  void check_count(const char* key) {
    const YamlNode& each = *entries_.at(key).value;
    if (each.kind == YamlNode::Kind::list && std::ssize(each.children) != run_.shape.axes)
      add(key,
          fmt::format("found {} number{} (expected one number, or a list of one for "
                      "each of the {} axes of grid.shape)",
                      each.children.size(), each.children.size() == 1 ? "" : "s", run_.shape.axes));
  }

  void check_mode(const std::string& kind_key, const std::string& key,
                  const InitialConfig& initial) {
    if (initial.kind != InitialKind::sine) return;
    if (!run_.conditions.empty()) {
      add(kind_key.c_str(),
          "found sine, an eigenmode of boundaries that are zero, insulated or periodic "
          "(not of the conditions that boundary gives)");
      return;
    }
    if (run_.shape.axes > 2)
      check_mode(key, "planes", run_.boundaries.planes, run_.shape.planes, initial.mode[0]);
    if (run_.shape.axes > 1)
      check_mode(key, "rows", run_.boundaries.rows, run_.shape.rows, initial.mode[1]);
    check_mode(key, "columns", run_.boundaries.columns, run_.shape.columns, initial.mode[2]);
  }

  /// Checks the number of an eigenmode of the discrete Laplacian on n nodes (docs/numerics.md).
  void check_mode(const std::string& key, const char* axis, Boundary boundary, std::int64_t nodes,
                  std::int64_t mode) {
    const std::int64_t low = boundary == Boundary::zero ? 1 : 0;
    const std::int64_t high = boundary == Boundary::zero        ? nodes
                              : boundary == Boundary::insulated ? nodes - 1
                                                                : nodes / 2;
    if (mode >= low && mode <= high) return;
    add(key.c_str(),
        fmt::format(
            "found {} for the {}, out of range (expected {} to {} with boundary {} and {} {})",
            mode, axis, low, high, enum_name(boundary), nodes, axis));
  }
};

}  // namespace

void check_grid(const RunConfig& run, const Entries& entries, Mistakes& mistakes) {
  GridChecker checker(run, entries, mistakes);
  checker.check_cells();
  checker.check_spacing();
  checker.check_origin();
  checker.check_coordinates();
  checker.check_mask();
  checker.check_mode();
}

}  // namespace lapl
