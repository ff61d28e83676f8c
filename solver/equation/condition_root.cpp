#include "solver/equation/condition_root.hpp"

#include <limits>

namespace lapl {
namespace {

// Writes operations.
struct Operations {
  StageTree& tree;

  int number(double value) const { return tree.number(value); }
  int plus(int a, int b) const { return tree.operate(Operation::sum, a, b); }
  int minus(int a, int b) const { return tree.operate(Operation::difference, a, b); }
  int times(int a, int b) const { return tree.operate(Operation::product, a, b); }
  int divided(int a, int b) const { return tree.operate(Operation::quotient, a, b); }
  int size(int a) const { return tree.operate(Operation::magnitude, a); }
  int most(int a, int b) const { return tree.operate(Operation::larger, a, b); }
  int less(int a, int b) const { return tree.operate(Operation::is_less, a, b); }
  int at_most(int a, int b) const { return tree.operate(Operation::is_at_most, a, b); }
  // For conditions, each 0 or 1. (GCC does not vectorise loops with those of formulas.)
  int both(int a, int b) const { return times(a, b); }
  int either(int a, int b) const { return most(a, b); }
  int where(int condition, int a, int b) const {
    return tree.operate(Operation::choice, condition, a, b);
  }
  int have_other_signs(int a, int b) const { return less(times(a, b), number(0)); }
};

// Two steps are enough if each is far smaller than the one before, or rounding is all that is left.
int are_enough(const Operations& by, int start, const NewtonStep& first, int w,
               const NewtonStep& second) {
  const int last = by.size(by.minus(second.next, w)), all = by.size(by.minus(second.next, start));
  const int converge =
      by.both(by.at_most(by.times(by.number(32), last), all),
              by.at_most(by.times(by.number(16), by.size(second.change)), by.size(first.change)));
  return by.either(converge, by.at_most(last, by.times(by.number(0x1p-22), by.size(second.next))));
}

}  // namespace

int condition_root(StageTree& tree, int start, const std::function<NewtonStep(int w)>& at,
                   int steps) {
  const Operations by{tree};
  const int zero = by.number(0), half = by.number(0.5);
  NewtonStep before = at(start);
  // A step beyond 0 stops there: beyond it roots and quotients of amounts have no meaning.
  int w = by.where(by.have_other_signs(start, before.next), zero, before.next);
  NewtonStep here = at(w);
  const int of_two = here.next;
  if (steps <= 2) return of_two;
  const int enough = are_enough(by, start, before, w, here);
  int w_before = start;
  // Where c(w) - w has the other sign, and what it is there; 0 if there is no such place yet.
  int other = start, change_there = zero;
  for (int step = 1;; ++step) {
    const int passed = by.have_other_signs(before.change, here.change);
    other = by.where(passed, w_before, other);
    change_there = by.where(passed, before.change, change_there);
    const int is_finite = by.less(by.size(here.divisor), by.number(1e30));
    const int change = by.divided(here.change, by.where(is_finite, here.divisor, by.number(1)));
    const int next = by.plus(w, change);
    const int is_alone = tree.operate(Operation::is_equal, change_there, zero);
    const int size = by.size(here.change), size_there = by.size(change_there);
    const int last = by.size(by.minus(w, w_before));
    const int longest =
        by.most(by.times(half, last), by.times(by.number(0x1p-10), by.size(by.minus(w, start))));
    const int is_good = by.both(by.at_most(size, size_there),
                                by.both(by.at_most(zero, by.times(change, by.minus(other, next))),
                                        by.at_most(by.size(change), longest)));
    // Where c(w) - w is far larger here than there, the solution is nearer to there: by the fourth
    // root for w^4.
    const auto is_within = [&](double times) {
      return by.at_most(size, by.times(by.number(times), size_there));
    };
    const int part =
        by.where(is_within(64), half, by.where(is_within(1024), by.number(0.25), by.number(0.125)));
    const int divided =
        tree.operate(Operation::fused_multiply_add, by.minus(w, other), part, other);
    w_before = w;
    w = by.where(by.either(is_good, is_alone), next, divided);
    if (step + 1 == steps) break;
    before = here;
    here = at(w);
  }
  return by.where(enough, of_two, w);
}

int marked_if_unsolved(StageTree& tree, int start, int w, const NewtonStep& at_w) {
  const Operations by{tree};
  const int step = by.size(by.divided(at_w.change, at_w.divisor));
  const int rounding = by.times(by.number(0x1p-20), by.size(w));
  const int most = by.most(by.times(by.number(0.01), by.size(by.minus(w, start))), rounding);
  return by.where(by.at_most(step, most), w, by.number(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace lapl
