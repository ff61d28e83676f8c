// First attempts, typed from memory of other programs, in a hurry or by mistake, and their answers.
#include "config_helpers.hpp"

namespace lapl {

TEST_CASE("each of 67 first attempts is answered") {
  struct Row {
    std::string section, line, message;  // the line stands in place of the section's
  };
  // clang-format off
  const Row rows[] = {
      {"grid", "gird: {shape: [16, 16]}",
       "bad.yaml:1:1: gird: unknown key (did you mean grid?)\n"
       "bad.yaml:1:1: grid.shape: missing (expected a list of 1 to 3, each an integer from 1 "
       "to 1099511627776)"},
      {"grid", "grid: {shape: 16}",
       "bad.yaml:1:15: grid.shape: found 16 (expected a list of 1 to 3, each an integer from 1 "
       "to 1099511627776)"},
      {"grid", "grid: {size: 1}",
       "bad.yaml:1:1: grid.shape: missing (expected a list of 1 to 3, each an integer from 1 "
       "to 1099511627776)"},
      {"grid", "grid: {nx: 16, ny: 16}",
       "bad.yaml:1:1: grid.shape: missing (expected a list of 1 to 3, each an integer from 1 "
       "to 1099511627776)\n"
       "bad.yaml:1:8: grid.nx: unknown key (did you mean grid.shape?)\n"
       "bad.yaml:1:16: grid.ny: unknown key (did you mean grid.shape?)"},
      {"grid", "grid: 16 x 16",
       "bad.yaml:1:1: grid.shape: missing (expected a list of 1 to 3, each an integer from 1 "
       "to 1099511627776)\n"
       "bad.yaml:1:7: grid: found 16 x 16 (expected a map with keys of grid: shape, spacing, "
       "size, origin, center, coordinates, mask, unit)"},
      {"grid", "grid: {shape: [16, 16], dx: 0.1}",
       "bad.yaml:1:25: grid.dx: unknown key (did you mean grid.spacing?)"},
      {"grid", "",
       "bad.yaml:1:1: grid.shape: missing (expected a list of 1 to 3, each an integer from 1 "
       "to 1099511627776)"},
      {"equation", "",
       "bad.yaml:1:1: equation.coefficient: missing (give it, or equation.diffusivity; or "
       "formulas, as in equation: {u: laplacian(u)})"},
      {"time", "",
       "bad.yaml:1:1: time.steps: missing (expected an integer from 0 to 9007199254740992, or "
       "time.end)"},
      {"initial", "",
       "accepted"},
      {"equation", "equation: laplacian(u)",
       "bad.yaml:3:1: equation.coefficient: missing (give it, or equation.diffusivity; or "
       "formulas, as in equation: {u: laplacian(u)})\n"
       "bad.yaml:3:11: equation: found laplacian(u) (expected a map of fields, as in equation: "
       "{u: laplacian(u)})"},
      {"equation", "equations: {u: laplacian(u)}",
       "bad.yaml:1:1: equation.coefficient: missing (give it, or equation.diffusivity; or "
       "formulas, as in equation: {u: laplacian(u)})\n"
       "bad.yaml:3:1: equations: unknown key (did you mean equation?)"},
      {"equation", "equation: {u: laplace(u)}",
       "bad.yaml:3:15: equation.u: unknown name laplace (did you mean laplacian?)\n"
       "    laplace(u)\n"
       "    ^"},
      {"equation", "equation: {u: lap(u)}",
       "bad.yaml:3:15: equation.u: unknown name lap (did you mean laplacian?)\n"
       "    lap(u)\n"
       "    ^"},
      {"equation", "equation: {u: d2_dx2(u) + d2u_dy2}",
       "bad.yaml:3:27: equation.u: unknown name d2u_dy2 (did you mean d2_dy2?)\n"
       "    d2_dx2(u) + d2u_dy2\n"
       "                ^"},
      {"equation", "equation: {du_dt: laplacian(u)}",
       "bad.yaml:3:29: equation.du_dt: unknown name u (expected du_dt, t, x, y or a function "
       "of docs/formulas.md; numbers of your own stand in parameters)\n"
       "    laplacian(u)\n"
       "              ^"},
      {"equation", "equation: {u: u_xx}",
       "bad.yaml:3:15: equation.u: unknown name u_xx (expected u, t, x, y or a function of "
       "docs/formulas.md; numbers of your own stand in parameters)\n"
       "    u_xx\n"
       "    ^"},
      {"equation", "equation: {u: laplacian(u) - u**3}",
       "bad.yaml:3:31: equation.u: found ** (a power is written ^)\n"
       "    laplacian(u) - u**3\n"
       "                    ^"},
      {"equation", "equation: {u: \"laplacian(u) * (u > 0 and u < 1)\"}",
       "accepted"},
      {"equation", "equation: {u: \"if(u > 1, 0, u)\"}",
       "bad.yaml:3:15: equation.u: unknown name if (did you mean where?)\n"
       "    if(u > 1, 0, u)\n"
       "    ^"},
      {"equation", "equation: {u: laplacian(u) - v}",
       "bad.yaml:3:30: equation.u: unknown name v (expected u, t, x, y or a function of "
       "docs/formulas.md; numbers of your own stand in parameters)\n"
       "    laplacian(u) - v\n"
       "                   ^"},
      {"equation", "equation: {u: D * laplacian(u)}",
       "bad.yaml:3:15: equation.u: unknown name D (expected u, t, x, y or a function of "
       "docs/formulas.md; numbers of your own stand in parameters)\n"
       "    D * laplacian(u)\n"
       "    ^"},
      {"equation", "equation: {u: where(u < 1, u, 0)}",
       "bad.yaml:3:15: a comma ends the value inside { } (put the formula in quotes: \"where(u "
       "< 1, u, 0)\")"},
      {"equation", "equation: {u: laplacian(u) + random}",
       "bad.yaml:3:30: equation.u: unknown name random (did you mean noise?)\n"
       "    laplacian(u) + random\n"
       "                   ^"},
      {"equation", "equation: {u: poisson(-u)}",
       "bad.yaml:3:15: equation.u: unknown name poisson (docs/solves.md has elliptic equations)\n"
       "    poisson(-u)\n"
       "    ^"},
      {"equation", "equation: {u: integrate(u)}",
       "bad.yaml:3:15: equation.u: unknown name integrate (did you mean integral?)\n"
       "    integrate(u)\n"
       "    ^"},
      {"equation", "equation: {u: laplacian(u) + sin(2*Pi*x)}",
       "bad.yaml:3:36: equation.u: unknown name Pi (did you mean pi?)\n"
       "    laplacian(u) + sin(2*Pi*x)\n"
       "                         ^"},
      {"equation", "equation: {u: laplacian(u) + sin(time)}",
       "bad.yaml:3:34: equation.u: unknown name time (did you mean t?)\n"
       "    laplacian(u) + sin(time)\n"
       "                       ^"},
      {"equation", "equation: {u: 1.5e-3laplacian(u)}",
       "bad.yaml:3:15: equation.u: found 1.5e (between a number and what it multiplies stands "
       "a *)\n"
       "    1.5e-3laplacian(u)\n"
       "    ^"},
      {"equation", "equation: {u: 2u}",
       "bad.yaml:3:15: equation.u: found 2u (between a number and what it multiplies stands a "
       "*)\n"
       "    2u\n"
       "    ^"},
      {"time", "time: {dt: 0.1, end: 1}",
       "bad.yaml:5:8: time.dt: unknown key (did you mean time.step?)"},
      {"time", "time: {t_end: 1}",
       "bad.yaml:5:1: time.steps: missing (expected an integer from 0 to 9007199254740992, or "
       "time.end)\n"
       "bad.yaml:5:8: time.t_end: unknown key (did you mean time.end?)"},
      {"time", "time: {end: 1, steps: 10, step: 0.1}",
       "bad.yaml:5:13: time.end: given besides time.steps (give one of them)"},
      {"time", "time: {end: 1, step: 0.5}",
       "bad.yaml:5:22: time.step: found 0.5, unstable: waves that the equation damps or keeps "
       "grow by a factor of 3 in each step (expected at most 0.25)"},
      {"time", "time: {end: 1, step: 0.15}",
       "bad.yaml:5:22: time.step: 0.15 does not divide time.end 1 (expected 0.14285714285714285 "
       "or 0.16666666666666666)"},
      {"time", "time: {end: 1, scheme: rk45, tolerance: 1e-3}",
       "bad.yaml:5:24: time.scheme: found rk45 (expected euler, heun, midpoint, ssprk3, rk4, "
       "bs23, dopri5, leapfrog, rkl2, imex, etdrk2, etdrk4, backward-euler, sdirk2 or steady; did "
       "you mean rk4?)"},
      {"time", "time: {end: 1, tolerance: 1e-3}",
       "bad.yaml:5:27: time.tolerance: given with time.scheme euler, which estimates no error "
       "(expected time.scheme bs23, dopri5, rkl2, imex, etdrk2, etdrk4 or sdirk2)"},
      {"time", "time: {end: 1, method: rk4}",
       "bad.yaml:5:16: time.method: unknown key (did you mean time.scheme?)"},
      {"time", "time: {end: -1}",
       "bad.yaml:5:13: time.end: found -1 (expected a time after time.start, 0)"},
      {"time", "time: {end: 10 s}",
       "bad.yaml:5:13: time.end: found 10 s (expected null, or a finite number)"},
      {"boundary", "bc: periodic",
       "bad.yaml:2:1: bc: unknown key (did you mean boundary?)"},
      {"boundary", "boundaries: periodic",
       "bad.yaml:2:1: boundaries: unknown key (did you mean boundary?)"},
      {"boundary", "boundary: {dirichlet: 1}",
       "accepted"},
      {"boundary", "boundary: no-flux",
       "bad.yaml:2:11: boundary: found no-flux (expected zero, insulated or periodic, or a "
       "finite number, or a condition or a map of first and last with one each; did you mean "
       "insulated?)"},
      {"boundary", "boundary: reflecting",
       "bad.yaml:2:11: boundary: found reflecting (expected zero, insulated or periodic, or a "
       "finite number, or a condition or a map of first and last with one each)"},
      {"boundary", "boundary: {west: 1, east: 0, north: 0, south: 0}",
       "bad.yaml:2:12: boundary.west: unknown key (did you mean boundary.left?)\n"
       "bad.yaml:2:21: boundary.east: unknown key (did you mean boundary.right?)\n"
       "bad.yaml:2:30: boundary.north: unknown key (did you mean boundary.top?)\n"
       "bad.yaml:2:40: boundary.south: unknown key (did you mean boundary.bottom?)"},
      {"boundary", "boundary: {left: 1}",
       "bad.yaml:2:18: boundary.columns: last: missing (expected a condition at right, top or front, "
       "or one for both sides)"},
      {"boundary", "boundary: {left: periodic, right: periodic}",
       "bad.yaml:2:18: boundary.columns: first: found periodic, which is of both sides (write "
       "it for the axis, or for a field at both sides: {u: periodic, v: insulated})\n"
       "bad.yaml:2:35: boundary.columns: last: found periodic, which is of both sides (write "
       "it for the axis, or for a field at both sides: {u: periodic, v: insulated})"},
      {"boundary", "boundary: {x: {type: value, value: 1}}",
       "bad.yaml:2:22: boundary.columns: first.type: found value (expected periodic, or zero, insulated, "
       "{value: u}, {value: u, at: face}, {value: u, at: node}, {derivative: du/dn}, {mixed: "
       "{value: b, factor: a}}, {absorbing: c}, or a map of fields with these)\n"
       "bad.yaml:2:22: boundary.columns: last.type: found value (expected periodic, or zero, insulated, "
       "{value: u}, {value: u, at: face}, {value: u, at: node}, {derivative: du/dn}, {mixed: "
       "{value: b, factor: a}}, {absorbing: c}, or a map of fields with these)"},
      {"boundary", "boundary: {x: sin(t), y: periodic}",
       "bad.yaml:2:15: boundary.columns: found sin(t) (expected zero, insulated or periodic, "
       "or a finite number, or a condition or a map of first and last with one each)"},
      {"initial", "initial: [1, 2]",
       "bad.yaml:4:10: initial: found a list (expected a number or a formula, or a map of fields "
       "with these, as in initial: {u: 1 - x}, or of keys of initial: kind, seed, "
       "spectral_exponent, crop_radius, percentile, value, amplitude, center, width, tile, mode, "
       "path, dataset, record, interpolate, formula, let, from)"},
      {"initial", "initial: gaussian",
       "bad.yaml:4:10: initial.formula: unknown name gaussian (did you mean {kind: "
       "gaussian}?)\n"
       "    gaussian\n"
       "    ^"},
      {"initial", "initial: {kind: gausian}",
       "bad.yaml:4:17: initial.kind: found gausian (expected fractal, uniform, gaussian, "
       "checkerboard, sine, image, hdf5 or formula; did you mean gaussian?)"},
      {"initial", "initial: {w: 1}",
       "bad.yaml:4:11: initial.w: neither a key nor a field (expected u)"},
      {"initial", "initial: exp(-((x-8)^2 + (y-8)^2)/4)",
       "accepted"},
      {"initial", "initial: np.exp(-x)",
       "bad.yaml:4:12: initial.formula: found .exp where it has no place\n"
       "    np.exp(-x)\n"
       "      ^"},
      {"initial", "initial: rand",
       "bad.yaml:4:10: initial.formula: unknown name rand (did you mean random, from 0 to "
       "1?)\n"
       "    rand\n"
       "    ^"},
      {"initial", "initial: randn()",
       "bad.yaml:4:16: initial.formula: found ) where it has no place\n"
       "    randn()\n"
       "          ^"},
      {"initial", "initial: b\n"
       "parameters: {b: 1/3}",
       "bad.yaml:5:17: parameters.b: found 1/3 (expected a finite number, or {image: FILE, "
       "range: [black, white]}, {hdf5: FILE, dataset: NAME, record: RECORD}, {npy: FILE} or {formula: "
       "FORMULA})"},
      {"initial", "initial: b\n"
       "params: {b: 1}",
       "bad.yaml:4:10: initial.formula: unknown name b (expected u, x, y, random or a function "
       "of docs/formulas.md; numbers of your own stand in parameters)\n"
       "    b\n"
       "    ^\n"
       "bad.yaml:5:1: params: unknown key (did you mean parameters?)"},
      {"output", "output: {interval: 10}",
       "bad.yaml:6:10: output.interval: unknown key (did you mean output.every?)"},
      {"output", "output: {dir: out}",
       "bad.yaml:6:10: output.dir: unknown key (did you mean output.directory?)"},
      {"output", "output: {every: 0.5}",
       "bad.yaml:6:17: output.every: found 0.5, not an integer (expected an integer from 1 to "
       "9007199254740992)"},
      {"output", "output: {fields: [w]}",
       "bad.yaml:6:19: output.fields: found w (expected u or laplacian)"},
      {"output", "compute: {precision: double}",
       "bad.yaml:6:22: compute.precision: found double (expected float32 or float64; did you "
       "mean float64?)"},
      {"output", "compute: {backend: gpu}",
       "bad.yaml:6:20: compute.backend: found gpu (expected auto, cuda or cpu; did you mean "
       "cuda?)"},
      {"output", "output:\n"
       "\tcount: 2",
       "bad.yaml:7:1: found a tab in the indentation (expected spaces)"},
      {"equation", "equation: {u: laplacian(u): 2}",
       "bad.yaml:3:27: not valid YAML: end of map flow not found (expected matching "
       "indentation, brackets and quotes)"},
  };
  // clang-format on
  for (const auto& [section, line, message] : rows) {
    std::string text;
    for (const std::string given :
         {"grid: {shape: [16, 16]}", "boundary: periodic", "equation: {u: laplacian(u)}",
          "initial: random", "time: {end: 1}", "output: {count: 2}"}) {
      const bool replaced = given.starts_with(section + ':');
      if (!replaced) text += given + '\n';
      if (replaced && !line.empty()) text += line + '\n';
    }
    CAPTURE(text);
    CHECK(mistakes_in(text) == message);
  }
}

}  // namespace lapl
