// A stage being built, and helpers for the expressions that time schemes share: dt * rate, an error
// relative to the tolerance, and so on.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kernels/problem.hpp"
#include "solver/equation/discretise.hpp"
#include "solver/equation/schemes.hpp"

namespace lapl {

struct StageInMaking {
  Stage stage;
  TreeWriter writer;
  std::optional<double> dt;  ///< none where it differs from step to step

  /// `time`, in steps, is that of the state that the stage reads; `time_step` is `dt`, in seconds.
  /// See TreeWriter for the others. Keeps references.
  StageInMaking(const FormulaNames& names, std::set<std::string>& used,
                TreeWriter::ArrayOf nested_array, std::optional<double> time_step, double time)
      : stage{.tree = {}, .targets = {}, .time = time},
        writer(names, stage.tree, used, std::move(nested_array)),
        dt(time_step) {}

  Term value(int array) { return TreeWriter::of(stage.tree.value(array, {})); }
  Term product(double factor, Term term, bool literal = true) {
    return writer.product(TreeWriter::scalar(factor, literal), term);
  }

  /// share * dt / divisor * rate
  Term change(Term rate, double share = 1, double divisor = 1) {
    if (dt) return product(share * (*dt / divisor), rate, false);
    const int factor =
        writer.as_node({share / divisor * rate.factor, false, stage.tree.time_step()});
    return rate.is_scalar()
               ? TreeWriter::of(factor)
               : TreeWriter::of(stage.tree.operate(Operation::product, factor, rate.node));
  }
  Term apply(Operation operation, Term a, Term b = TreeWriter::scalar(0)) {
    const int first = writer.as_node(a);
    return TreeWriter::of(stage.tree.operate(
        operation, first, table_row(operation).operands > 1 ? writer.as_node(b) : 0));
  }

  /// |error| / (absolute + relative max(|u|, |u'|))
  Term scaled_error(Term error, int before, int after, const Tolerance& may) {
    const auto size = [&](int array) { return apply(Operation::magnitude, value(array)); };
    const Term largest = apply(Operation::larger, size(before), size(after));
    const Term allowed =
        writer.sum(TreeWriter::scalar(may.absolute), product(may.relative, largest, false));
    // At least 2^-34, which steps do not tell from 0 (StepControl::accepts): GPUs divide 0 and
    // subnormal numbers some ten times as slowly, and most of a field may be at rest.
    return writer.quotient(
        larger_or_nan(apply(Operation::magnitude, error), product(0x1p-34, allowed, false)),
        allowed);
  }

  /// The larger of two terms that are not negative; NaN if one of them is NaN.
  Term larger_or_nan(Term a, Term b) {
    return writer.sum(apply(Operation::larger, a, b),
                      apply(Operation::product, TreeWriter::scalar(0), a));
  }
};

}  // namespace lapl
