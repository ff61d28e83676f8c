// Engine "spectral" with etdrk2 and etdrk4: steps whose linear part is exact
// (kernels/spectral/exponential_modes.hpp). Another engine computes the rates on the grid; all is
// in float64 until the new state is rounded.
//
//   rates on the grid -> modes of the rates -> a stage for each mode -> change on the grid
//
// With a tolerance, the rates of the new state are those that the next step begins with. On several
// ranks, each stage fills the halo of its state, and lines go to their ranks
// (kernels/cpu/line_exchange.hpp).
#include <optional>

#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/mode_transforms.hpp"
#include "kernels/ranks/halo.hpp"
#include "kernels/spectral/exponential_factors.hpp"
#include "kernels/spectral/exponential_modes.hpp"

namespace lapl {
namespace {

template <class T>
class ExponentialEngine final : public CpuEngine<T> {
 public:
  ExponentialEngine(const Problem<T>& problem, int threads,
                    std::unique_ptr<CpuEngine<double>> rates)
      : by_(problem.exponential),
        shape_(problem.shape),
        cells_(shape_.cells()),
        values_(problem.state_fields() * cells_),
        first_(problem.part ? problem.part->in_block(0) : 0),
        measures_error_(problem.measures_error),
        names_time_(names_time(by_->rates)),
        clock_(problem.clock),
        threads_(threads),
        rates_(std::move(rates)),
        exchange_(problem, threads),
        modes_(exchange_.modes()) {
    if (problem.by && problem.by->depth > 0)
      halo_ = make_host_halo<double>(*problem.by, problem.ranks->rank(), problem.state_fields());
    for (const ExponentialRates::Group& group : by_->groups) {
      ModeTransforms transforms(group.faces, exchange_, threads);
      ExponentialFactors factors(group, by_->order, exchange_.grid(), exchange_.lines());
      HostBuffer<double> coefficients(factors.values(), threads);
      groups_.push_back(
          {&group, std::move(transforms), std::move(factors), std::move(coefficients)});
    }
    const auto make = [&](std::int64_t cells, auto... buffers) {
      ((*buffers = HostBuffer<double>(problem.state_fields() * cells, threads)), ...);
    };
    make(cells_, &state_, &rates_on_grid_);
    make(modes_, &known_[0].modes, &known_[1].modes, &made_, &change_, &kept_);
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
  void settle() override { rates_->settle(); }
  int threads() const override { return threads_; }
  std::string how() override { return "its digests are not those of engines that step"; }
  std::string setback() override { return rates_->setback(); }

 private:
  struct Group {
    const ExponentialRates::Group* of;
    ModeTransforms transforms;
    ExponentialFactors factors;
    HostBuffer<double> coefficients;
  };
  // The modes of the rates of a state, which is not changed while they are kept.
  struct Rates {
    const T* state = nullptr;
    double time = 0;
    HostBuffer<double> modes;
  };

  // The functions that take_exponential_step calls.
  struct Step {
    ExponentialEngine& in;
    const T* before;
    T* after;
    std::int64_t step;
    Rates &first, &last;  // of the states before and after

    template <ModeStage stage>
    void take() {
      for (Group& group : in.groups_) {
        ExponentialModes modes = in.modes_of(group, first.modes.data());
        if (stage == ModeStage::error) modes.rates = last.modes.data();
        group.of->size() == 1 ? in.take_all<stage, 1>(modes) : in.take_all<stage, 0>(modes);
        if (stage == ModeStage::error) in.store_error(group, before, after, false);
      }
    }
    template <ModeStage stage>
    void take_gap(double share, bool adds) {
      for (Group& group : in.groups_) {
        ExponentialModes modes = in.modes_of(group, nullptr);
        modes.after = last.modes.data();
        modes.share = share;
        modes.adds = adds;
        group.of->size() == 1 ? in.take_all<stage, 1>(modes) : in.take_all<stage, 0>(modes);
        if (stage == ModeStage::gap_error) in.store_error(group, before, after, true);
      }
    }
    void evaluate(double part) {
      in.add_change(before, in.state_.data());
      in.find_rates(in.state_.data(), in.clock_.time(step, part), in.made_);
    }
    void finish() { in.add_change(before, after); }
    void measure() {
      last.state = nullptr;
      last.time = in.clock_.time(step, 1);
      in.find_rates(after, last.time, last.modes);
      last.state = after;
    }
    void measure_at(double part) { in.find_rates(after, in.clock_.time(step, part), in.made_); }
  };

  void take_step(const DoubleBuffer<T>& buffers, std::int64_t step) {
    if (factors_for_ != clock_.step) {
      for (Group& group : groups_)
        group.factors.compute(clock_.step, group.coefficients.data(), threads_);
      factors_for_ = clock_.step;
    }
    const double time = clock_.time(step);
    const auto is_known = [&](const Rates& of) {
      return of.state == buffers.current && (of.time == time || !names_time_);
    };
    Rates& first = is_known(known_[1]) ? known_[1] : known_[0];
    Rates& last = &first == &known_[0] ? known_[1] : known_[0];
    if (!is_known(first)) {
      find_rates(buffers.current, time, first.modes);
      first.state = measures_error_ ? buffers.current : nullptr;
      first.time = time;
    }
    last.state = nullptr;
    Step taken{*this, buffers.current, buffers.next, step, first, last};
    take_exponential_step(taken, by_->order, measures_error_, names_time_, clock_.step);
  }

  ExponentialModes modes_of(Group& group, const double* first) {
    ExponentialModes modes{.order = by_->order, .count = group.of->size()};
    std::ranges::copy(group.of->fields, modes.fields);
    modes.cells = modes_;
    modes.scale = group.transforms.scale();
    modes.coefficients = group.coefficients.data();
    modes.first = first;
    modes.rates = modes.made = made_.data();
    modes.change = change_.data();
    modes.kept = kept_.data();
    return modes;
  }

  template <ModeStage stage, int size>
  void take_all(const ExponentialModes& modes) {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t at = 0; at < modes_; ++at) take_mode<stage, size>(modes, at);
  }

  // Makes the modes of the rates of a state.
  template <class From>
  void find_rates(const From* state, double time, HostBuffer<double>& modes) {
    double* from = state_.data();
    if constexpr (std::is_same_v<From, double>) {
      // The engine reads these values alone, as it takes one step; only the halo is filled.
      from = const_cast<double*>(state);
    } else {
#pragma omp parallel for num_threads(threads_) schedule(static)
      for (std::int64_t i = 0; i < values_; ++i) state_.data()[i] = static_cast<double>(state[i]);
    }
    Ranks& ranks = *by_->rates.ranks;
    if (halo_) halo_->fill(ranks, Block<double>{shape_, shape_.columns, from});
    rates_->set_clock({.step = clock_.step, .start = time, .start_step = 0});
    DoubleBuffer<double> buffers{from, rates_on_grid_.data()};
    // Ranks without cells wait for this.
    if (has_reductions(by_->rates)) ranks.any(true);
    rates_->advance(buffers, 0, 1);
    for (Group& group : groups_)
      for (const int field : group.of->fields)
        group.transforms.forward(buffers.current + field * cells_ + first_,
                                 modes.data() + field * modes_);
  }

  // Adds the change in made_ to a state.
  template <class To>
  void add_change(const T* before, To* after) {
    for (Group& group : groups_)
      for (const int field : group.of->fields) {
        const T* const from = before + field * cells_ + first_;
        To* const to = after + field * cells_ + first_;
        group.transforms.backward(
            made_.data() + field * modes_, [from, to](std::int64_t at, double change) {
              to[at] = static_cast<To>(static_cast<double>(from[at]) + change);
            });
      }
  }

  // The error in made_ as Problem::measures_error has it: the largest of the fields, and of what is
  // stored if it `adds` to that; NaN if one is.
  void store_error(Group& group, const T* before, T* after, bool adds) {
    T* const errors = after + values_ + first_;
    for (const int field : group.of->fields) {
      const T* const from = before + field * cells_ + first_;
      const T* const to = after + field * cells_ + first_;
      const bool is_first =
          !adds && &group == &groups_.front() && field == group.of->fields.front();
      group.transforms.backward(
          made_.data() + field * modes_, [&, from, to](std::int64_t at, double error) {
            const T scaled = static_cast<T>(by_->scaled_error(error, from[at], to[at]));
            const bool others_are_nan = errors[at] != errors[at];
            if (is_first || !(others_are_nan || scaled <= errors[at])) errors[at] = scaled;
          });
    }
  }

  std::shared_ptr<const ExponentialRates> by_;
  Shape shape_;
  std::int64_t cells_, values_, first_;  // of the block; where its own cells begin
  bool measures_error_, names_time_;
  StepTimes clock_;
  int threads_;
  std::unique_ptr<CpuEngine<double>> rates_;
  LineExchange exchange_;
  std::int64_t modes_;
  std::unique_ptr<Halo<double>> halo_;  // null where no axis is cut
  std::vector<Group> groups_;
  std::optional<double> factors_for_;  // the size of steps that the coefficients are for
  std::array<Rates, 2> known_;
  HostBuffer<double> state_, rates_on_grid_;  // of a stage
  HostBuffer<double> made_, change_, kept_;   // modes
};

}  // namespace

template <class T>
std::unique_ptr<CpuEngine<T>> make_exponential_engine(const Problem<T>& problem, int threads,
                                                      std::unique_ptr<CpuEngine<double>> rates) {
  return std::make_unique<ExponentialEngine<T>>(problem, threads, std::move(rates));
}
template std::unique_ptr<CpuEngine<float>> make_exponential_engine(
    const Problem<float>&, int, std::unique_ptr<CpuEngine<double>>);
template std::unique_ptr<CpuEngine<double>> make_exponential_engine(
    const Problem<double>&, int, std::unique_ptr<CpuEngine<double>>);

}  // namespace lapl
