// The keys of section time.
#include <algorithm>

#include "io/config/config_keys.hpp"
#include "io/config/map_values.hpp"

namespace lapl {

// clang-format off
ConfigTable time_keys() {
  using enum OnRestart;
  return {
      {{.name = "time.steps", .type = null_or(integer(0, most_steps)), .preset = "null",
       .unit = "steps", .meaning = "number of the last step; give either this or time.end"}, free,
       [](RunConfig& run, const YamlNode& node) {
         if (node.kind == YamlNode::Kind::scalar) assign(run.steps, node);
       }},
      {{.name = "time.start", .type = finite_real(), .preset = "0",
       .unit = "time", .meaning = "time of the initial state, from which outputs by time are counted"},
       never, store(&RunConfig::start)},
      {{.name = "time.end", .type = null_or(finite_real()), .preset = "null",
       .unit = "time", .meaning = "time at which the run ends, after time.start: a whole number of "
                               "steps later"}, free,
       store(&RunConfig::end)},
      {{.name = "time.step", .type = null_or(either(word({"auto"}), found_step())),
       .preset = "null",
       .unit = "time", .meaning = "dt; auto (and null): 0.9 of the largest stable step, or a "
                               "little less, so that it divides time.end and the intervals in "
                               "time of outputs and probes; with time.tolerance: the first step, "
                               "which auto estimates; with equation.coefficient: not given, as dt then "
                               "follows from diffusivity 1"}, Permission::step,
       put_time_step},
      {{.name = "time.since", .type = null_or(step_at_time()), .preset = "null",
       .meaning = "where steps of one size begin, if lapl resume --change has changed their size, "
                  "and with it the clock; null: at step 0 and time.start"}, Permission::step,
       store(&RunConfig::since)},
      {{.name = "time.scheme", .type = word(names_in(name_table<Scheme>)), .preset = "euler",
       .meaning = "time scheme; euler or rkl2 for equation.kind diffusion"}, Permission::scheme,
       put_scheme},
      {{.name = "time.stages",
       .type = null_or(either(word({"auto"}), integer(least_stages, most_stages))), .preset = "null",
       .unit = "stages", .meaning = "stages of a step with scheme rkl2; auto (and null with "
                                    "rkl2): the fewest whose largest stable step is at least "
                                    "time.step; with time.tolerance: the most of a step"}, Permission::scheme,
       put_stages},
      {{.name = "time.tolerance", .type = null_or(tolerance()), .preset = "null",
       .meaning = "largest error of a step: absolute + relative * the size of the value; a number "
                  "sets both; bs23, dopri5, rkl2, imex, etdrk2, etdrk4 and sdirk2 choose the size of each "
                  "step by it, and begin with time.step; null: no error control; with steady: "
                  "the relative error of the state"}, Permission::tolerance,
       put_tolerance},
      {{.name = "time.meet", .type = list(finite_real(), 0, any_count), .preset = "[]",
       .unit = "time", .meaning = "times after time.start at which a step ends, where steps vary: "
                               "those at which a formula of t jumps"}, free,
       [](RunConfig& run, const YamlNode& node) {
         assign(run.meets, node);
         std::ranges::sort(run.meets);
       }},
      {{.name = "time.largest_step", .type = null_or(positive_real()), .preset = "null",
       .unit = "time", .meaning = "no step is longer, where steps vary: shorter than the shortest "
                               "pulse of a formula of t"}, free,
       store(&RunConfig::largest_step)},
      {{.name = "time.unit", .type = null_or(short_text()), .preset = "null",
       .meaning = "unit of time, such as s: a word for files, pictures and messages, as no number "
                  "depends on it; null: none is named"}, {free, Permission::output},
       [](RunConfig& run, const YamlNode& node) { run.units.time = node.text; }},
      {{.name = "time.linear_about", .type = one_or_list(finite_real(), 1, any_count),
       .preset = "0",
       .meaning = "uniform state about which etdrk2 and etdrk4 linearise the rates: a value for all "
                  "fields, or one for each"}, Permission::scheme,
       [](RunConfig& run, const YamlNode& node) {
         run.linear_about.resize(1);
         node.kind == YamlNode::Kind::list ? assign(run.linear_about, node)
                                           : assign(run.linear_about.front(), node);
       }},
  };
}
// clang-format on

}  // namespace lapl
