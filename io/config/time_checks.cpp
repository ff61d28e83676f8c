#include <fmt/format.h>

#include <cmath>

#include "io/config/config_checks.hpp"
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
};

}  // namespace

void check_times_given(const RunConfig& run, const Entries& entries, Mistakes& mistakes) {
  TimeChecker checker(run, entries, mistakes);
  checker.check_start();
  checker.check_end();
}

}  // namespace lapl
