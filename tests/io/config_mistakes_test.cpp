// One mistake per row: a line that makes a valid config wrong, and the whole message.
#include "config_helpers.hpp"

namespace lapl {
namespace {

struct Mistake {
  const char* line;
  const char* message;
};

// The line replaces line 1 (grid), 2 (equation) or 3 (time), or is added as line 4.
const Mistake mistakes[] = {
    // clang-format off
    {"grid: {shape: [04, 5]}",
     "bad.yaml:1:16: grid.shape: found 04, with leading zeros (write 4)"},
    {"grid: {shape: [0x10, 5]}",
     "bad.yaml:1:16: grid.shape: found 0x10, hexadecimal (write 16)"},
    {"grid: {shape: [0o17, 5]}",
     "bad.yaml:1:16: grid.shape: found 0o17, octal (write 15)"},
    {"grid: {shape: [\"4\", 5]}",
     "bad.yaml:1:16: grid.shape: found \"4\", quoted (write 4)"},
    {"grid: {shape: [4_000, 5]}",
     "bad.yaml:1:16: grid.shape: found 4_000, with underscores (write 4000)"},
    {"grid: {shape: [+4, 5]}",
     "bad.yaml:1:16: grid.shape: found +4, with a plus sign (write 4)"},
    {"grid:\n\tshape: [4, 5]",
     "bad.yaml:2:1: found a tab in the indentation (expected spaces)"},
    {"grid:\n  shape: [4, 5]\n \tspacing: 1",
     "bad.yaml:3:2: found a tab in the indentation (expected spaces)"},
    {"grid: {shape: [4.5, 5]}",
     "bad.yaml:1:16: grid.shape: found 4.5, not an integer (expected an integer from 1 to "
     "1099511627776)"},
    {"grid: {shape: [0, 5]}",
     "bad.yaml:1:16: grid.shape: found 0, out of range (expected an integer from 1 to "
     "1099511627776)"},
    {"grid: {shape: [-4, 5]}",
     "bad.yaml:1:16: grid.shape: found -4, out of range (expected an integer from 1 to "
     "1099511627776)"},
    {"grid: {shape: []}",
     "bad.yaml:1:15: grid.shape: found 0 values (expected a list of 1 to 3, each an integer "
     "from 1 to 1099511627776)"},
    {"grid: {shape: [4, 5, 6, 7]}",
     "bad.yaml:1:15: grid.shape: found 4 values (expected a list of 1 to 3, each an integer "
     "from 1 to 1099511627776)"},
    {"grid: {shape: 4}",
     "bad.yaml:1:15: grid.shape: found 4 (expected a list of 1 to 3, each an integer from 1 to "
     "1099511627776)"},
    {"grid: {shape: {rows: 4, columns: 5}}",
     "bad.yaml:1:15: grid.shape: found a map (expected a list of 1 to 3, each an integer from "
     "1 to 1099511627776)"},
    {"grid: {shape: [4, [5]]}",
     "bad.yaml:1:19: grid.shape: found a list (expected an integer from 1 to "
     "1099511627776)"},
    {"grid: {shape: [four, 5]}",
     "bad.yaml:1:16: grid.shape: found four (expected an integer from 1 to 1099511627776)"},
    {"grid: {shape: [1048577, 1048576]}",
     "bad.yaml:1:15: grid.shape: found 1048577 x 1048576, too many cells (at most "
     "1099511627776 together)"},
    {"grid: {shape: }",
     "bad.yaml:1:15: grid.shape: found null (expected a list of 1 to 3, each an integer from 1 "
     "to 1099511627776)"},
    {"grid: {}",
     "bad.yaml:1:1: grid.shape: missing (expected a list of 1 to 3, each an integer from 1 to "
     "1099511627776)"},
    {"grid: [4, 5]",
     "bad.yaml:1:1: grid.shape: missing (expected a list of 1 to 3, each an integer from 1 to "
     "1099511627776)\n"
     "bad.yaml:1:7: grid: found a list (expected a map with keys of grid: shape, spacing, size, "
     "origin, center, coordinates, mask, unit)"},
    {"grid:",
     "bad.yaml:1:1: grid: found nothing (expected a map with keys of grid: shape, spacing, size, "
     "origin, center, coordinates, mask, unit)\n"
     "bad.yaml:1:1: grid.shape: missing (expected a list of 1 to 3, each an integer from 1 to "
     "1099511627776)"},
    {"grid: {shape: [4, 5], spacing: 0}",
     "bad.yaml:1:32: grid.spacing: found 0, out of range (expected a number above 0)"},
    {"grid: {shape: [4, 5], spacing: .5}",
     "bad.yaml:1:32: grid.spacing: found .5, without a digit before the point (write 0.5)"},
    {"grid: {shape: [4, 5], spacing: 5.}",
     "bad.yaml:1:32: grid.spacing: found 5., without a digit after the point (write 5)"},
    {"grid: {shape: [4, 5], spacing: .inf}",
     "bad.yaml:1:32: grid.spacing: found .inf, not finite (write a finite number)"},
    {"grid: {shape: [4, 5], spacing: .nan}",
     "bad.yaml:1:32: grid.spacing: found .nan, not finite (write a finite number)"},
    {"grid: {shape: [4, 5], spacing: 1e999}",
     "bad.yaml:1:32: grid.spacing: found 1e999, too large for a float64 (at most 1.7e308)"},
    {"grid: {shape: [4, 5], spacing: 1e-999}",
     "bad.yaml:1:32: grid.spacing: found 1e-999, out of range (expected a number above "
     "0)"},
    {"grid: {shape: [4, 5], spacing: 1e20}",
     "bad.yaml:1:32: grid.spacing: found 1e+20, of which the square or its inverse is infinite in "
     "float32 (expected about 5.4e-20 to 1.8e+19)"},
    {"grid: {shape: [4, 5], spacing: 1e-30}",
     "bad.yaml:1:32: grid.spacing: found 1e-30, of which the square or its inverse is infinite in "
     "float32 (expected about 5.4e-20 to 1.8e+19)"},
    {"grid: {shape: [4, 5], spacing: 1e-22}",
     "bad.yaml:1:32: grid.spacing: found 1e-22, of which the square or its inverse is infinite in "
     "float32 (expected about 5.4e-20 to 1.8e+19)"},
    {"grid: {shape: [4, 5], spacing: yes}",
     "bad.yaml:1:32: grid.spacing: found yes (expected a number above 0)"},
    {"grid: {shape: [4, 5], spacing: 1 m}",
     "bad.yaml:1:32: grid.spacing: found 1 m (expected a number above 0)"},
    {"grid: {shape: [4, 5], spacing: [1, 0]}",
     "bad.yaml:1:36: grid.spacing: found 0, out of range (expected a number above 0)"},
    {"grid: {shape: [4, 5], spacing: [1, 1, 1]}",
     "bad.yaml:1:32: grid.spacing: found 3 numbers (expected one number, or a list of one for each "
     "of the 2 axes of grid.shape)"},
    {"grid: {shape: [4, 5], spacing: [1, 1e20]}",
     "bad.yaml:1:32: grid.spacing: found 1e+20, of which the square or its inverse is infinite in "
     "float32 (expected about 5.4e-20 to 1.8e+19)"},
    {"grid: {shape: [4, 5], spaceing: 1}",
     "bad.yaml:1:23: grid.spaceing: unknown key (did you mean grid.spacing?)"},
    {"grid: {shape: [4, 5], colour: red}",
     "bad.yaml:1:23: grid.colour: unknown key"},
    {"grid: {shape: [4, 5], shape: [4, 5]}",
     "bad.yaml:1:23: grid.shape: repeated (first given in line 1)"},
    {"gird: {spacing: 1}",
     "bad.yaml:4:1: gird: unknown key (did you mean grid?)"},
    {"grid.spacing: 2",
     "bad.yaml:4:1: grid.spacing: dotted (write spacing: under grid:)"},
    {"steps: 10",
     "bad.yaml:4:1: steps: unknown key (did you mean time.steps?)"},
    {"[a]: 1",
     "bad.yaml:4:1: ?: a key that is not a word (expected `key: value`)"},
    {"boundary: perodic",
     "bad.yaml:4:11: boundary: found perodic (expected zero, insulated or periodic, or a finite number, or a condition or a map of first and last with one each; did "
     "you mean periodic?)"},
    {"boundary: Zero",
     "bad.yaml:4:11: boundary: found Zero (expected zero, insulated or periodic, or a finite number, or a condition or a map of first and last with one each; did you "
     "mean zero?)"},
    {"boundary: {rows: Dirichlet}",
     "bad.yaml:4:18: boundary.rows: found Dirichlet (expected zero, insulated or periodic, or a finite number, or a condition or a map of first and last with one each; did you "
     "mean zero?)"},
    {"boundary: off",
     "bad.yaml:4:11: boundary: found off (expected zero, insulated or periodic, or a finite number, or a condition or a map of first and last with one each)"},
    {"boundary: [zero, zero]",
     "bad.yaml:4:11: boundary: found a list (expected zero, insulated or periodic, or a finite number, or a condition or a map of first and last with one each)"},
    {"boundary: {colums: zero}",
     "bad.yaml:4:12: boundary.colums: unknown key (did you mean boundary.columns?)"},
    {"initial: fractal",
     "bad.yaml:4:10: initial.formula: unknown name fractal (did you mean {kind: fractal}?)\n"
     "    fractal\n"
     "    ^"},
    {"initial: {kind: fractel}",
     "bad.yaml:4:17: initial.kind: found fractel (expected fractal, uniform, gaussian, "
     "checkerboard, sine, image, hdf5 or formula; did you mean fractal?)"},
    {"initial: {kind: gaussian, seed: 3}",
     "bad.yaml:4:33: initial.seed: does not apply to initial.kind gaussian (it belongs to "
     "fractal or formula, or to an equation with noise)"},
    {"output: {compression: 0}",
     "bad.yaml:4:23: output.compression: found 0, out of range (expected an integer from 1 to 9)"},
    {"output: {compression: 10}",
     "bad.yaml:4:23: output.compression: found 10, out of range (expected an integer from 1 to 9)"},
    {"output: {precision: float64}",
     "bad.yaml:4:21: output.precision: found float64 (expected auto or float32; did you mean "
     "float32?)"},
    {"output: {round: 0}",
     "bad.yaml:4:17: output.round: found 0, out of range (expected a number from 2.5e-16 to 0.25)"},
    {"output: {round: 1e-8}",
     "bad.yaml:4:17: output.round: found 1e-08, finer than float32 itself (expected 1.2e-07 or "
     "more)"},
    {"initial: {seed: -1}",
     "bad.yaml:4:17: initial.seed: found -1, out of range (expected an integer from 0 to "
     "9223372036854775807)"},
    {"initial: {seed: 9223372036854775808}",
     "bad.yaml:4:17: initial.seed: found 9223372036854775808, out of range (expected an "
     "integer from 0 to 9223372036854775807)"},
    {"initial: {seed: 1.5}",
     "bad.yaml:4:17: initial.seed: found 1.5, not an integer (expected an integer from 0 "
     "to 9223372036854775807)"},
    {"initial: {spectral_exponent: 11}",
     "bad.yaml:4:30: initial.spectral_exponent: found 11, out of range (expected a number "
     "from -10 to 10)"},
    {"initial: {crop_radius: 0}",
     "bad.yaml:4:24: initial.crop_radius: found 0, out of range (expected a number above "
     "0)"},
    {"initial: {percentile: 101}",
     "bad.yaml:4:23: initial.percentile: found 101, out of range (expected a number from "
     "0 to 100)"},
    {"initial: {percentile: 70%}",
     "bad.yaml:4:23: initial.percentile: found 70% (expected null, or a number from 0 to "
     "100)"},
    {"initial: {kind: gaussian, center: [0.5, 1.5]}",
     "bad.yaml:4:41: initial.center: found 1.5, out of range (expected a number from 0 to "
     "1)"},
    {"initial: {kind: checkerboard, tile: 0}",
     "bad.yaml:4:37: initial.tile: found 0, out of range (expected an integer from 1 to "
     "1099511627776)"},
    {"initial: {kind: sine, mode: [0, 1]}",
     "bad.yaml:4:29: initial.mode: found 0 for the rows, out of range (expected 1 to 4 "
     "with boundary zero and 4 rows)"},
    {"initial: {kind: sine, mode: [1, 6]}",
     "bad.yaml:4:29: initial.mode: found 6 for the columns, out of range (expected 1 to 5 "
     "with boundary zero and 5 columns)"},
    {"initial: {kind: image}",
     "bad.yaml:4:1: initial.path: missing (expected the path of a file)"},
    {"initial: {kind: image, path: \"\"}",
     "bad.yaml:4:30: initial.path: found an empty text (expected a text)"},
    {"initial: {kind: image, path: 2024}",
     "bad.yaml:4:30: initial.path: found 2024, which YAML reads as a number (quote it: "
     "\"2024\")"},
    {"initial: {kind: image, path: \"a\\0b\"}",
     "bad.yaml:4:30: initial.path: found \"a?b\" (expected one line without control "
     "characters)"},
    {"initial: {kind: hdf5, path: a.h5, dataset: yes}",
     "bad.yaml:4:44: initial.dataset: found yes, which YAML reads as a truth value (quote "
     "it: \"yes\")"},
    {"equation: {coefficient: 0.26}",
     "bad.yaml:2:25: equation.coefficient: found 0.26, out of range (expected a number "
     "above 0 and at most 0.25, the largest stable coefficient)"},
    {"equation: {coefficient: 0}",
     "bad.yaml:2:25: equation.coefficient: found 0, out of range (expected a number above "
     "0)"},
    {"equation: {coefficient: 1/4}",
     "bad.yaml:2:25: equation.coefficient: found 1/4 (expected null, or a number above "
     "0)"},
    {"equation: {coefficient: 0,25}",
     "bad.yaml:2:25: equation.coefficient: found 0, out of range (expected a number above "
     "0)\n"
     "bad.yaml:2:27: equation.25: unknown key"},
    {"equation: {coefficient: 1e-50}",
     "bad.yaml:2:25: equation.coefficient: makes the coefficient 1e-50, which is 0 in "
     "float32 (expected a coefficient of 1.5e-45 or more)"},
    {"equation: {coefficient: 0.25, diffusivity: 1}",
     "bad.yaml:2:44: equation.diffusivity: given besides equation.coefficient (give "
     "equation.coefficient alone, or equation.diffusivity and time.step)"},
    {"equation: {coefficient: null}",
     "bad.yaml:2:25: equation.coefficient: missing (give it, or equation.diffusivity; or "
     "formulas, as in equation: {u: laplacian(u)})"},
    {"time: {steps: -1}",
     "bad.yaml:3:15: time.steps: found -1, out of range (expected an integer from 0 to "
     "9007199254740992)"},
    {"time: {steps: 9007199254740993}",
     "bad.yaml:3:15: time.steps: found 9007199254740993, out of range (expected an "
     "integer from 0 to 9007199254740992)"},
    {"time: {steps: 1e16}",
     "bad.yaml:3:15: time.steps: found 1e16, out of range (expected an integer from 0 to "
     "9007199254740992)"},
    {"time: {steps: 1.5e0}",
     "bad.yaml:3:15: time.steps: found 1.5e0, not an integer (expected an integer from 0 to "
     "9007199254740992)"},
    {"time: {steps: null}",
     "bad.yaml:3:15: time.steps: missing (expected an integer from 0 to "
     "9007199254740992, or time.end)"},
    {"time: {steps: 1, step: 0.1}",
     "bad.yaml:3:24: time.step: given besides equation.coefficient (give "
     "equation.coefficient alone, or equation.diffusivity and time.step)"},
    {"time: {}",
     "bad.yaml:3:1: time.steps: missing (expected an integer from 0 to 9007199254740992, or time.end)"},
    {"compute: {backend: gpu}",
     "bad.yaml:4:20: compute.backend: found gpu (expected auto, cuda or cpu; did you mean "
     "cuda?)"},
    {"compute: {backend: CUDA}",
     "bad.yaml:4:20: compute.backend: found CUDA (expected auto, cuda or cpu; did you "
     "mean cuda?)"},
    {"compute: {precision: double}",
     "bad.yaml:4:22: compute.precision: found double (expected float32 or float64; did "
     "you mean float64?)"},
    {"compute: {engine: tile, backend: cpu}",
     "bad.yaml:4:19: compute.engine: found tile, an engine of backend cuda, with "
     "compute.backend cpu (expected compute.backend cuda or auto, or another engine)"},
    {"compute: {threads: 0}",
     "bad.yaml:4:20: compute.threads: found 0, out of range (expected an integer from 1 "
     "to 1024)"},
    {"compute: {threads: all}",
     "bad.yaml:4:20: compute.threads: found all (expected auto, or an integer from 1 to "
     "1024)"},
    {"output: {every: 0}",
     "bad.yaml:4:17: output.every: found 0, out of range (expected an integer from 1 to "
     "9007199254740992)"},
    {"output: {every: 30m}",
     "bad.yaml:4:17: output.every: found 30m (expected an integer from 1 to "
     "9007199254740992, or {time: T})"},
    {"output: {fields: []}",
     "bad.yaml:4:18: output.fields: found 0 values (expected a list of 1 to 2, each field "
     "or laplacian)"},
    {"output: {fields: [field, field]}",
     "bad.yaml:4:26: output.fields: found field twice (expected each once)"},
    {"output: {fields: [feild]}",
     "bad.yaml:4:19: output.fields: found feild (expected field or laplacian; did you "
     "mean field?)"},
    {"output: {directory: 7}",
     "bad.yaml:4:21: output.directory: found 7, which YAML reads as a number (quote it: "
     "\"7\")"},
    {"output: {directory: null}",
     "bad.yaml:4:21: output.directory: found null (expected a text)"},
    {"checkpoint: {every: 0m}",
     "bad.yaml:4:21: checkpoint.every: found 0m, out of range (expected a time such as "
     "90s, 30m or 2h, at most 999999999s, 9999999m or 999999h)"},
    {"checkpoint: {every: 30min}",
     "bad.yaml:4:21: checkpoint.every: found 30min (expected an integer from 1 to "
     "9007199254740992, or a time such as 90s, 30m or 2h, at most 999999999s, 9999999m or 999999h)"},
    {"checkpoint: {every: \"2500\"}",
     "bad.yaml:4:21: checkpoint.every: found \"2500\", quoted (write 2500)"},
    {"checkpoint: {every: 1e12h}",
     "bad.yaml:4:21: checkpoint.every: found 1e12h, out of range (expected a time such as "
     "90s, 30m or 2h, at most 999999999s, 9999999m or 999999h)"},
    {"checkpoint: {keep: 0}",
     "bad.yaml:4:20: checkpoint.keep: found 0, out of range (expected an integer from 1 "
     "to 1000000)"},
    {"limits: {wall_time: 3600}",
     "bad.yaml:4:21: limits.wall_time: found 3600, without a unit (write 3600s, 3600m or "
     "3600h)"},
    {"limits: {wall_time: 2d}",
     "bad.yaml:4:21: limits.wall_time: found 2d (expected null, or a time such as 90s, "
     "30m or 2h, at most 999999999s, 9999999m or 999999h)"},
    {"limits: {check_finite_every: 0}",
     "bad.yaml:4:30: limits.check_finite_every: found 0, out of range (expected an "
     "integer from 1 to 9007199254740992)"},
    {"limits: {verify_every: 0}",
     "bad.yaml:4:24: limits.verify_every: found 0, out of range (expected an integer from 1 to "
     "9007199254740992)"},
    {"limits: {verify_every: 10m}",
     "bad.yaml:4:24: limits.verify_every: found 10m (expected null, or an integer from 1 to "
     "9007199254740992)"},
    {"time: {steps: 5, end: 2}",
     "bad.yaml:3:23: time.end: given besides time.steps (give one of them)"},
    {"time: {end: 1e300}",
     "bad.yaml:3:13: time.end: found 1e+300, which takes 4e+300 steps (at most 9007199254740992)"},
    {"output: {every: {time: -1}}",
     "bad.yaml:4:24: output.every: time: found -1, out of range (expected a number above 0)"},
    {"output: {integrals: {min: field, energy: field +}}",
     "bad.yaml:4:21: output.integrals: energy: ends where a number, a name or ( is expected\n"
     "    field +\n           ^\n"
     "bad.yaml:4:21: output.integrals: name: found min, which is taken (expected a name of its own)"},
    {"output: {integrals: {energy: fild^2}}",
     "bad.yaml:4:21: output.integrals: energy: unknown name fild (did you mean field?)\n"
     "    fild^2\n    ^"},
    {"output: {derived: {half: 0.5 * fild}}",
     "bad.yaml:4:19: output.derived: half: unknown name fild (did you mean field?)\n"
     "    0.5 * fild\n          ^"},
    {"output: {derived: {time: field}}",
     "bad.yaml:4:19: output.derived: found the name time, which outputs have already (expected "
     "another)"},
    {"output: {probes: {every: 10, at: {inlet: [4, 2], \"b c\": [0, 0]}}}",
     "bad.yaml:4:18: output.probes: at.inlet: found [4, 2], outside of the grid (expected rows from "
     "0 to 3, columns from 0 to 4)\n"
     "bad.yaml:4:18: output.probes: at: name: found b c (expected a letter, then letters, digits and "
     "_)"},
    {"output: {probes: {every: 0, at: 7}}",
     "bad.yaml:4:26: output.probes: every: found 0, out of range (expected an integer from 1 to "
     "9007199254740992)\n"
     "bad.yaml:4:33: output.probes: at: expected a map of names with an index for each axis: "
     "[plane, row, column], [row, column] or [column], or with a position: {at: [x, y, z]}"},
    {"output: {probes: {at: {inlet: [1, 2, 3]}}}",
     "bad.yaml:4:18: output.probes: at.inlet: found [1, 2, 3] (expected one number for each axis: "
     "rows from 0 to 3, columns from 0 to 4)"},
    {"output: {probes: {every: 5}}", "bad.yaml:4:18: output.probes: at: missing"},
    {"filters: [gaussian]",
     "bad.yaml:4:11: filters: filter 1: expected a map with keys of name, kind, kernel, size, "
     "sigma, normalize, mode, edge, constant, origin, nan, method or field"},
    {"filters: none",
     "bad.yaml:4:10: filters: expected a list of filters, each a map such as {kernel: gaussian}"},
    {"filters: [{kernel: box, sise: 3, edge: zero}]",
     "bad.yaml:4:25: filters: filter 1.sise: unknown key (did you mean size?)\n"
     "bad.yaml:4:40: filters: filter 1.edge: found zero (expected constant, nearest, reflect, "
     "mirror or wrap)"},
    {"filters: [{kernel: box, name: laplacian}]",
     "bad.yaml:4:10: filters: name: found laplacian, which is taken (expected a name of its own)"},
    {"filters: [{kernel: box, mode: full}]",
     "bad.yaml:4:10: filters: filter filtered: gives 6 x 7 cells on a grid of 4 x 5 (expected mode "
     "same, and a window no longer than the grid)"},
    {"filters: [{kernel: [[1, -1]], normalize: true}]",
     "bad.yaml:4:10: filters: filter filtered: normalize: the weights add up to 0 (expected another "
     "sum)"},
    {"compute: {threads: &t 2}",
     "bad.yaml:4:20: compute.threads: found an anchor (write the value itself)"},
    {"compute: {threads: *t}",
     "bad.yaml:4:20: found an alias (write the value itself)"},
    {"compute: {threads: !!int 2}",
     "bad.yaml:4:20: compute.threads: found a tag (write the value itself)"},
    {"compute: &c {threads: 2}",
     "bad.yaml:4:10: compute: found an anchor (expected a map with keys of compute: "
     "backend, precision, engine, threads, cache)"},
    {"grid: {shape: &s [4, 5]}",
     "bad.yaml:1:15: grid.shape: found an anchor (write the value itself)"},
    {"output: {&k every: 5}",
     "bad.yaml:4:10: output.every: a key with an anchor (write the key alone)"},
    {"!x compute: {}",
     "bad.yaml:4:1: compute: a key with a tag (write the key alone)"},
    {"? [a, b]",
     "bad.yaml:4:3: ?: a key that is not a word (expected `key: value`)"},
    // clang-format on
};

TEST_CASE("each mistake in a config has its message") {
  REQUIRE(mistakes_in(smallest_config) == "accepted");
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.line);
    CHECK(mistakes_in(config_with(mistake.line)) == std::string(mistake.message));
  }
}

}  // namespace
}  // namespace lapl
