// Steps of etdrk2 and etdrk4, whose linear part is exact (kernels/spectral/exponential_modes.hpp).
// Another engine computes the rates on the grid; all is in float64 until the new state is rounded.
//
//   rates on the grid -> modes of the rates -> a stage for each mode -> change on the grid
//
// With a tolerance, the rates of the new state are those that the next step begins with. On several
// ranks, each stage fills the halo of its state, and lines go to their ranks
// (kernels/spectral/line_exchange.hpp).
//
// Bytes that a stage moves per cell beside its two transforms, for one field: 16 or more for the
// rates, 24 to 88 for the modes and 8 for the state that changes are added to.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <type_traits>

#include "kernels/ranks/halo.hpp"
#include "kernels/spectral/exponential_factors.hpp"
#include "kernels/spectral/exponential_modes.hpp"
#include "kernels/spectral/grid_transforms.hpp"
#include "kernels/spectral/mode_stepper.hpp"

namespace lapl {

template <ModeStage stage, int size>
struct StageOfModes {
  ExponentialModes modes;

  LAPL_HOST_DEVICE void operator()(std::int64_t at) const { take_mode<stage, size>(modes, at); }
};

/// Adds a change to the value before.
template <class T>
struct AddChange {
  const T* before;
  std::int64_t pitch;

  LAPL_HOST_DEVICE double operator()(std::int64_t row, std::int64_t column, double change) const {
    return static_cast<double>(before[row * pitch + column]) + change;
  }
};

/// The largest error of the fields so far, beside what it may be; NaN if one is.
template <class T>
struct LargestError {
  const T* before;
  const T* after;
  const T* errors;  ///< of the fields before; null for the first
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
class ExponentialStepper final : public ModeStepper<T> {
 public:
  /// Keeps a reference to `on`.
  ExponentialStepper(const Problem<T>& problem, Machine& on)
      : by_(problem.exponential),
        on_(on),
        rows_(problem.shape.planes * problem.shape.rows),
        fields_(problem.state_fields()),
        modes_(on.exchange().modes()),
        pitch_(on.template pitch<T>()),
        wide_pitch_(on.template pitch<double>()),
        first_(first_own(problem, pitch_)),
        wide_first_(first_own(problem, wide_pitch_)),
        measures_error_(problem.measures_error),
        names_time_(names_time(by_->rates)),
        clock_(problem.clock),
        halo_(on.make_halo(problem)) {
    for (const ExponentialRates::Group& group : by_->groups) groups_.emplace_back(group, *this);
    const std::int64_t values = fields_ * modes_, on_grid = fields_ * rows_ * wide_pitch_;
    on.require(5 * values + 2 * on_grid);
    for (Buffer* of : {&known_[0].modes, &known_[1].modes, &made_, &change_, &kept_})
      *of = on.allocate(values);
    for (Buffer* of : {&state_, &rates_on_grid_}) *of = on.allocate(on_grid);
  }

  void advance(DoubleBuffer<T>& buffers, std::int64_t first_step, std::int64_t steps) override {
    for (std::int64_t step = first_step; step < first_step + steps; ++step) {
      take_step(buffers, step);
      buffers.swap();
    }
    if (has_reductions(by_->rates)) by_->rates.ranks->any(false);
  }
  void set_clock(const StepTimes& clock) override { clock_ = clock; }
  void forget_state() override {
    for (Rates& of : known_) of.state = nullptr;
  }

 private:
  using Buffer = typename Machine::Buffer;

  struct Group {
    Group(const ExponentialRates::Group& group, ExponentialStepper& in)
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
  // The modes of the rates of a state, which is not changed while they are kept.
  struct Rates {
    const T* state = nullptr;
    double time = 0;
    Buffer modes;
  };

  // The functions that take_exponential_step calls.
  struct Step {
    ExponentialStepper& in;
    const T* before;
    T* after;
    std::int64_t step;
    Rates &first, &last;  // of the states before and after

    template <ModeStage stage>
    void take() {
      for (Group& group : in.groups_) {
        ExponentialModes modes = in.modes_of(group);
        modes.first = first.modes.data();
        if (stage == ModeStage::error) modes.rates = last.modes.data();
        in.take_all<stage>(modes);
      }
      if (stage == ModeStage::error) in.store_errors(before, after, false);
    }
    template <ModeStage stage>
    void take_gap(double share, bool adds) {
      for (Group& group : in.groups_) {
        ExponentialModes modes = in.modes_of(group);
        modes.after = last.modes.data();
        modes.share = share;
        modes.adds = adds;
        in.take_all<stage>(modes);
      }
      if (stage == ModeStage::gap_error) in.store_errors(before, after, true);
    }
    void evaluate(double part) {
      in.add_change(before, in.state_.data() + in.wide_first_, in.wide_pitch_);
      in.find_rates(in.state_.data(), in.clock_.time(step, part), in.made_.data());
    }
    void finish() { in.add_change(before, after + in.first_, in.pitch_); }
    void measure() {
      last.time = in.clock_.time(step, 1);
      in.find_rates(after, last.time, last.modes.data());
      last.state = after;
    }
    void measure_at(double part) {
      in.find_rates(after, in.clock_.time(step, part), in.made_.data());
    }
  };

  void take_step(const DoubleBuffer<T>& buffers, std::int64_t step) {
    if (factors_for_ != clock_.step) {
      for (Group& group : groups_)
        on_.fill(group.coefficients,
                 [&](double* to, int threads) { group.factors.compute(clock_.step, to, threads); });
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
    Step taken{*this, buffers.current, buffers.next, step, first, last};
    take_exponential_step(taken, by_->order, measures_error_, names_time_, clock_.step);
  }

  ExponentialModes modes_of(Group& group) {
    ExponentialModes modes;
    modes.order = by_->order;
    modes.count = group.of->size();
    std::ranges::copy(group.of->fields, modes.fields);
    modes.cells = modes_;
    modes.scale = group.transforms.scale();
    modes.coefficients = group.coefficients.data();
    modes.rates = modes.made = made_.data();
    modes.change = change_.data();
    modes.kept = kept_.data();
    return modes;
  }

  template <ModeStage stage>
  void take_all(const ExponentialModes& modes) {
    modes.count == 1 ? on_.for_each(modes_, StageOfModes<stage, 1>{modes})
                     : on_.for_each(modes_, StageOfModes<stage, 0>{modes});
  }

  // Makes the modes of the rates of a state.
  template <class From>
  void find_rates(From* state, double time, double* modes) {
    double* from = state_.data();
    if constexpr (std::is_same_v<From, double>)
      from = state;
    else
      on_.widen(state, from);
    if (halo_) on_.fill_halo(*halo_, from);
    // Ranks without cells wait for this.
    if (has_reductions(by_->rates)) by_->rates.ranks->any(true);
    StepTimes clock;
    clock.step = clock_.step;
    clock.start = time;
    DoubleBuffer<double> buffers{from, rates_on_grid_.data()};
    on_.evaluate(buffers, clock);
    for (Group& group : groups_)
      for (const int field : group.of->fields)
        group.transforms.forward(buffers.current + field * rows_ * wide_pitch_ + wide_first_,
                                 wide_pitch_, modes + field * modes_);
  }

  // The own cells of a field.
  template <class Value>
  Value* own(Value* state, std::int64_t field) const {
    return state + field * rows_ * pitch_ + first_;
  }

  // Adds the change in made_ to a state; `after` is the first own cell of the result.
  template <class To>
  void add_change(const T* before, To* after, std::int64_t pitch) {
    for (Group& group : groups_)
      for (const int field : group.of->fields)
        group.transforms.backward(made_.data() + field * modes_, after + field * rows_ * pitch,
                                  pitch, AddChange<T>{own(before, field), pitch_});
  }

  // The error in made_ as Problem::measures_error has it; the larger of it and of what is stored if
  // it `adds` to that.
  void store_errors(const T* before, T* after, bool adds) {
    T* const errors = own(after, fields_);
    bool is_first = !adds;
    for (Group& group : groups_)
      for (const int field : group.of->fields) {
        const LargestError<T> largest{own<const T>(before, field),
                                      own<const T>(after, field),
                                      is_first ? nullptr : errors,
                                      pitch_,
                                      by_->relative,
                                      by_->absolute};
        group.transforms.backward(made_.data() + field * modes_, errors, pitch_, largest);
        is_first = false;
      }
  }

  std::shared_ptr<const ExponentialRates> by_;
  Machine& on_;
  std::int64_t rows_, fields_, modes_;  // of the block; modes of a field
  std::int64_t pitch_, wide_pitch_;     // of the state, and as float64
  std::int64_t first_, wide_first_;     // where own cells begin
  bool measures_error_, names_time_;
  StepTimes clock_;
  std::unique_ptr<Halo<double>> halo_;  // null where no axis is cut
  std::deque<Group> groups_;
  std::optional<double> factors_for_;  // the size of steps that the coefficients are for
  std::array<Rates, 2> known_;
  Buffer state_, rates_on_grid_;  // of a stage
  Buffer made_, change_, kept_;   // modes
};

}  // namespace lapl
