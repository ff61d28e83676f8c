#include "solver/refused_step.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "kernels/for_floats.hpp"

namespace lapl {
namespace {

// A step with three digits and its unit.
std::string short_text(const RunConfig& config, double step) {
  return with_unit(fmt::format("{:.3g}", step), config.units.time);
}

std::string smallest_text(const RunConfig& config, const StepControl& control) {
  const double smallest = control.smallest();
  return smallest == config.smallest_step
             ? with_unit(fmt::format("limits.smallest_step of {}", smallest), config.units.time)
             : short_text(config, smallest) + ", ten times the spacing of float64 there";
}

}  // namespace

std::string words_on_tiny_step(const RunConfig& config, std::int64_t step, double time,
                               double longest) {
  return fmt::format(
      "step {}: the largest stable step is {}, too short to change the time {} (smaller steps "
      "from the beginning, or time.tolerance with bs23 or dopri5, may help)",
      step, short_text(config, longest), time);
}

std::string words_on_refused_size(const RunConfig& config, const StepControl& control,
                                  std::int64_t step) {
  return fmt::format("step {}: at time {} the next step would be {}, below {}", step + 1,
                     control.time(step), short_text(config, control.longest()),
                     smallest_text(config, control));
}

std::string words_on_unknown_step(const RunConfig& config, std::int64_t step, double time,
                                  const std::string& why) {
  return fmt::format("step {}: at time {} the largest stable step{} is {} (expected {})", step,
                     time, config.chooses_stages() ? " of time.scheme rkl2" : "", why,
                     config.chooses_stages() ? "time.scheme bs23 or dopri5"
                                             : "a number for time.step, or time.tolerance");
}

template <class T>
std::string words_on_refused_step(Backend<T>& backend, const RunConfig& config,
                                  const StepControl& control, std::int64_t step, double error) {
  const Shape shape = config.shape;
  const auto fields = static_cast<int>(config.fields.size());
  const std::int64_t cell =
      backend.reduce({fields, 1}, error)().first.value().index % shape.cells();
  std::vector<std::int64_t> of_fields;
  for (std::int64_t field = 0; field < fields; ++field)
    of_fields.push_back(field * shape.cells() + cell);
  const std::vector<T> after = backend.values_at(of_fields);
  backend.undo_step();
  const std::vector<T> before = backend.values_at(of_fields);
  const bool finite = std::isfinite(error);
  std::string values;
  for (std::size_t i = 0; i < before.size(); ++i) {
    values += (i == 0 ? "" : ", ") + config.fields[i];
    values += finite ? fmt::format(" would become {} from {}", after[i], before[i])
                     : fmt::format(" is {}", before[i]);
  }
  const std::string place = place_text(cell_at(shape, cell), shape.axes);
  const std::string size = short_text(config, control.state().clock.step);
  if (!finite)
    return fmt::format(
        "step {}: at time {} the rates are not finite at or near {}, where {}, even in a step of "
        "{}",
        step + 1, control.time(step), place, values, size);
  return fmt::format(
      "step {}: at time {} even a step of {} has {:.3g} times the error that time.tolerance "
      "allows, at {}, where {}, and a shorter one would be below {}",
      step + 1, control.time(step), size, error, place, values, smallest_text(config, control));
}
LAPL_FOR_FLOATS(words_on_refused_step);

}  // namespace lapl
