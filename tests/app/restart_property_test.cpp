// Random configs, stopped at random steps and resumed with random changes: a restart refuses what
// the key table keeps, and else has the bits of the run that was not stopped, or the values of an
// exact solution. LAPL_TRIALS sets the number of trials.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <utility>

#include "io/config/config_keys.hpp"
#include "tests/app/csv.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;
using lapl::OnRestart;

namespace {

using Words = std::vector<std::string>;

// Every cell has u' = a f(t) + b, as the Laplacian of a uniform field is 0. With steps of one size
// f is t, which schemes of second order integrate exactly, as does leapfrog, which reads t at the
// middle of a step; with a tolerance it is cos(t).
struct Problem {
  double a = 1, b = 0.5;
  bool of_tolerance = false;

  double integral(double from, double to) const {
    const double of_f = of_tolerance ? std::sin(to) - std::sin(from) : (to * to - from * from) / 2;
    return a * of_f + b * (to - from);
  }
};

enum class Steps { fixed, of_tolerance, estimated };

struct Change {
  std::string key, value;
  bool ends_later = false;
};

class Trial {
 public:
  explicit Trial(std::mt19937& random) : random_(random) {}

  void take() {
    const Sandbox sandbox;
    choose_config();
    const Outcome whole = run_lapl({"run", "c.yaml"});
    REQUIRE_MESSAGE(whole.code == 0, whole.err);
    const auto rows = csv_rows("out/probes.csv");
    const auto last_step = std::stoll(column("out/probes.csv", "step").back());
    const auto step = 1 + static_cast<std::int64_t>(random_() % last_step);
    const std::vector<Change> changes = choose_changes();
    const std::string all = "equation,boundary,step,scheme,tolerance,precision";
    const std::string flag = drawn<std::string>({"", "--change-equation", all, all});
    allowed_ = lapl::permissions_in(flag == all ? all : flag.empty() ? "" : "equation,tolerance");
    Words words = {"resume", "out", "--from", std::to_string(step)};
    if (flag == all) words.emplace_back("--change");
    if (!flag.empty()) words.push_back(flag);
    std::string refused_key;
    bool same_bits = true;
    for (const Change& change : changes) {
      words.insert(words.end(), {"--set", change.key + "=" + change.value});
      if (!is_allowed(change)) refused_key = change.key;
      const OnRestart rule = lapl::row_of_resolved(change.key).on_restart;
      const bool other_times = change.key == "time.end" || change.key == "output.every";
      if ((rule != OnRestart::free && rule != OnRestart::engine) ||
          (other_times && steps_ != Steps::fixed))
        same_bits = false;
    }
    CAPTURE(file_text("c.yaml"));
    CAPTURE(fmt::format("{}", fmt::join(words, " ")));
    const std::string log = file_text("out/log.jsonl");
    const Outcome resumed = run_lapl(words);
    CAPTURE(resumed.err);
    const auto sets = [&](const char* key, const std::string& value) {
      return std::ranges::any_of(changes, [&](const Change& change) {
        return change.key == key && (value.empty() || change.value == value);
      });
    };
    if (refused_key.empty() && sets("time.tolerance", "null"))
      refused_key = "time.step";  // of the new clock does not divide the time that is left
    if (sets("compute.precision", "") &&
        (sets("time.tolerance", "1e-7") || sets("time.tolerance", "1e-8")))
      refused_key = "time.tolerance";  // below rounding
    if (!refused_key.empty()) {
      CHECK(resumed.code == 2);
      CHECK(has(resumed.err, refused_key + ": "));
      CHECK(file_text("out/log.jsonl") == log);
      return;
    }
    REQUIRE(resumed.code == 0);
    check_values(step, changes);
    if (!same_bits) return;
    const auto now = csv_rows("out/probes.csv");
    REQUIRE(now.size() >= rows.size());
    CHECK(std::equal(rows.begin(), rows.end(), now.begin()));
    if (now.size() == rows.size()) CHECK(last_digest(resumed.out) == last_digest(whole.out));
  }

 private:
  template <class T>
  T drawn(std::initializer_list<T> choices) {
    return choices.begin()[random_() % choices.size()];
  }

  void choose_config() {
    steps_ = drawn({Steps::fixed, Steps::of_tolerance, Steps::estimated});
    before_.of_tolerance = steps_ == Steps::of_tolerance;
    switch (steps_) {
      case Steps::of_tolerance:
        scheme_ = drawn({"bs23", "dopri5", "bs23", "dopri5", "rkl2", "imex", "etdrk2", "etdrk4"});
        break;
      case Steps::estimated:
        scheme_ = drawn({"heun", "midpoint", "ssprk3", "rk4", "bs23", "dopri5", "rkl2", "imex"});
        break;
      case Steps::fixed:
        scheme_ = drawn({"heun", "midpoint", "ssprk3", "rk4", "bs23", "dopri5", "rkl2", "imex",
                         "etdrk2", "etdrk4", "leapfrog"});
    }
    const std::string size = drawn({"0.1", "0.125", "0.05"});
    end_ = std::round(1e4 * std::stod(size) * static_cast<double>(1 + random_() % 3)) / 1e3;
    const std::string time = steps_ == Steps::fixed ? "step: " + size
                             : before_.of_tolerance ? "tolerance: 1e-6, step: 0.01"
                             : scheme_ == "rkl2"    ? "step: auto, stages: 3"
                                                    : "step: auto";
    const std::string every = drawn({"7", "1000"});
    const std::string rate = fmt::format("\"a * {} + b + laplacian(field + 0.01 * field^2)\"",
                                         before_.of_tolerance ? "cos(t)" : "t");
    const std::string initial = "{kind: uniform, value: 0}";
    write_text(
        "c.yaml",
        "grid: {shape: [3, 4]}\nboundary: insulated\n" +
            fmt::format("parameters: {{a: {}, b: {}}}\n", before_.a, before_.b) +
            (is_pair() ? "fields: [field, other]\n" : "") +
            fmt::format("equation: {{kind: formula, field: {}{}}}\n", rate,
                        is_pair() ? ", other: -other" : "") +
            fmt::format("initial: {}\n",
                        is_pair() ? fmt::format("{{field: {0}, other: {0}}}", initial) : initial) +
            fmt::format("time: {{scheme: {}, {}, end: {}}}\n", scheme_, time, end_) +
            fmt::format("output: {{directory: out, every: {}, fields: [field], probes: "
                        "{{every: 1, at: {{p: [1, 2]}}}}}}\n",
                        every) +
            "checkpoint: {every: 1, keep: 1000}\n"
            "compute: {backend: cpu, precision: float64" +
            (is_exponential() ? "}\n" : ", engine: interpreted}\n"));
  }

  // leapfrog steps pairs, and imex needs a reaction that reads a field.
  bool is_pair() const { return scheme_ == "leapfrog" || scheme_ == "imex"; }
  bool is_exponential() const { return scheme_.starts_with("etdrk"); }
  // True if steps follow from estimates at steps that the key changes. rkl2 by error takes its
  // stages from them.
  bool estimates(const std::string& key) const {
    return steps_ == Steps::estimated || (scheme_ == "rkl2" && steps_ == Steps::of_tolerance &&
                                          key == "limits.check_stability_every");
  }
  bool has_tolerances() const {
    const auto is_own = [&](const char* name) { return scheme_ == name; };
    return std::ranges::any_of(std::array{"bs23", "dopri5", "rkl2", "imex", "etdrk2", "etdrk4"},
                               is_own);
  }

  std::vector<Change> choose_changes() {
    std::vector<Change> all = {
        {"parameters.a", "-2"},
        {"parameters.b", "0.25"},
        {"grid.spacing", "2"},
        {"boundary.columns", "periodic"},
        {is_pair() ? "initial.field" : "initial.value",
         is_pair() ? "{kind: uniform, value: 1}" : "1"},
        {"compute.precision", "float32"},
        {"compute.threads", "2"},
        {"output.every", "3"},
        {"output.fields", is_pair() ? "[field, other]" : "[field, laplacian]"},
        {"checkpoint.every", "5"},
        {"limits.check_finite_every", "3"},
        {"limits.check_stability_every", "4"},
        {"time.end", fmt::format("{}", 2 * end_), true}};
    if (steps_ != Steps::estimated) all.push_back({"time.step", "0.025"});
    if (scheme_ != "rkl2")  // time.stages belongs to it alone
      all.push_back({"time.scheme", scheme_ == "bs23" ? "dopri5" : "bs23"});
    if (!is_exponential()) all.push_back({"compute.engine", "reference"});
    if (has_tolerances())
      all.insert(
          all.end(),
          {{"time.tolerance", "1e-7"}, {"time.tolerance", "1e-8"}, {"time.tolerance", "null"}});
    std::vector<Change> changes;
    for (auto count = 1 + random_() % 2; changes.size() < count;) {
      const Change& change = all[random_() % all.size()];
      const bool twice = std::ranges::count(changes, change.key, &Change::key) > 0;
      if (!twice && !(change.value == "null" && steps_ != Steps::of_tolerance))
        changes.push_back(change);
    }
    return changes;
  }

  bool is_allowed(const Change& change) const {
    const lapl::RestartRule& rule = lapl::row_of_resolved(change.key);
    // Steps of one size need another clock.
    if (change.value == "null" && !allowed_.contains(lapl::Permission::step)) return false;
    switch (rule.on_restart) {
      case OnRestart::free:
      case OnRestart::engine: return true;
      case OnRestart::estimates: return allowed_.contains(rule.by) || !estimates(change.key);
      case OnRestart::asked:
      case OnRestart::reworded: return allowed_.contains(rule.by);
      default: return false;
    }
  }

  // At each step, time and value agree with the exact solution.
  void check_values(std::int64_t changed_at, const std::vector<Change>& changes) const {
    Problem after = before_;
    double end = end_;
    for (const Change& change : changes) {
      if (change.key == "parameters.a") after.a = std::stod(change.value);
      if (change.key == "parameters.b") after.b = std::stod(change.value);
      if (change.ends_later) end = std::stod(change.value);
    }
    const Words steps = column("out/probes.csv", "step"), times = column("out/probes.csv", "time"),
                values = column("out/probes.csv", is_pair() ? "p_field" : "p");
    double limit = before_.of_tolerance ? 1e-4 : 1e-11;
    for (const Change& change : changes)
      if (change.key == "compute.precision") limit = std::max(limit, 1e-5);
    double exact = 0, time = 0;
    for (std::size_t i = 1; i < steps.size(); ++i) {
      CHECK(std::stoll(steps[i]) == static_cast<std::int64_t>(i));
      const double now = std::stod(times[i]);
      CHECK(now > time);
      const Problem& problem = static_cast<std::int64_t>(i) <= changed_at ? before_ : after;
      exact += problem.integral(std::exchange(time, now), now);
      CHECK(std::abs(std::stod(values[i]) - exact) <= limit * (1 + std::abs(exact)));
    }
    CHECK(std::abs(time - end) <= 1e-12 * end);
    CHECK(std::stod(column("out/diagnostics.csv", "time").back()) == time);
  }

  std::mt19937& random_;
  Problem before_;
  Steps steps_ = Steps::fixed;
  std::string scheme_;
  double end_ = 0;
  lapl::Permissions allowed_;
};

}  // namespace

TEST_CASE("random restarts with random changes are refused, bit-identical, or right") {
  const char* const given = std::getenv("LAPL_TRIALS");
  const int trials = given != nullptr ? std::atoi(given) : 40;
  std::mt19937 random(57);
  for (int trial = 0; trial < trials; ++trial) {
    CAPTURE(trial);
    Trial(random).take();
  }
}
