// Steps of etdrk2 and etdrk4, whose linear part is exact (kernels/spectral/exponential_modes.hpp).
// Another engine computes the rates on the grid; all is in float64 until the new state is rounded.
//
//   rates on the grid -> modes of the rates -> a stage for each mode -> change on the grid
//
// With a tolerance, the rates of the new state are computed for the error, and the next step begins
// with them. On several ranks, each stage fills the halo of its state, and values are moved to the
// ranks that have their lines (kernels/ranks/line_exchange.hpp).
//
// Bytes that a stage moves per cell beside its two transforms, for one field: 16 or more for the
// rates, 24 to 88 for the modes and 8 for the state that changes are added to.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/engine.hpp"
#include "kernels/ranks/halo.hpp"
#include "kernels/spectral/exponential_factors.hpp"
#include "kernels/spectral/exponential_modes.hpp"
#include "kernels/spectral/grid_transforms.hpp"

namespace lapl {

template <ModeStage stage, int size>
struct StageOfModes {
  ExponentialModes modes;

  LAPL_HOST_DEVICE void operator()(std::int64_t at) const { compute_mode<stage, size>(modes, at); }
};

/// Adds a change to the value before the step.
template <class T>
struct AddChange {
  const T* before;
  std::int64_t pitch;

  LAPL_HOST_DEVICE double operator()(std::int64_t row, std::int64_t column, double change) const {
    return static_cast<double>(before[row * pitch + column]) + change;
  }
};

/// The largest error in a cell of the fields so far, divided by the tolerance; NaN if one is NaN.
template <class T>
struct LargestError {
  const T* before;
  const T* after;
  const T* errors;  ///< this largest error of the fields before; null for the first
  std::int64_t pitch;
  double relative, absolute;

  LAPL_HOST_DEVICE double operator()(std::int64_t row, std::int64_t column, double error) const {
    const std::int64_t at = row * pitch + column;
    const auto scaled = static_cast<double>(static_cast<T>(
        ExponentialRates::scaled(error, static_cast<double>(before[at]),
                                 static_cast<double>(after[at]), relative, absolute)));
    if (errors == nullptr) return scaled;
    const auto others = static_cast<double>(errors[at]);
    return scaled <= others || others != others ? others : scaled;
  }
};

template <class T, class Machine>
class ExponentialEngine final : public Engine<T> {
 public:
  /// A step of `rates` replaces the fields of problem.exponential->rates by their rates.
  ExponentialEngine(const Problem<T>& problem, typename Machine::Where where,
                    std::unique_ptr<Engine<double>> rates)
      : by_(problem.exponential),
        on_(problem, where),
        rates_(std::move(rates)),
        shape_(problem.shape),
        rows_(shape_.planes * shape_.rows),
        fields_(problem.state_fields()),
        modes_(on_.exchange().modes()),
        pitch_(on_.template pitch<T>()),
        wide_pitch_(on_.template pitch<double>()),
        first_row_(problem.part ? problem.part->in_block(0) / shape_.columns : 0),
        measures_error_(problem.measures_error),
        names_time_(names_time(by_->rates)),
        clock_(problem.clock) {
    if (problem.by && problem.by->depth > 0) halo_ = on_.make_halo(problem);
    for (const ExponentialRates::Group& group : by_->groups) groups_.emplace_back(group, *this);
    const std::int64_t values = fields_ * modes_, on_grid = fields_ * rows_ * wide_pitch_;
    on_.require(5 * values + 2 * on_grid);
    for (Buffer* of : {&known_[0].modes, &known_[1].modes, &made_, &change_, &kept_})
      *of = on_.allocate(values);
    for (Buffer* of : {&state_, &rates_on_grid_}) *of = on_.allocate(on_grid);
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) override {
    for (std::int64_t step = first_step; step < first_step + steps; ++step) {
      compute_step(buffers, step);
      buffers.swap();
    }
    if (has_global_operations(by_->rates)) by_->rates.ranks->any(false);
  }
  void set_clock(const StepTimes& clock) override { clock_ = clock; }
  void forget_state() override {
    for (Rates& of : known_) of.state = nullptr;
  }
  void settle() override { rates_->settle(); }
  int threads() const override { return on_.threads(); }
  std::string how() override { return how_modes_step; }
  std::string setback() override { return rates_->setback(); }

 private:
  using Buffer = typename Machine::Buffer;

  struct Group {
    Group(const ExponentialRates::Group& group, ExponentialEngine& in)
        : of(&group),
          transforms(in.on_.transforms(group.faces)),
          factors(group, in.by_->order, in.on_.exchange().grid(), in.on_.exchange().lines()) {
      in.on_.require(factors.values());
      coefficients = in.on_.allocate(factors.values());
    }

    const ExponentialRates::Group* of;
    typename Machine::Transforms transforms;
    ExponentialFactors factors;
    Buffer coefficients;
  };
  // The modes of the rates of `state` at `time`. `state` is null if they may not be used again.
  struct Rates {
    const T* state = nullptr;
    double time = 0;
    Buffer modes;
  };

  struct Step {
    const T* before;
    T* after;
    std::int64_t number;
    Rates &first, &last;  // of the states before and after
  };

  void compute_step(const DoubleBuffer<T>& buffers, std::int64_t step) {
    if (factors_for_ != clock_.step) {
      for (Group& group : groups_)
        on_.fill(group.coefficients,
                 [&](double* to) { group.factors.compute(clock_.step, to, on_.threads()); });
      factors_for_ = clock_.step;
    }
    const double time = clock_.time(step);
    const auto is_known = [&](const Rates& of) {
      return of.state == buffers.current && (of.time == time || !names_time_);
    };
    Rates& first = is_known(known_[1]) ? known_[1] : known_[0];
    Rates& last = &first == &known_[0] ? known_[1] : known_[0];
    if (!is_known(first)) {
      find_rates(buffers.current, time, first.modes.data());
      first.state = measures_error_ ? buffers.current : nullptr;
      first.time = time;
    }
    last.state = nullptr;
    run_stages({buffers.current, buffers.next, step, first, last});
  }

  void run_stages(const Step& step) {
    run<ModeStage::first>(step);
    if (by_->order == 4) {
      evaluate_at(step, 0.5);
      run<ModeStage::second>(step);
      evaluate_at(step, 0.5);
      run<ModeStage::third>(step);
    }
    evaluate_at(step, 1);
    run<ModeStage::last>(step);
    add_change(step.before, step.after, pitch_);
    if (!measures_error_) return;
    step.last.time = clock_.time(step.number, 1);
    find_rates(step.after, step.last.time, step.last.modes.data());
    step.last.state = step.after;
    run<ModeStage::error>(step);
    store_errors(step, false);
    if (!names_time_) return;
    const TimeGap gap = time_gap(by_->order, clock_.step);
    for (int i = 0; i < gap.nodes; ++i) {
      find_rates(step.after, clock_.time(step.number, gap.parts[i]), made_.data());
      i + 1 < gap.nodes ? run<ModeStage::gap>(step, gap.shares[i], i > 0)
                        : run<ModeStage::gap_error>(step, gap.shares[i], i > 0);
    }
    store_errors(step, true);
  }

  // Runs a stage for all modes. `share` and `adds`, as in ExponentialModes, are those of a TimeGap.
  template <ModeStage stage>
  void run(const Step& step, double share = 0, bool adds = false) {
    for (Group& group : groups_) {
      ExponentialModes modes;
      modes.order = by_->order;
      modes.count = group.of->size();
      std::ranges::copy(group.of->fields, modes.fields);
      modes.cells = modes_;
      modes.scale = group.transforms.scale();
      modes.coefficients = group.coefficients.data();
      modes.first = step.first.modes.data();
      modes.after = step.last.modes.data();
      modes.rates = stage == ModeStage::error ? modes.after : made_.data();
      modes.share = share;
      modes.adds = adds;
      modes.made = made_.data();
      modes.change = change_.data();
      modes.kept = kept_.data();
      modes.count == 1 ? on_.for_each(modes_, StageOfModes<stage, 1>{modes})
                       : on_.for_each(modes_, StageOfModes<stage, 0>{modes});
    }
  }

  // Makes the state of a stage by adding the change, and the modes of its rates after `part` of dt.
  void evaluate_at(const Step& step, double part) {
    add_change(step.before, state_.data(), wide_pitch_);
    find_rates(state_.data(), clock_.time(step.number, part), made_.data());
  }

  // Makes the modes of the rates of a state at `time`.
  template <class From>
  void find_rates(From* state, double time, double* modes) {
    double* from = state_.data();
    if constexpr (std::is_same_v<From, double>)
      from = state;
    else
      on_.widen(state, from);
    Ranks& ranks = *by_->rates.ranks;
    if (halo_) halo_->fill(ranks, Block<double>{shape_, wide_pitch_, from, on_.stream()});
    StepTimes clock;
    clock.step = clock_.step;
    clock.start = time;
    rates_->set_clock(clock);
    DoubleBuffer<double> buffers{from, rates_on_grid_.data()};
    // Ranks without cells wait for this call before they take part in the reductions.
    if (has_global_operations(by_->rates)) ranks.any(true);
    rates_->advance(buffers, 0, 1);
    for (Group& group : groups_)
      for (const int field : group.of->fields)
        group.transforms.forward(buffers.current + own(field, wide_pitch_), wide_pitch_,
                                 modes + field * modes_);
  }

  // Where the own cells of a field begin in an array with `pitch` values from row to row.
  std::int64_t own(std::int64_t field, std::int64_t pitch) const {
    return (field * rows_ + first_row_) * pitch;
  }

  // Adds the change, whose modes are in made_, to a state.
  template <class To>
  void add_change(const T* before, To* after, std::int64_t pitch) {
    for (Group& group : groups_)
      for (const int field : group.of->fields)
        group.transforms.backward(made_.data() + field * modes_, after + own(field, pitch), pitch,
                                  AddChange<T>{before + own(field, pitch_), pitch_});
  }

  // Stores the error whose modes are in made_, as Problem::measures_error has it: in each cell the
  // largest of the fields, divided by the tolerance. If it `adds`, the errors stored before count,
  // too.
  void store_errors(const Step& step, bool adds) {
    T* const errors = step.after + own(fields_, pitch_);
    bool is_first = !adds;
    for (Group& group : groups_)
      for (const int field : group.of->fields) {
        const std::int64_t start = own(field, pitch_);
        const LargestError<T> largest{
            step.before + start, step.after + start, is_first ? nullptr : errors, pitch_,
            by_->relative,       by_->absolute};
        group.transforms.backward(made_.data() + field * modes_, errors, pitch_, largest);
        is_first = false;
      }
  }

  std::shared_ptr<const ExponentialRates> by_;
  Machine on_;
  std::unique_ptr<Engine<double>> rates_;
  Shape shape_;                         // of the block
  std::int64_t rows_, fields_, modes_;  // rows of the block, modes of a field
  std::int64_t pitch_, wide_pitch_;     // from row to row of the state, and of float64 arrays
  std::int64_t first_row_;              // of the own cells
  bool measures_error_, names_time_;
  StepTimes clock_;
  std::unique_ptr<Halo<double>> halo_;  // null where no axis is cut
  std::deque<Group> groups_;
  std::optional<double> factors_for_;  // the size of steps that the coefficients are for
  std::array<Rates, 2> known_;
  Buffer state_, rates_on_grid_;  // the state of a stage, and its rates
  Buffer made_, change_, kept_;   // modes
};

}  // namespace lapl
