#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/config/config_checks.hpp"
#include "io/config/config_text.hpp"
#include "solver/outputs.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

class TimeChecker : public KeyChecker {
 public:
  using KeyChecker::KeyChecker;

  /// Times lie after time.start, and float64 tells them apart.
  void check_start() {
    if (!right(
            {"time.start", "time.end", "time.meet", "time.step", "output.every", "output.probes"}))
      return;
    const auto is_later = [&](const char* key, double time) {
      if (!(time > run_.start))
        add(key, fmt::format("found {} (expected a time after time.start, {})", time, run_.start));
    };
    if (run_.end) is_later("time.end", *run_.end);
    if (!run_.meets.empty()) is_later("time.meet", run_.meets.front());
    std::vector<TimeInterval> intervals = time_intervals(run_);
    if (run_.time_step)
      intervals.insert(intervals.begin(), {"time.step", "time.step", *run_.time_step});
    for (const auto& [row, key, seconds] : intervals)
      if (std::abs(run_.start) / seconds > static_cast<double>(most_steps))
        add("time.start",
            fmt::format("found {}, so far from 0 that float64 cannot tell times {} "
                        "({}) apart (expected a time nearer to 0)",
                        run_.start, with_unit(fmt::format("{}", seconds), run_.units.time), key));
  }

  /// Checks how a run ends, and that outputs have one interval.
  void check_end() {
    const bool is_steady = run_.scheme.kind == Scheme::steady;
    for (const char* const key : {"time.step", "time.end"})
      if (is_steady && given(key))
        add(key,
            "given with time.scheme steady, which goes to the steady state in one step (expected "
            "none)");
    if (const auto& of_state = run_.steady_tolerance;
        of_state && !(of_state->relative >= 1e-14 && of_state->relative <= 0.1 &&
                      of_state->absolute == of_state->relative))
      add("time.tolerance",
          "given with time.scheme steady (expected one number from 1e-14 to 0.1, the relative "
          "error of the state)");
    if (!is_steady && !given("time.steps") && !given("time.end"))
      add("time.steps", "missing (expected an integer from 0 to 9007199254740992, or time.end)");
    for (const auto& [one, other] :
         {std::pair("time.steps", "time.end"), {"output.every", "output.count"}})
      if (given(one) && given(other) && entries_.at(one).origin != "default")
        add(other, fmt::format("given besides {} (give one of them)", one));
  }

  /// Fields of outputs are known and given once; one with an interval is in some of the outputs.
  void check_output_fields() {
    if (!right({"fields", "output.fields", "output.derived", "output.every", "output.count"}))
      return;
    const std::vector<std::string> known = output_names(run_);
    if (run_.output_fields.empty()) add("output.fields", "found no field (expected at least one)");
    for (const std::string& name : run_.output_fields)
      if (std::ranges::count(known, name) == 0)
        add("output.fields",
            fmt::format("found {} (expected {})", shown(name), alternatives(known)));
      else if (std::ranges::count(run_.output_fields, name) > 1 &&
               entries_.at("output.fields").origin != "default")
        return add("output.fields", fmt::format("found {} twice", name));
    for (const auto& [name, own] : run_.field_intervals)
      if (given("output.count"))
        add("output.fields",
            fmt::format("{}: every: given with output.count (expected output.every)", name));
      else if (own.time.has_value() != run_.output_time.has_value() ||
               (own.time ? nearest_multiple(*run_.output_time, *own.time) != *own.time
                         : own.steps % run_.output_every != 0))
        add("output.fields",
            fmt::format("{}: every: found {} (expected a multiple of output.every, {})", name,
                        interval_text(own.steps, own.time),
                        interval_text(run_.output_every, run_.output_time)));
    const auto is_rare = [&](const std::string& name) {
      const auto own = run_.field_intervals.find(name);
      return own != run_.field_intervals.end() &&
             (own->second.time ? own->second.time != run_.output_time
                               : own->second.steps != run_.output_every);
    };
    if (!run_.output_fields.empty() && std::ranges::all_of(run_.output_fields, is_rare))
      add("output.fields",
          "each field has an every of its own (expected one that all outputs have)");
  }

 private:
  static std::string interval_text(std::int64_t steps, const std::optional<double>& time) {
    return time ? fmt::format("{{time: {}}}", *time) : fmt::format("{} steps", steps);
  }
};

}  // namespace

void check_times_given(const RunConfig& run, const Entries& entries, Mistakes& mistakes) {
  TimeChecker checker(run, entries, mistakes);
  checker.check_start();
  checker.check_end();
  checker.check_output_fields();
}

}  // namespace lapl
