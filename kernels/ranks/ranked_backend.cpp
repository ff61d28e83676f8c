#include "kernels/ranks/ranked_backend.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

#include "kernels/fields/digest.hpp"
#include "kernels/filters/frame_filter.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/ranks/halo.hpp"
#include "kernels/ranks/local_problem.hpp"
#include "kernels/ranks/rank_rows.hpp"
#include "kernels/ranks/redistribution.hpp"
#include "kernels/solve/solve_over_grid.hpp"
#include "kernels/spectral/exponential_rates.hpp"

namespace lapl {
namespace {

template <class T>
class RankedBackend final : public Backend<T> {
 public:
  RankedBackend(Ranks& ranks, const std::string& backend, const std::string& engine,
                const Problem<T>& problem, int threads, const Decomposition& by,
                const std::string& through_host)
      : stepping_(ranks.duplicate()),
        capturing_(ranks.duplicate()),
        grid_(problem.shape),
        fields_(problem.state_fields()),
        by_(by),
        part_(by_.part(ranks.rank())),
        rows_(by_.rows(ranks.rank())),
        reach_(stages_reach(problem.stages)),
        by_modes_(problem.exponential || problem.linear_rates),
        reduces_(has_global_operations(problem)),
        halo_(make_halo<T>(ranks, backend, by_, fields_, through_host)),
        redistribution_(by_, ranks.rank()),
        backend_(backend),
        threads_(threads) {
    coefficients_ = own_coefficients(problem);
    Problem<T> own = own_problem(problem, coefficients_);
    if (problem.exponential) own.exponential = own_rates(*problem.exponential);
    if (problem.linear_rates) own.linear_rates = own_rates(*problem.linear_rates);
    if (!part_.is_empty())
      block_ = make_backend(backend, engine, own, threads);
    else
      without_block_ = problem.exponential ? problem.exponential->rates.stages : problem.stages;
  }

  BackendDescription description() const override {
    BackendDescription by = block_ ? block_->description() : BackendDescription{};
    by.reason += fmt::format("; {} of {} ranks step blocks of {} with halos of {}", by_.stepping(),
                             by_.ranks,
                             shape_text(Shape{.rows = part_.own[1],
                                              .columns = part_.own[2],
                                              .planes = part_.own[0],
                                              .axes = grid_.axes}),
                             by_.depth);
    if (const std::string how = halo_->how(); !how.empty()) by.reason += " by " + how;
    return by;
  }

  void set_state(std::span<const T> state, std::int64_t step) override {
    std::vector<T> moved;
    std::span<const T> own = state;
    if (!by_.is_rows()) {
      moved.resize(fields_ * part_.cells());
      redistribution_.to_blocks(*stepping_, fields_, state, moved);
      own = moved;
    }
    filled_ = 0;
    if (!block_) return;
    const std::int64_t cells = part_.shape().cells(), columns = part_.own[2];
    std::vector<T> block(fields_ * cells);
    for (std::int64_t row = 0; row < fields_ * part_.rows(); ++row)
      std::copy_n(own.data() + row * columns, columns,
                  block.data() + row / part_.rows() * cells + part_.in_block(row % part_.rows()));
    block_->set_state(block, step);
  }

  Ranks& ranks() override { return *stepping_; }
  RowRange rows() const override { return rows_; }
  std::vector<T> values_at(std::span<const std::int64_t> indices) override {
    return values_of_ranks<T>(*stepping_, own_values(indices));
  }
  Block<T> block() override { return block_ ? block_->block() : Block<T>{}; }
  void settle() override {
    if (block_) block_->settle();
  }

  void advance(std::int64_t steps) override {
    const auto start = std::chrono::steady_clock::now();
    // Engine spectral needs no halo, or fills the halo of each stage itself.
    const bool depends = by_.depth > 0 && reach_ > 0 && !by_modes_;
    // The depth of halo that `of` steps need, at most all of it; fill() then fills all.
    const auto needed = [&](std::int64_t of) { return std::min(of * reach_, by_.depth); };
    for (std::int64_t left = steps, taken = 0; left > 0; left -= taken) {
      if (depends) fill(needed(left));
      filled_before_ = filled_;
      taken = depends ? std::min(left, filled_ / reach_) : left;
      // Steps by modes write only a rank's own cells, so the halo is not valid after them.
      filled_ = by_modes_ ? 0 : filled_ - taken * reach_;
      if (block_)
        block_->advance(taken);
      else
        advance_without_block(taken);
    }
    seconds_ += std::chrono::steady_clock::now() - start;
  }

  void set_clock(const StepTimes& clock) override {
    if (block_) block_->set_clock(clock);
  }
  void undo_step() override {
    if (block_) block_->undo_step();
    filled_ = filled_before_;
  }

  // Waits for the result here: the values around the one found may belong to another rank.
  std::function<Reduced<T>()> reduce(StateArrays arrays, double bound) override {
    const Reduced<T> here = block_ ? block_->reduce(arrays, bound)() : Reduced<T>{};
    const std::uint64_t largest = stepping_->reduce(Reduction::most, magnitude_bits(here.largest));
    Reduced<T> result{std::bit_cast<double>(largest), {}};
    if (largest >= magnitude_bits(bound))
      result.first = found_value_of_ranks<T>(
          *stepping_,
          first_on_ranks(*stepping_, here.first ? std::optional(here.first->index) : std::nullopt)
              .value(),
          grid_, [&](std::int64_t index) { return own_values(std::span(&index, 1)).front(); });
    return [result] { return result; };
  }

  void set_derived(const std::vector<DerivedOutput<T>>& plans) override {
    std::vector<DerivedOutput<T>> of_block;
    for (const DerivedOutput<T>& plan : plans) {
      of_first_.push_back(nullptr);
      if (const auto* filter = std::get_if<FilterPlan<T>>(&plan)) {
        if (stepping_->is_first())
          of_first_.back() = make_frame_filter(backend_, *filter, threads_);
        filtered_.push_back(filter->field);
        continue;
      }
      filtered_.push_back(none);
      const Problem<T>& stages = std::get<Problem<T>>(plan);
      derived_reach_ = std::max(derived_reach_, stages_reach(stages.stages));
      if (block_)
        of_block.push_back(own_problem(stages, coefficients_));
      else
        derived_without_block_.push_back(stages.stages);
    }
    if (block_) block_->set_derived(of_block);
    coefficients_.clear();
  }

  void start_capture(bool with_derived) override {
    if (with_derived) fill(derived_reach_);
    of_block_ = {};
    if (block_) of_block_ = block_->capture(with_derived);
    if (!block_ && with_derived)
      for (const auto& stages : derived_without_block_)
        join_global_operations<T>(stages, *stepping_, grid_);
    with_derived_ = with_derived;
    fresh_ = false;
  }

  bool any_of_derived(std::size_t after) override {
    fill(derived_reach_);
    of_block_ = {};
    if (!block_)
      join_global_operations<T>(*(derived_without_block_.end() - 1 - after), *stepping_, grid_);
    return stepping_->any(block_ && block_->any_of_derived(after));
  }

  Captured<T> finish_capture() override {
    if (std::exchange(fresh_, true)) return captured_;
    Captured<T> own = block_ ? of_block_.wait() : Captured<T>{};
    captured_ = {};
    captured_.ranks = capturing_.get();
    captured_.digest = capturing_->reduce(Reduction::sum, own.digest);
    captured_.first_not_finite = first_on_ranks(*capturing_, own.first_not_finite);
    captured_.rows = rows_;
    captured_.cells = rows_.count * grid_.columns;
    captured_.state = handed_out(fields_, own.state, state_);
    if (!with_derived_) return captured_;
    results_.resize(filtered_.size());
    std::size_t of_block = 0;
    for (std::size_t i = 0; i < filtered_.size(); ++i)
      captured_.derived.push_back(
          filtered_[i] == none
              ? handed_out(1, block_ ? own.derived.at(of_block++) : std::span<T>(), results_[i])
              : filtered(i));
    return captured_;
  }

  SolveReport last_solves() const override {
    return block_ ? block_->last_solves() : SolveReport{};
  }

  double stepping_seconds() override {
    const auto start = std::chrono::steady_clock::now();
    if (block_) block_->stepping_seconds();  // a device may still be stepping
    seconds_ += std::chrono::steady_clock::now() - start;
    return std::chrono::duration<double>(seconds_).count();
  }

 private:
  static constexpr int none = -1;

  template <class Value>
  Problem<Value> own_problem(const Problem<Value>& whole,
                             std::vector<SharedValues<Value>> coefficients) const {
    Problem<Value> own = local_problem(whole, part_, std::move(coefficients));
    own.ranks = stepping_.get();
    own.by = by_;
    own.devices = halo_->devices();
    return own;
  }
  template <class Value>
  std::vector<SharedValues<Value>> own_coefficients(const Problem<Value>& whole) const {
    std::vector<SharedValues<Value>> own;
    for (const SharedValues<Value>& values : whole.coefficients)
      own.push_back(shared_values(
          values_of_first(*stepping_, values ? *values : std::vector<Value>(), part_)));
    return own;
  }
  std::shared_ptr<const ExponentialRates> own_rates(const ExponentialRates& whole) const {
    Problem<double> rates = own_problem(whole.rates, own_coefficients(whole.rates));
    return std::make_shared<const ExponentialRates>(ExponentialRates{
        whole.order, std::move(rates), whole.groups, whole.relative, whole.absolute});
  }
  std::shared_ptr<const LinearRates> own_rates(const LinearRates& whole) const {
    auto own = std::make_shared<LinearRates>(whole);
    Part alone = part_;
    alone.before = alone.after = {};
    if (stepping_->any(!whole.source.empty()))
      own->source = values_of_first(*stepping_, whole.source, alone);
    return own;
  }

  void advance_without_block(std::int64_t steps) {
    // With etdrk2 and etdrk4, the other ranks announce each evaluation of the rates by any(true).
    while (by_modes_ && reduces_ && stepping_->any(false))
      join_global_operations<T>(without_block_, *stepping_, grid_);
    for (std::int64_t step = 0; !by_modes_ && step < steps; ++step)
      join_global_operations<T>(without_block_, *stepping_, grid_);
  }

  // Values of the state at `indices`; none where another rank steps the cell.
  std::vector<std::optional<T>> own_values(std::span<const std::int64_t> indices) const {
    std::vector<std::optional<T>> own(indices.size());
    std::vector<std::int64_t> in_block;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; block_ && i < indices.size(); ++i) {
      const std::int64_t field = indices[i] / grid_.cells();
      const auto at = by_axis(cell_at(grid_, indices[i] % grid_.cells()));
      std::array<std::int64_t, 3> inside{};
      bool is_own = true;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t from_first = at[axis] - part_.first[axis];
        is_own = is_own && from_first >= 0 && from_first < part_.own[axis];
        inside[axis] = from_first + part_.before[axis];
      }
      if (!is_own) continue;
      in_block.push_back(field * part_.shape().cells() +
                         cell_index(part_.shape(), {inside[1], inside[2], inside[0]}));
      which.push_back(i);
    }
    if (in_block.empty()) return own;
    const std::vector<T> values = block_->values_at(in_block);
    for (std::size_t i = 0; i < which.size(); ++i) own[which[i]] = values[i];
    return own;
  }

  // Makes sure that the halo is valid to this depth.
  void fill(std::int64_t depth) {
    if (filled_ >= depth || by_.depth == 0) return;
    if (block_) halo_->fill(*stepping_, block_->block());
    filled_ = by_.depth;
  }

  template <class Value>  // T, or const T
  std::span<Value> handed_out(int fields, std::span<Value> own, std::vector<T>& buffer) {
    if (by_.is_rows()) return own;
    buffer.resize(fields * captured_.cells);
    redistribution_.to_rows(*capturing_, fields, own, buffer);
    return buffer;
  }

  // The first rank filters the whole field, because a window may be as large as the field, and a
  // transform always is.
  std::span<T> filtered(std::size_t plan) {
    const std::vector<T> field = gather_rows(*capturing_, captured_.field(filtered_[plan]));
    std::vector<T> result(field.size());
    if (of_first_[plan])
      of_first_[plan]->run(
          1, [&](std::int64_t, T* values) { std::ranges::copy(field, values); },
          [&](std::int64_t, const T* values) {
            std::copy_n(values, result.size(), result.data());
          });
    results_[plan].resize(captured_.cells);
    scatter_rows<T>(*capturing_, result, rows_, grid_.columns, results_[plan]);
    return results_[plan];
  }

  std::unique_ptr<Ranks> stepping_, capturing_;  // for the threads that step and that store
  Shape grid_;
  int fields_;
  Decomposition by_;
  Part part_;
  RowRange rows_;
  std::int64_t reach_, derived_reach_ = 0;
  bool by_modes_, reduces_;
  std::int64_t filled_ = 0;         // depth to which the halo is valid
  std::int64_t filled_before_ = 0;  // the same before the last pass
  std::unique_ptr<Halo<T>> halo_;
  Redistribution<T> redistribution_;
  std::string backend_;
  int threads_;
  std::vector<SharedValues<T>> coefficients_;  // of the block, until set_derived
  std::unique_ptr<Backend<T>> block_;          // null if this rank has nothing to step
  std::vector<Stage> without_block_;           // stages of the other ranks
  std::vector<std::vector<Stage>> derived_without_block_;
  Capture<T> of_block_;
  std::vector<int> filtered_;  // the field that each plan filters; none for stages
  std::vector<std::unique_ptr<FrameFilter<T>>> of_first_;
  std::chrono::steady_clock::duration seconds_{};  // in steps and exchanges, waiting included
  bool with_derived_ = false, fresh_ = true;
  Captured<T> captured_;
  std::vector<T> state_;
  std::vector<std::vector<T>> results_;
};

// A rank's share of the cores, or fewer for few cells (useful_threads).
template <class T>
int threads_of_rank(const Ranks& ranks, const Problem<T>& problem) {
  const int cores = omp_get_num_procs();
  // If mpirun or srun binds a rank to cores, they are its own; else all ranks share the machine's.
  const bool bound = cores < ::sysconf(_SC_NPROCESSORS_ONLN);
  const int own = bound ? cores : std::max(cores / ranks.on_this_machine(), 1);
  return std::min(useful_threads(problem), own);
}

}  // namespace

template <class T>
std::unique_ptr<Backend<T>> make_ranked_backend(Ranks& ranks, const std::string& backend,
                                                const std::string& engine,
                                                const Problem<T>& problem,
                                                const std::vector<DerivedOutput<T>>& derived,
                                                int threads,
                                                const std::optional<Decomposition>& by) {
  const std::string through_host = why_through_host(ranks, backend);
  const bool one_machine = ranks.on_this_machine() == ranks.count();
  auto made = std::make_unique<RankedBackend<T>>(
      ranks, backend, engine, problem, threads > 0 ? threads : threads_of_rank(ranks, problem),
      by ? *by
         : decompose(problem_division(problem, derived, backend, engine, ranks.count(),
                                      costs_of_ranks(backend, through_host, one_machine))),
      through_host);
  made->set_derived(derived);
  return made;
}
LAPL_FOR_FLOATS(make_ranked_backend);

}  // namespace lapl
