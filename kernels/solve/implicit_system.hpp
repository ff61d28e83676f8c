// The equations of an implicit step: new values w of all fields that equal given ones g plus a part
// of a step along the rates at w,
//
//   w = g + change f(w, t),
//
// and for a field without a rate, and in a steady state, f(w, t) = 0. They are solved by Newton's
// method. The derivatives of the rates at the beginning of a step, conditions at sides included,
// follow from their values (assembly.hpp); they are found again where they no longer lead on. Each
// linear system is solved by GMRES; its preconditioner is one of each field (preconditioner.hpp),
// in their order (block Gauss and Seidel). Bits are as of a GridSystem.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/evaluation.hpp"
#include "kernels/problem.hpp"
#include "kernels/solve/grid_equations.hpp"
#include "kernels/solve/krylov.hpp"
#include "kernels/solve/preconditioner.hpp"

namespace lapl {

struct ImplicitRules {
  std::vector<std::string> fields;  ///< names, for messages
  std::vector<bool> has_rate;       ///< false: its "rate" is 0 at the solution
  bool is_linear = false;  ///< the rates, with factors that do not depend on time or the state
  double tolerance =
      0;  ///< estimated error of the solution, relative to each field's largest value
  std::vector<bool> removes_mean = {};    ///< of the right side of a field without a rate
  std::vector<SolveMethod> methods = {};  ///< of each field; transforms only where they can
  bool rejects = false;  ///< true: where no solution is found, the fields become NaN
  /// fields of the state that the equations determine together; empty: all of it
  std::vector<int> unknowns = {};
  std::string key = "time.scheme";  ///< that messages begin with
  int most_iterations = 200;        ///< of GMRES for a linear system
};

class ImplicitSystem : public GridEquations {
 public:
  /// `rates` computes the rates of all fields from a state, reading fields within one cell. If
  /// `threads` is 0, useful_threads.
  ImplicitSystem(const Problem<double>& rates, ImplicitRules rules, int threads = 0);

  /// On entry `state` has g, which is the first guess, too. If `at.filters`, it has errors e and
  /// becomes (1 - change f')^-1 e, with the derivatives of the last solve.
  void solve(std::vector<double>& state, const SolveMoment& at) override;

  // The iterations call these (kernels/solve/krylov.hpp).
  void multiply(FieldArrays& x, FieldArrays& product) const;
  void precondition(const FieldArrays& r, FieldArrays& z) const;
  double dot(const FieldArrays& a, const FieldArrays& b) const;

  /// Bytes that a system needs for this many fields of this shape.
  static double memory(Shape shape, int fields);

 private:
  using Values = std::vector<double>;
  static constexpr double smallest_scale = 1e-100;  // of values, so that norms are finite

  std::size_t fields() const { return rules_.fields.size(); }
  void find_rates(const Values& state, double time, Values& made);
  void copy_from_whole(const Values& whole, Values& own) const;
  void copy_to_whole(const Values& own, Values& whole) const;
  void solve_own(Values& state, const SolveMoment& at);
  void differentiate(Values state, double time);
  void build(double change);
  void separate_given(double change);
  FieldArrays padded(const Values& state) const;
  FieldArrays wrapped(const Values& state) const;
  void copy_cells(const FieldArrays& arrays, Values& state) const;
  FieldArrays lacking(const Values& state, const Values& given, const SolveMoment& at);
  FieldArrays solved(const FieldArrays& right);
  Values term_sizes(std::size_t field, const FieldArrays& values, const Values& given) const;
  bool leaves_little(const FieldArrays& step, const FieldArrays& values, const FieldArrays& given);
  void require_unique(const Values& state, double time);
  [[noreturn]] void fail(const Values& state, const SolveMoment& at);
  void require_no_sums(Values state, double time);
  Values without_equation(std::size_t field, const std::vector<StencilMatrix>& matrices) const;
  void find_free(Values& state, const Values& at_base,
                 const std::function<std::span<const double>()>& evaluate);
  void remove_mean(Values& of, std::size_t field) const;
  bool newton(Values& state, const Values& given, const SolveMoment& at);
  bool relax(Values& state, const Values& given, SolveMoment at);
  struct Change {
    double size = 0;
    std::size_t field = 0;
    std::int64_t place = 0;
  };
  Change significant_change(const FieldArrays& step, const FieldArrays& values,
                            const FieldArrays& given, const FieldArrays& lacking) const;
  bool is_rounding(std::size_t field, const FieldArrays& values, const FieldArrays& given,
                   const FieldArrays& lacking) const;

  Shape shape_;
  int threads_;
  bool reads_along_axes_;
  ImplicitRules rules_;
  Evaluation<double> rates_;
  Values whole_, all_rates_;  // the state with all fields, where only some are unknown
  PaddedGrid grid_;
  std::vector<StencilMatrix>
      derivatives_;                    // of rate i by field j at j * fields + i; empty: unknown
  std::vector<StencilMatrix> matrix_;  // of the equations, in the same order
  std::vector<std::unique_ptr<Preconditioner>> preconditioners_;  // of the fields
  std::vector<double> weights_;           // of the equations of each field in norms
  std::vector<double> signs_;             // of the equations of each field, for a positive diagonal
  std::vector<double> largest_diagonal_;  // by field
  // For fields without a rate that the equations determine up to a constant: 1 in the cells that
  // have an equation, and elsewhere 0. Empty for other fields.
  std::vector<Values> free_;
  std::vector<bool> has_singular_block_;
  std::optional<double> change_;  // of matrix_
  bool hides_little_ = false;     // rounding, by this matrix, was once seen to leave little
  std::string reason_;            // why Newton's method gave up, if not after all iterations
  Change last_change_;            // the last step of Newton's method
  double linear_residual_ = 0;    // residual of the last linear system, relative to its right side
};

}  // namespace lapl
