// Multigrid for stencil matrices: one cycle, with one sweep of Gauss and Seidel in colours before
// and one in the opposite order after each coarse grid, so that the cycle is symmetric where the
// matrix is. It is a V-cycle, or where coefficients jump, which makes coarse grids less exact, a
// W-cycle.
//
// A coarse grid has every second node of an axis. Interpolation follows from the matrix, so that it
// knows edges, masks and coefficients that jump: the error at a node between coarse ones is that
// for which the row of the matrix, summed along the other axes, gives 0 (J. E. Dendy, Black box
// multigrid, J. Comput. Phys. 48, 366, 1982). The coarse matrix is that of Galerkin, P^T A P. An
// axis is made coarser where its coupling is at least a quarter of the strongest, which removes
// anisotropy (W. A. Mulder, A new multigrid approach to convection problems, J. Comput. Phys. 83,
// 303, 1989, calls it semicoarsening).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/solve/inner_nodes.hpp"
#include "kernels/solve/preconditioner.hpp"

namespace lapl {

class Multigrid : public Preconditioner {
 public:
  /// `matrix` needs a positive diagonal. If `is_singular`, it may be singular.
  Multigrid(StencilMatrix matrix, bool is_singular, int threads);

  const StencilMatrix& matrix() const override { return levels_.front().matrix; }

  const char* name() const override { return "multigrid"; }
  /// Bytes that it needs on a grid of this shape, for equations that reach along the axes.
  static double memory(Shape shape);

  /// One cycle from 0.
  void precondition(const std::vector<double>& r, std::vector<double>& z) override;

  static constexpr std::size_t sides = 8;  ///< sets of axes: 1 planes, 2 rows, 4 columns

  /// A node is between two coarse ones along some axes, its odd axes; its parents are the coarse
  /// nodes around it. Parent number m is the last one along the axes in m, the first along others.
  struct Level {
    explicit Level(StencilMatrix of);

    StencilMatrix matrix;
    std::vector<double> inverse;  // of the diagonal
    std::vector<double> x, b, r;
    std::array<bool, 3> halved{};                      // axes that the next level makes coarser
    std::vector<ChildTerm> children;                   // of an inner node of the next level
    std::array<std::vector<double>, sides> weights{};  // of parents, by number

    // True if a node of the next level needs no test of an edge (inner_nodes.hpp), and its place.
    bool is_inner(const std::array<std::int64_t, 3>& coarse) const;
    std::int64_t fine_place(const std::array<std::int64_t, 3>& coarse) const;
  };

  /// From the finest on; the inverse of the coarsest matrix, cell by cell; true for W-cycles.
  const std::vector<Level>& levels() const { return levels_; }
  const std::vector<double>& coarsest_inverse() const { return coarsest_inverse_; }
  bool jumps() const { return jumps_; }

 private:
  // Threads of small grids would wait for each other longer than they work.
  int threads_for(const PaddedGrid& grid) const { return grid.cells() < 16384 ? 1 : threads_; }
  void choose_axes(Level& level) const;
  void interpolate(Level& level) const;
  StencilMatrix coarse_matrix(Level& level) const;
  void invert_coarsest(bool is_singular);
  void smooth(Level& level, bool forwards) const;
  void restrict_to(const Level& fine, Level& coarse) const;
  void prolong(const Level& coarse, Level& fine) const;
  void cycle(std::size_t level, bool from_zero);

  std::vector<Level> levels_;
  std::vector<double> coarsest_inverse_;  // dense
  int threads_;
  bool jumps_ = false;  // the diagonal, by more than a factor of 10
};

}  // namespace lapl
