// Linear equations over the grid: the values of an unknown for which a formula that is linear in it
// equals another one, in every cell. A GridSystem stores the matrix, which follows from the
// formula's values (assembly.cpp), and solves by conjugate gradients, or where the matrix is not
// symmetric by BiCGSTAB (krylov.hpp), with a preconditioner (preconditioner.hpp). All is computed
// in float64, in an order that depends neither on the number of threads nor on ranks or devices.
// Transforms, which FFTW computes, have other bits on other kinds of processors.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/evaluation.hpp"
#include "kernels/problem.hpp"
#include "kernels/solve/grid_equations.hpp"
#include "kernels/solve/krylov.hpp"
#include "kernels/solve/preconditioner.hpp"

namespace lapl {

struct SolveRules {
  std::string unknown;        ///< its name, for messages
  double tolerance = 1e-10;   ///< largest residual, relative to the right side (2-norms)
  int most_iterations = 200;  ///< with more, the solve fails
  bool removes_mean = false;  ///< of the right side, where only that makes the equations solvable
  /// a sum of the right side that counts as 0, relative to the sum of magnitudes
  double rounding = 1e-9;
  SolveMethod method = SolveMethod::automatic;
};

class GridSystem : public GridEquations {
 public:
  /// `left` and `right` compute one array each from the fields of a state. `left` reads field
  /// `unknown` of it within one cell. If `threads` is 0, useful_threads.
  GridSystem(const Problem<double>& left, const Problem<double>& right, int unknown,
             SolveRules rules, int threads = 0);

  /// `state` has all fields of the whole grid, one after the other, at a time (s). The values of
  /// the unknown are the first guess; the solution replaces them, but in cells
  /// whose equation is 0 = 0: outside a mask and at nodes that conditions hold. Throws
  /// NumericalError where the equations have no solution or it is not found, ConfigError where the
  /// left side is not linear.
  void solve(std::vector<double>& state, const SolveMoment& at) override;

  // The iterations call these (kernels/solve/krylov.hpp).
  void multiply(std::vector<double>& x, std::vector<double>& product) const;
  void precondition(const std::vector<double>& r, std::vector<double>& z) const {
    preconditioner_->precondition(r, z);
  }
  double dot(const std::vector<double>& a, const std::vector<double>& b) const {
    return lapl::dot(grid_, a, b, threads_);
  }
  void residual(std::vector<double>& x, const std::vector<double>& f,
                std::vector<double>& out) const;
  double size(const std::vector<double>& x) const;
  LinearGoal goal(double norm) const {
    return {rules_.tolerance, norm, rules_.most_iterations, threads_, is_symmetric_};
  }

  // For devices, which do the same (kernels/cuda/solve/device_solve.hpp).
  const Problem<double>& left() const { return left_problem_; }
  const Problem<double>& right() const { return right_problem_; }
  int unknown() const { return unknown_; }
  const SolveRules& rules() const { return rules_; }
  bool needs_matrix() const { return varies_ || !preconditioner_; }
  bool constant_varies() const { return constant_varies_ && !varies_; }
  /// Makes the matrix for a state and a time (s).
  void find_matrix(const std::vector<double>& state, double time);
  int matrices() const { return matrices_; }  ///< made so far
  bool is_finite() const { return is_finite_; }
  const Preconditioner* preconditioner() const { return preconditioner_.get(); }
  const std::vector<double>& weights() const { return weights_; }
  const std::vector<double>& constant() const { return constant_; }
  /// An entry, by the places of its equation and of the value, which is given.
  struct GivenEntry {
    std::int64_t row, column;
    double entry;
  };
  const std::vector<GivenEntry>& given() const { return given_; }
  /// Connected cells in which the equations determine the unknown up to a constant.
  struct Region {
    std::vector<std::int64_t> places;  ///< empty: all cells
    double size = 0;                   ///< sum of the magnitudes of weights
  };
  const std::vector<Region>& regions() const { return regions_; }
  /// The report of a solve that begins.
  SolveReport& new_report() {
    begin_report();
    return report_;
  }

  /// Bytes that a system needs for this many fields of this shape, for equations that reach along
  /// the axes.
  static double memory(Shape shape, int fields);

 private:
  using Values = std::vector<double>;

  void find_constant(Values state, double time);
  void assemble(const Values& state, double time);
  void check_linear(Values state, double time);
  void prepare();
  bool weigh(double most_ratio);
  std::string cell_text(std::int64_t row, std::int64_t column) const;
  bool is_connected() const;
  void find_regions(const Values& is_balanced);
  void remove_means(Values& of, bool weighted) const;
  void require_balance(const Values& f, double time) const;
  void check_solution(const Values& state, double time, Values& right, double norm);
  [[noreturn]] void fail(double time, double residual) const;

  Shape shape_;
  int unknown_, threads_;
  SolveRules rules_;
  bool varies_;           // the matrix, with the state or the time
  bool constant_varies_;  // with the time
  bool reads_along_axes_;
  int matrices_ = 0;
  Problem<double> left_problem_, right_problem_;
  Evaluation<double> left_, right_;
  PaddedGrid grid_;
  Values constant_;                   // the left side where the unknown is 0
  std::optional<StencilMatrix> raw_;  // as assembled, until it is prepared
  std::unique_ptr<Preconditioner> preconditioner_;
  std::vector<GivenEntry> given_;
  // The equations are multiplied by these: 0 in cells that the left side does not read, else the
  // sign that makes the diagonal positive, times what makes the matrix symmetric.
  Values weights_;
  bool is_symmetric_ = true, is_finite_ = true;
  template <class Term>
  double sum_over(const Region& region, const Term& term) const;
  std::vector<Region> regions_;
};

}  // namespace lapl
