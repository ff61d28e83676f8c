"""equations.py FILE.h5: steps eleven equations, and those of choices.py, schemes.py, boxes.py, noise.py and means.py,
by NumPy alone and stores what they come to.

Each function states one equation twice: its text is lapl's config, its body the same in NumPy, written after
docs/formulas.md and docs/numerics.md. FILE.h5 has a group for each: `config`, and every field after the last step.

    python3 tests/data/equations.py tests/data/equations.h5
"""
import inspect
import math
import sys

import boxes
import choices
import h5py
import means
import noise
import numpy as np
import schemes
from finite_differences import EVEN, PERIODIC, ZERO, Grid, euler, heun, leapfrog, rk4, ssprk3
from numpy import abs, arctan, arctan2, cos, exp, floor, log, maximum, minimum, pi, sign, sin, sqrt, tan, tanh, where


def heat():
    """
    grid: {shape: [37, 53], spacing: 0.5}
    parameters:
      D: 0.8
      s: {formula: "3 * exp(-((x - 9)^2 + (y - 6)^2) / 20)"}
    equation:
      kind: formula
      field: D * laplacian(field) + s - 0.02 * field
    boundary:
      rows: {first: insulated, last: {derivative: 0.3}}
      columns:
        first: {value: 2 + sin(0.7 * t)}
        last: {mixed: {value: 0.1 * y + D, factor: 0.4}}
    initial: {kind: uniform, value: 1}
    time: {step: 0.05, steps: 60}
    """
    grid = Grid(37, 53, h=0.5)
    D, s = 0.8, 3 * exp(-((grid.x - 9) ** 2 + (grid.y - 6) ** 2) / 20)
    rows = EVEN, grid.derivative(lambda x, y: 0.3)
    last = grid.mixed(lambda x, y: 0.1 * y + D, 0.4)

    def rate(state, t):
        [u] = state
        columns = grid.value(lambda x, y: 2 + sin(0.7 * t)), last
        return np.array([D * grid.laplacian(grid.ghosts(u, rows, columns)) + s - 0.02 * u])

    return {"field": euler(rate, np.ones((1, *grid.shape)), dt=0.05, steps=60)}


def conductivity():
    """
    grid: {shape: [29, 31]}
    fields: [T]
    parameters:
      D: {formula: 0.5 + 0.4 * sin(x / 3) * cos(y / 4)}
    equation:
      kind: formula
      T: divergence(2 * gradient(T) * (D + T^2))
    boundary:
      rows: {first: {value: 0.02 * x - 0.1 * t}, last: {derivative: 0.1 * cos(t) + 0.01 * x}}
      columns: insulated
    initial: {kind: formula, formula: random}
    time: {step: 0.05, steps: 50, scheme: heun}
    """
    grid = Grid(29, 31)
    def conductivity(x, y):
        return 0.5 + 0.4 * sin(x / 3) * cos(y / 4)

    even = (EVEN, EVEN)
    # Where a flux flows in, D has its value at the face.
    D = grid.ghosts(conductivity(grid.x, grid.y),
                    (EVEN, lambda inside, x, y, *face: 2 * conductivity(*face) - inside), even)

    def rate(state, t):
        rows = grid.value(lambda x, y: 0.02 * x - 0.1 * t), grid.derivative(lambda x, y: 0.1 * cos(t) + 0.01 * x)
        T = grid.ghosts(state[0], rows, even)
        return np.array([grid.flux_divergence(2 * (D + T**2), T)])

    return {"T": heun(rate, grid.random(), dt=0.05, steps=50)}


def gray_scott():
    """
    grid: {shape: [31, 37]}
    fields: [u, v]
    parameters:
      Du: 0.16
      Dv: 0.08
      F: {formula: 0.03 + 0.0004 * x}
      k: 0.06
    equation:
      kind: formula
      u: Du * laplacian(u) - u * v^2 + F * (1 - u)
      v: Dv * laplacian(v) + u * v^2 - (F + k) * v
    boundary: periodic
    initial:
      u: {kind: formula, formula: 1 - 0.1 * random}
      v: {kind: formula, formula: "where((x - 18)^2 + (y - 15)^2 < 60, 0.5, 0) + 0.02 * random"}
    time: {step: 1, steps: 60, scheme: ssprk3}
    """
    grid = Grid(31, 37)
    Du, Dv, F, k = 0.16, 0.08, 0.03 + 0.0004 * grid.x, 0.06

    def rate(state, t):
        u, v = state
        around_u, around_v = (grid.ghosts(field, PERIODIC, PERIODIC) for field in state)
        return np.array([Du * grid.laplacian(around_u) - u * v**2 + F * (1 - u),
                         Dv * grid.laplacian(around_v) + u * v**2 - (F + k) * v])

    noise = grid.random(2, seed=3966789)
    square = (grid.x - 18) ** 2 + (grid.y - 15) ** 2 < 60
    state = np.array([1 - 0.1 * noise[0], where(square, 0.5, 0) + 0.02 * noise[1]])
    return dict(zip("uv", ssprk3(rate, state, dt=1.0, steps=60)))


def wave():
    """
    grid: {shape: [27, 35], spacing: 0.25}
    fields: [u, v]
    parameters:
      c: {formula: "where(x < 4, 1, 0.6)"}
    equation:
      kind: formula
      u: v
      v: c^2 * laplacian(u) - 0.05 * v
    boundary:
      rows: zero
      columns:
        first: {u: {value: sin(3 * t)}, v: zero}
        last: insulated
    initial:
      u: {kind: formula, formula: "exp(-((x - 5)^2 + (y - 3)^2))"}
      v: {kind: uniform, value: 0}
    time: {step: 0.1, steps: 80, scheme: leapfrog}
    """
    grid = Grid(27, 35, h=0.25)
    c = where(grid.x < 4, 1, 0.6)

    def rate(state, t):
        u, v = state
        columns = grid.value(lambda x, y: sin(3 * t)), EVEN
        return v, c**2 * grid.laplacian(grid.ghosts(u, (ZERO, ZERO), columns)) - 0.05 * v

    drop = exp(-((grid.x - 5) ** 2 + (grid.y - 3) ** 2))
    return dict(zip("uv", leapfrog(rate, np.array([drop, 0 * drop]), dt=0.1, steps=80)))


def advection():
    """
    grid: {shape: [33, 23], spacing: 2}
    fields: [dye]
    parameters:
      cx: {formula: 1 + 0.5 * cos(y / 9)}
    equation:
      kind: formula
      dye: -upwind(cx, 0.7 * sin(t), dye) - upwind(0.1, -0.2, dye^2)
    boundary:
      rows: periodic
      columns: {first: {value: "where(y < 20, 1, 0.25)"}, last: insulated}
    initial: {kind: formula, formula: 0.5 * random, seed: 7}
    time: {step: 0.5, steps: 60}
    """
    grid = Grid(33, 23, h=2.0)
    cx = 1 + 0.5 * cos(grid.y / 9)
    columns = grid.value(lambda x, y: where(y < 20, 1, 0.25)), EVEN

    def rate(state, t):
        dye = grid.ghosts(state[0], PERIODIC, columns)
        return np.array([-grid.upwind(cx, 0.7 * sin(t), dye) - grid.upwind(0.1, -0.2, dye**2)])

    return {"dye": euler(rate, 0.5 * grid.random(seed=7), dt=0.5, steps=60)}


def burgers():
    """
    grid: {shape: [25, 27], spacing: 0.04}
    fields: [u, v]
    parameters: {nu: 0.01}
    equation:
      kind: formula
      u: nu * laplacian(u) - u * d_dx(u) - v * d_dy(u)
      v: nu * laplacian(v) - u * d_dx(v) - v * d_dy(v)
    boundary:
      rows:
        first: {u: {value: sin(pi * x) * exp(-t)}, v: zero}
        last: {u: insulated, v: {derivative: 0.5 * x}}
      columns:
        first: {u: {mixed: {value: t, factor: 2}}, v: insulated}
        last: {value: 0.2 * y}
    initial:
      u: {kind: formula, formula: sin(pi * x) * cos(pi * y)}
      v: {kind: formula, formula: 0.5 * cos(pi * x) * y}
    time: {step: 0.01, steps: 50, scheme: rk4}
    """
    grid = Grid(25, 27, h=0.04)
    nu = 0.01
    outflow = grid.value(lambda x, y: 0.2 * y)

    def rate(state, t):
        u, v = state
        rows_u = grid.value(lambda x, y: sin(pi * x) * exp(-t)), EVEN
        rows_v = ZERO, grid.derivative(lambda x, y: 0.5 * x)
        e = grid.ghosts(u, rows_u, (grid.mixed(lambda x, y: t, 2), outflow))
        f = grid.ghosts(v, rows_v, (EVEN, outflow))
        return np.array([nu * grid.laplacian(w) - u * grid.d_dx(w) - v * grid.d_dy(w) for w in (e, f)])

    state = np.array([sin(pi * grid.x) * cos(pi * grid.y), 0.5 * cos(pi * grid.x) * grid.y])
    return dict(zip("uv", rk4(rate, state, dt=0.01, steps=50)))


def cahn_hilliard():
    """
    grid: {shape: [21, 39]}
    fields: [c]
    parameters: {gamma: 0.5}
    equation:
      kind: formula
      let: {mu: c^3 - c - gamma * laplacian(c)}
      c: laplacian(mu)
    boundary:
      rows: periodic
      columns:
        first: {c: {value: 0.5}, mu: {value: 0.1 * sin(t)}}
        last: {c: insulated}
    initial: {kind: formula, formula: 0.4 * (random - 0.5)}
    time: {step: 0.02, steps: 80, scheme: ssprk3}
    """
    grid = Grid(21, 39)
    gamma = 0.5

    def rate(state, t):
        [c] = state
        around_c = grid.ghosts(c, PERIODIC, (grid.value(lambda x, y: 0.5), EVEN))
        mu = c**3 - c - gamma * grid.laplacian(around_c)
        return np.array([grid.laplacian(grid.ghosts(mu, PERIODIC, (grid.value(lambda x, y: 0.1 * sin(t)), EVEN)))])

    return {"c": ssprk3(rate, 0.4 * (grid.random() - 0.5), dt=0.02, steps=80)}


def kuramoto_sivashinsky():
    """
    grid: {shape: [23, 41]}
    fields: [h]
    equation:
      kind: formula
      h: -laplacian(h + laplacian(h)) - 0.5 * gradient_squared(h)
    boundary: {rows: insulated, columns: zero}
    initial: {kind: formula, formula: 2 * (random - 0.5)}
    time: {step: 0.02, steps: 80, scheme: heun}
    """
    grid = Grid(23, 41)
    even = (EVEN, EVEN)

    def rate(state, t):
        h = grid.ghosts(state[0], even, (ZERO, ZERO))
        bent = grid.ghosts(state[0] + grid.laplacian(h), even, even)  # a quantity without a condition is insulated
        return np.array([-grid.laplacian(bent) - 0.5 * grid.gradient_squared(h)])

    return {"h": heun(rate, 2 * (grid.random() - 0.5), dt=0.02, steps=80)}


def anisotropic():
    """
    grid: {shape: [19, 33], spacing: 0.5}
    fields: [u]
    parameters: {a: 0.3, b: -0.2, c: 0.15}
    equation:
      kind: formula
      u: a * d2_dx2(u) + b * d2_dxdy(u + 0.1 * x * y) + c * d2_dy2(u) + 0.1 * d_dy((y - 4) * u) / (1 + x)
    boundary:
      rows: {first: {value: 0.1 * x * cos(2 * t)}, last: {mixed: {value: 0.5, factor: 1}}}
      columns: {first: {derivative: 0.2 * y}, last: {value: 0.3}}
    initial: {kind: formula, formula: random}
    time: {step: 0.1, steps: 70, scheme: rk4}
    """
    grid = Grid(19, 33, h=0.5)
    a, b, c = 0.3, -0.2, 0.15
    columns = grid.derivative(lambda x, y: 0.2 * y), grid.value(lambda x, y: 0.3)
    x, y = grid.beyond_x, grid.beyond_y

    def rate(state, t):
        rows = grid.value(lambda x, y: 0.1 * x * cos(2 * t)), grid.mixed(lambda x, y: 0.5, 1)
        u = grid.ghosts(state[0], rows, columns)
        return np.array([a * grid.d2_dx2(u) + b * grid.d2_dxdy(u + 0.1 * x * y) + c * grid.d2_dy2(u)
                         + 0.1 * grid.d_dy((y - 4) * u) / (1 + grid.x)])

    return {"u": rk4(rate, grid.random(), dt=0.1, steps=70)}


def crystal():
    """
    grid: {shape: [29, 29], spacing: 0.8}
    fields: [p, u]
    parameters: {D: 2, lambda: 3.19, s: 0.05}
    equation:
      kind: formula
      let:
        px: d_dx(p)
        py: d_dy(p)
        g: px^2 + py^2 + 0.01
        a: 1 - 3 * s + 4 * s * (px^4 + py^4) / g^2
        fx: 16 * s * a * px * py^2 * (px^2 - py^2) / g^2
        fy: 16 * s * a * py * px^2 * (py^2 - px^2) / g^2
        growth: "((p - lambda * u * (1 - p^2)) * (1 - p^2) + divergence(a^2 * gradient(p)) + d_dx(fx) + d_dy(fy)) / a^2"
      p: growth
      u: D * laplacian(u) + 0.5 * growth
    boundary: insulated
    initial:
      p: {kind: formula, formula: "-tanh((sqrt((x - 10)^2 + (y - 12)^2) - 5) / sqrt(2))"}
      u: {kind: uniform, value: -0.65}
    time: {step: 0.03, steps: 60}
    """
    grid = Grid(29, 29, h=0.8)
    D, l, s = 2, 3.19, 0.05

    def around(u):
        return grid.ghosts(u, (EVEN, EVEN), (EVEN, EVEN))

    def rate(state, t):
        p, u = state
        px, py = grid.d_dx(around(p)), grid.d_dy(around(p))
        g = px**2 + py**2 + 0.01
        a = 1 - 3 * s + 4 * s * (px**4 + py**4) / g**2
        fx = 16 * s * a * px * py**2 * (px**2 - py**2) / g**2
        fy = 16 * s * a * py * px**2 * (py**2 - px**2) / g**2
        growth = ((p - l * u * (1 - p**2)) * (1 - p**2) + grid.flux_divergence(around(a**2), around(p))
                  + grid.d_dx(around(fx)) + grid.d_dy(around(fy))) / a**2
        return np.array([growth, D * grid.laplacian(around(u)) + 0.5 * growth])

    seed = -tanh((sqrt((grid.x - 10) ** 2 + (grid.y - 12) ** 2) - 5) / sqrt(2))
    return dict(zip("pu", euler(rate, np.array([seed, np.full(grid.shape, -0.65)]), dt=0.03, steps=60)))


def functions():
    """
    grid: {shape: [17, 19]}
    fields: [u, v]
    equation:
      kind: formula
      let: {near: "where(u <= v, sin(u + t), cos(2 * v))"}
      u: 0.2 * laplacian(near) + exp(-v^2) - log(1 + u^2) * sqrt(abs(v)) + 0.1 * (u != v)
        + 0.3 * atan2(u + 0.5, v) - 0.2 * atan(3 * v) + 0.1 * erf(u - v)
      v: tanh(u) - tan(v / 3) + 0.1 * min(u, v) - 0.2 * max(u, 0.5) + 0.05 * floor(2 * u)
        - sign(v) * pow(abs(v) + 0.1, 1.7) + 2^-u * (x > 3) * (y >= 5) + (u < 0.3) + 0.01 * u^-2
    boundary: {rows: periodic, columns: insulated}
    initial:
      u: {kind: formula, formula: 1 + random}
      v: {kind: formula, formula: 2 * random - 1}
    time: {step: 0.02, steps: 60, scheme: rk4}
    """
    grid = Grid(17, 19)

    def rate(state, t):
        u, v = state
        around_u, around_v = (grid.ghosts(field, PERIODIC, (EVEN, EVEN)) for field in state)
        near = where(around_u <= around_v, sin(around_u + t), cos(2 * around_v))
        return np.array([
            0.2 * grid.laplacian(near) + exp(-(v**2)) - log(1 + u**2) * sqrt(abs(v)) + 0.1 * (u != v)
            + 0.3 * arctan2(u + 0.5, v) - 0.2 * arctan(3 * v) + 0.1 * np.vectorize(math.erf)(u - v),
            tanh(u) - tan(v / 3) + 0.1 * minimum(u, v) - 0.2 * maximum(u, 0.5) + 0.05 * floor(2 * u)
            - sign(v) * (abs(v) + 0.1) ** 1.7 + 2.0**-u * (grid.x > 3) * (grid.y >= 5) + (u < 0.3) + 0.01 / u**2])

    noise = grid.random(2)
    return dict(zip("uv", rk4(rate, np.array([1 + noise[0], 2 * noise[1] - 1]), dt=0.02, steps=60)))


EQUATIONS = [heat, conductivity, gray_scott, wave, advection, burgers, cahn_hilliard, kuramoto_sivashinsky, anisotropic,
             crystal, functions, *choices.EQUATIONS, *schemes.EQUATIONS, *boxes.EQUATIONS, *noise.EQUATIONS,
             *means.EQUATIONS]

if __name__ == "__main__":
    with h5py.File(sys.argv[1], "w") as file:
        for equation in EQUATIONS:
            group = file.create_group(equation.__name__)
            group["config"] = np.bytes_(inspect.cleandoc(equation.__doc__) + "\n")
            for name, values in equation().items():
                group[name] = np.squeeze(values)
                assert np.isfinite(values).all(), (equation.__name__, name)
                print(f"{equation.__name__:22} {name:6} {np.abs(values).max():.3g}")
