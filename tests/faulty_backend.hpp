// A backend whose state is corrupted once, as by failing memory.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tests/test_field.hpp"

namespace lapl::test {

/// Flips a bit in the upper half of a value's significand or in its exponent.
template <class T>
void flip_bit(T& value) {
  reinterpret_cast<unsigned char*>(&value)[sizeof(T) - 2] ^= 0x40;
}

/// Forwards all calls to a real backend but corrupts its state once.
template <class T>
class FaultyBackend final : public Backend<T> {
 public:
  FaultyBackend(std::unique_ptr<Backend<T>> real, std::function<void(std::vector<T>&)> fault)
      : real_(std::move(real)), fault_(std::move(fault)) {}

  std::int64_t fault_after = -1;      ///< steps before the fault, counting repeated ones
  bool fault_before_storing = false;  ///< corrupt the first capture for an output after step 0
  std::int64_t advanced = 0;
  std::function<void()> before_captured = [] {}, when_checked = [] {};

  BackendDescription description() const override { return real_->description(); }
  void set_state(std::span<const T> field, std::int64_t step) override {
    real_->set_state(field, step);
  }
  RowRange rows() const override { return real_->rows(); }
  std::vector<T> values_at(std::span<const std::int64_t> indices) override {
    return real_->values_at(indices);
  }
  Block<T> block() override { return real_->block(); }
  void advance(std::int64_t steps) override {
    if (advanced < fault_after && fault_after <= advanced + steps) {
      real_->advance(fault_after - advanced);
      steps -= fault_after - advanced;
      advanced = fault_after;
      go_wrong();
    }
    real_->advance(steps);
    advanced += steps;
  }
  void set_clock(const StepTimes& clock) override { real_->set_clock(clock); }
  void undo_step() override { real_->undo_step(); }
  std::function<Reduced<T>()> reduce(StateArrays arrays, double bound) override {
    return [this, found = real_->reduce(arrays, bound)] {
      when_checked();
      return found();
    };
  }
  void set_derived(const std::vector<DerivedOutput<T>>& plans) override {
    real_->set_derived(plans);
  }
  bool any_of_derived(std::size_t after) override { return real_->any_of_derived(after); }
  // Copies the state at once, so that go_wrong() can start another capture while a sink still reads
  // this one.
  void start_capture(bool with_derived) override {
    if (fault_before_storing && with_derived && advanced > 0) {
      fault_before_storing = false;
      go_wrong();
    }
    copy_ = real_->capture(with_derived).wait();
    const auto keep = [](std::vector<T>& copy, auto& values) {
      copy.assign(values.begin(), values.end());
      values = copy;
    };
    keep(state_, copy_.state);
    derived_.resize(copy_.derived.size());
    for (std::size_t i = 0; i < derived_.size(); ++i) keep(derived_[i], copy_.derived[i]);
  }
  Captured<T> finish_capture() override {
    before_captured();
    return copy_;
  }
  double stepping_seconds() override { return real_->stepping_seconds(); }

 private:
  void go_wrong() {
    std::vector<T> field = stepped_state(*real_).field;
    fault_(field);
    real_->set_state(field);
  }

  std::unique_ptr<Backend<T>> real_;
  std::function<void(std::vector<T>&)> fault_;
  Captured<T> copy_;
  std::vector<T> state_;
  std::vector<std::vector<T>> derived_;
};

}  // namespace lapl::test
