"""conditions.py FILE.h5: steps equations whose conditions read fields or hold nodes, by NumPy and SciPy alone, and stores what they come to.

As in equations.py, each function states one equation twice: as a config, and in NumPy after
docs/boundary-conditions.md.

    python3 tests/data/conditions.py tests/data/conditions.h5
"""
import inspect
import sys

import h5py
import numpy as np
from finite_differences import PERIODIC, Grid, euler, heun, imex, leapfrog, rk4, rkl2
from numpy import cos, exp, sin
from scipy.integrate import solve_ivp
from scipy.optimize import brentq


ON_LINE = "on the line through the two nodes beside"


def EVEN_BEYOND(inside, before, name, *_):
    return inside[name]


def none(at, x, y):
    return 0


def continued(here, before, place):
    """On the line through both nodes, unless it crosses 0."""
    return np.where((2 * here - before) * here > 0, here + place * (here - before), here)


class Conditions(Grid):
    """A grid whose conditions read arrays by name, where they hold."""

    # A condition returns the value at the node beyond a face. Its arguments: the arrays at the node inside and at the one
    # before it, its own name, x and y of the node beyond, x and y of the face between the two.

    def condition(self, place, value, factor, meets):
        """The condition with formulas of the arrays at its place (1: the node beyond, 1/2: the face). `meets` is c in w = c,
        which the array w there fulfils, of the node inside, value and factor, and the derivative of c by w."""
        def ghost(inside, before, name, x, y, *face):
            here, at = inside[name], (x, y) if place == 1 else face
            others = {other: continued(inside[other], before[other], place) for other in inside if other != name}

            def formulas(w):
                return [formula({**others, name: w}, *at) + 0 * w for formula in (value, factor)]

            w, found, changes = here, [here], []
            for _ in range(30):  # steps of Newton's method
                (v, f), tiny = formulas(w), 1e-30
                dv, df = [np.imag(of) / tiny for of in formulas(w + tiny * 1j)]
                c, slope = meets(here, w, v, f, dv, df)
                changes.append(abs(c - w))
                w = w + (c - w) / (1 - slope)
                if len(found) == 1:  # a first step beyond 0 stops there
                    w = np.where(here * w < 0, 0, w)
                found.append(w)
            # two, where they are enough
            last = abs(found[2] - found[1])
            enough = (32 * last <= abs(found[2] - here)) & (16 * changes[1] <= changes[0])
            w = np.where(enough | (last <= 2**-22 * abs(found[2])), found[2], w)
            return w if place == 1 else 2 * w - here

        return ghost

    def value(self, g):
        return self.condition(1, g, none, lambda here, w, v, f, dv, df: (v, dv))

    def at_face(self, g):
        return self.condition(0.5, g, none, lambda here, w, v, f, dv, df: (v, dv))

    def derivative(self, q):
        return self.condition(0.5, q, none, lambda here, w, v, f, dv, df: (here + self.h / 2 * v, self.h / 2 * dv))

    def mixed(self, v, f):
        h = self.h
        return self.condition(0.5, v, f, lambda here, w, v, f, dv, df: (
            (here + h / 2 * v) / (1 + h / 2 * f), h / 2 * (dv - df * w) / (1 + h / 2 * f)))

    def coefficient(self, k):
        """Holds a coefficient at its value at the face."""
        return lambda inside, before, name, x, y, *face: 2 * k(*face) - inside[name]

    def around(self, arrays, conditions):
        """The arrays with the nodes just outside. The columns of all come first, so that the conditions of the rows read them
        at corners. `conditions` has those of the rows and of the columns for each array; other arrays continue evenly."""
        h, (n, m) = self.h, self.shape
        conditions = {name: conditions.get(name, [(EVEN_BEYOND, EVEN_BEYOND)] * 2) for name in arrays}

        def beyond(condition, name, part, before, *places):
            if condition is ON_LINE:
                return 2 * part(arrays[name]) - before(arrays[name])
            return condition({other: part(array) for other, array in arrays.items()},
                       {other: before(array) for other, array in arrays.items()}, name, *places)

        wide = {}
        for name, u in arrays.items():
            if conditions[name][1] is PERIODIC:
                wide[name] = np.hstack([u[:, -1:], u, u[:, :1]])
                continue
            first, last = conditions[name][1]
            wide[name] = np.hstack([
                beyond(first, name, lambda a: a[:, :1], lambda a: a[:, 1:2], -h, self.y, -h / 2, self.y), u,
                beyond(last, name, lambda a: a[:, -1:], lambda a: a[:, -2:-1], m * h, self.y, (m - 0.5) * h, self.y)])
        arrays, x, tall = wide, self.beyond_x, {}
        for name, u in arrays.items():
            if conditions[name][0] is PERIODIC:
                tall[name] = np.vstack([u[-1:], u, u[:1]])
                continue
            first, last = conditions[name][0]
            tall[name] = np.vstack([
                beyond(first, name, lambda a: a[:1], lambda a: a[1:2], x, -h, x, -h / 2), u,
                beyond(last, name, lambda a: a[-1:], lambda a: a[-2:-1], x, n * h, x, (n - 0.5) * h)])
        return tall


def radiation():
    """
    grid: {shape: [19, 23], spacing: 0.5}
    fields: [T, v]
    parameters:
      e: 0.3
      k: {formula: 0.5 + 0.4 * sin(x / 3) * cos(y / 4)}
    equation:
      kind: formula
      let: {excess: T^4 - 0.2 - v}
      T: 0.3 * laplacian(T) + 0.1 * d2_dxdy(T * v + k)
      v: divergence(k * gradient(v)) - 0.1 * v + 0.05 * gradient_squared(T)
    boundary:
      rows:
        first: {T: {derivative: -e * excess * (1 + 0.5 * cos(t))}, v: {value: 0.2 * x}}
        last: {T: {mixed: {value: k * v, factor: 1 + T^2}}, v: {derivative: 0.02 * x * T}}
      columns:
        first: {value: 0.5 * T + 0.01 * y, at: face}
        last: {T: {value: v * k}, v: insulated}
    initial:
      T: {kind: formula, formula: random}
      v: {kind: formula, formula: random}
    time: {step: 0.05, steps: 80, scheme: heun}
    output: {fields: [T], integrals: {out: {formula: -k * normal_derivative(T), on: columns.last}}}
    """
    grid = Conditions(19, 23, h=0.5)
    e, conductivity = 0.3, lambda x, y: 0.5 + 0.4 * sin(x / 3) * cos(y / 4)
    k = conductivity(grid.x, grid.y)
    at_face = grid.coefficient(conductivity)
    first = grid.at_face(lambda at, x, y: 0.5 * at["T"] + 0.01 * y)

    def rate(state, t):
        rows = {"T": (grid.derivative(lambda at, x, y: -e * (at["T"]**4 - 0.2 - at["v"]) * (1 + 0.5 * cos(t))),
                      grid.mixed(lambda at, x, y: conductivity(x, y) * at["v"], lambda at, x, y: 1 + at["T"]**2)),
                "v": (grid.value(lambda at, x, y: 0.2 * x), grid.derivative(lambda at, x, y: 0.02 * x * at["T"]))}
        columns = {"T": (first, grid.value(lambda at, x, y: at["v"] * conductivity(x, y))),
                   "v": (first, grid.derivative(lambda *_: 0))}
        around = grid.around({"T": state[0], "v": state[1], "k": k}, {
            **{of: (rows[of], columns[of]) for of in "Tv"}, "k": ((at_face, at_face), (EVEN_BEYOND, EVEN_BEYOND))})
        product = around["T"] * around["v"] + around["k"]
        return np.array([0.3 * grid.laplacian(around["T"]) + 0.1 * grid.d2_dxdy(product),
                         grid.flux_divergence(around["k"], around["v"]) - 0.1 * state[1]
                         + 0.05 * grid.gradient_squared(around["T"])])

    return dict(zip("Tv", heun(rate, grid.random(2), dt=0.05, steps=80)))


def potential():
    """
    grid: {shape: [15, 21]}
    fields: [c]
    equation:
      kind: formula
      let: {mu: c^3 - c - 0.5 * laplacian(c)}
      c: laplacian(mu)
    boundary:
      rows: periodic
      columns:
        first: {c: {value: c^2}, mu: {derivative: 0.1 * c}}
        last: {c: {derivative: -0.3 * c}}
    initial: {kind: formula, formula: 0.4 * (random - 0.5)}
    time: {step: 0.02, steps: 50}
    """
    grid = Conditions(15, 21)
    even = grid.derivative(lambda *_: 0)

    def rate(state, t):
        [c] = state
        columns = grid.value(lambda at, x, y: at["c"]**2), grid.derivative(lambda at, x, y: -0.3 * at["c"])
        mu = c**3 - c - 0.5 * grid.laplacian(grid.around({"c": c}, {"c": (PERIODIC, columns)})["c"])
        columns_of_mu = grid.derivative(lambda at, x, y: 0.1 * at["c"]), even
        around = grid.around({"c": c, "mu": mu}, {"c": (PERIODIC, columns), "mu": (PERIODIC, columns_of_mu)})
        return np.array([grid.laplacian(around["mu"])])

    return {"c": euler(rate, 0.4 * (grid.random() - 0.5), dt=0.02, steps=50)}


def absorbed():
    """
    grid: {shape: [17, 25], spacing: 0.5}
    fields: [u, v]
    parameters: {c: {formula: 1 + 0.01 * x}}
    equation:
      kind: formula
      let: {du: v - 0.1 * u}
      u: du
      v: c^2 * laplacian(u)
    boundary:
      rows: {first: {u: {absorbing: c}, v: zero}, last: {u: {absorbing: 2}, v: zero}}
      columns: {first: insulated, last: {u: {absorbing: c}, v: insulated}}
    initial:
      u: {kind: formula, formula: "exp(-((x - 5)^2 + (y - 3)^2))"}
      v: {kind: formula, formula: 0.1 * random}
    time: {step: 0.1, steps: 80, scheme: leapfrog}
    """
    grid = Conditions(17, 25, h=0.5)
    c = 1 + 0.01 * grid.x + 0 * grid.y

    def speed(x, y):
        return 1 + 0.01 * x + 0 * y

    def rate(state, t):
        u, v = state

        def absorbing(speed):
            return grid.derivative(lambda at, x, y: -(at["v"] - 0.1 * at["u"]) / speed(x, y))

        zero, even = grid.value(lambda *_: 0), grid.derivative(lambda *_: 0)
        conditions = {"u": ((absorbing(speed), absorbing(lambda x, y: 2)), (even, absorbing(speed))),
                "v": ((zero, zero), (even, even))}
        around = grid.around({"u": u, "v": v}, conditions)
        return v - 0.1 * u, c**2 * grid.laplacian(around["u"])

    state = np.array([exp(-((grid.x - 5) ** 2 + (grid.y - 3) ** 2)), 0.1 * grid.random()[0]])
    return dict(zip("uv", leapfrog(rate, state, dt=0.1, steps=80)))


def reacting(scheme):
    grid = Conditions(9, 13)
    even = grid.derivative(lambda *_: 0)

    def rate(state, t):
        columns = grid.derivative(lambda at, x, y: -0.2 * at["u"]**2), grid.value(lambda at, x, y: at["u"] * sin(t))
        around = grid.around({"u": state[0]}, {"u": ((even, even), columns)})
        return np.array([0.3 * grid.laplacian(around["u"]) - 5 * state[0] + 4])

    return {"u": scheme(rate, grid.random(), dt=0.2, steps=20)}


def implicit():
    """
    grid: {shape: [9, 13]}
    fields: [u]
    equation: {kind: formula, u: 0.3 * laplacian(u) - 5 * u + 4}
    boundary: {rows: insulated, columns: {first: {derivative: -0.2 * u^2}, last: {value: u * sin(t)}}}
    initial: {kind: formula, formula: random}
    time: {step: 0.2, steps: 20, scheme: imex}
    """
    return reacting(lambda rate, u, **steps: imex(rate, lambda u: [[0 * u[0] - 5]], u, **steps))


def long_steps():
    """
    grid: {shape: [9, 13]}
    fields: [u]
    equation: {kind: formula, u: 0.3 * laplacian(u) - 5 * u + 4}
    boundary: {rows: insulated, columns: {first: {derivative: -0.2 * u^2}, last: {value: u * sin(t)}}}
    initial: {kind: formula, formula: random}
    time: {step: 0.2, steps: 20, scheme: rkl2, stages: 5}
    """
    return reacting(lambda rate, u, **steps: rkl2(rate, u, stages=5, **steps))


def held_walls(scheme):
    grid = Conditions(14, 18, h=0.5)
    even, k = grid.derivative(lambda *_: 0), 1 + 0.3 * sin(grid.x) * cos(grid.y)
    value = grid.value(lambda at, x, y: 0.2 + 0.1 * x)

    def held(state, t):
        u, v = state[0].copy(), state[1].copy()
        u[:, :1] = k[:, :1] * cos(3 * t) + 0.1 * grid.y
        u[:, -1] = 0.5
        u[-1:] = 0.7 - 0.05 * grid.x * t
        v[:1] = sin(2 * t)
        return np.array([u, v])

    def rate(state, t):
        u, v = held(state, t)
        conditions = {"u": ((value, ON_LINE), (ON_LINE, ON_LINE)), "v": ((ON_LINE, even), (even, even))}
        arrays = grid.around({"u": u, "v": v, "k": k}, conditions)
        curved = grid.around({"w": grid.laplacian(arrays["u"])}, {})["w"]
        return np.array([0.3 * grid.flux_divergence(arrays["k"], arrays["u"]) - 0.002 * grid.laplacian(curved)
                         + 0.05 * grid.d2_dxdy(arrays["v"]) - u * v**2,
                         0.2 * grid.laplacian(arrays["v"]) + 0.1 * grid.d_dx(arrays["u"])
                         - 0.1 * grid.d_dy(arrays["u"])])

    steps = {"dt": 0.05, "steps": 40}
    return dict(zip("uv", held(scheme(rate, held(grid.random(2), 0), **steps), steps["dt"] * steps["steps"])))


def held():
    """
    grid: {shape: [14, 18], spacing: 0.5}
    fields: [u, v]
    parameters: {k: {formula: 1 + 0.3 * sin(x) * cos(y)}}
    equation:
      kind: formula
      u: 0.3 * divergence(k * gradient(u)) - 0.002 * biharmonic(u) + 0.05 * d2_dxdy(v) - u * v^2
      v: 0.2 * laplacian(v) + 0.1 * d_dx(u) - 0.1 * d_dy(u)
    boundary:
      rows:
        first: {u: {value: 0.2 + 0.1 * x}, v: {value: sin(2 * t), at: node}}
        last: {u: {value: 0.7 - 0.05 * x * t, at: node}, v: insulated}
      columns:
        first: {u: {value: k * cos(3 * t) + 0.1 * y, at: node}, v: insulated}
        last: {u: {value: 0.5, at: node}, v: insulated}
    initial: {u: {kind: formula, formula: random}, v: {kind: formula, formula: random}}
    time: {step: 0.05, steps: 40, scheme: rk4}
    """
    return held_walls(rk4)


def held_long():
    return held_walls(lambda rate, u, **steps: rkl2(rate, u, stages=5, **steps))


held_long.__doc__ = held.__doc__.replace("scheme: rk4", "scheme: rkl2, stages: 5")


def fin():
    """
    grid: {shape: [40], spacing: 0.005}
    fields: [T]
    parameters: {a: 1e-4, side: 1e-9, tip: 5e-9}
    equation: {kind: formula, T: a * laplacian(T) - side * (T^4 - 293^4) / 100}
    boundary: {columns: {first: {value: 500, at: face}, last: {derivative: "-tip * (T^4 - 293^4)"}}}
    initial: {T: {kind: uniform, value: 293}}
    time: {step: 0.1, steps: 1000, scheme: rk4}
    """
    h, a, side, tip = 0.005, 1e-4, 1e-9, 5e-9

    def rate(t, T):
        end = brentq(lambda w: w - T[-1] + h / 2 * tip * (w**4 - 293**4), T[-1] - 100, T[-1] + 100, xtol=1e-12)
        around = np.concatenate([[2 * 500 - T[0]], T, [2 * end - T[-1]]])
        return a * np.diff(around, 2) / h**2 - side * (T**4 - 293**4) / 100

    return {"T": solve_ivp(rate, (0, 100), np.full(40, 293.0), method="Radau", rtol=1e-12, atol=1e-9).y[:, -1]}


if __name__ == "__main__":
    with h5py.File(sys.argv[1], "w") as out:
        for equation in (radiation, potential, absorbed, implicit, long_steps, held, held_long, fin):
            group = out.create_group(equation.__name__)
            group["config"] = np.bytes_(inspect.cleandoc(equation.__doc__) + "\n")
            for name, values in equation().items():
                group[name] = np.squeeze(values)
