"""An equation with operators whose discretisation is chosen; see equations.py."""
import numpy as np
from finite_differences import Grid, heun, ssprk3
from numpy import cos, sin, where


def choices():
    """
    grid: {shape: [17, 19]}
    fields: [u, v]
    parameters:
      D: {formula: "where(sin(2 * x) + cos(3 * y) > 0, 1, 0.01)"}
    equation:
      kind: formula
      u: divergence(harmonic(D) * gradient(u)) + 0.3 * laplacian(u, isotropic) - 0.1 * v
      v: divergence(tensor(1 + 0.1 * u, 0.3 * D, 0.8) * gradient(v)) + 0.1 * laplacian(v, 4) - 0.2 * d_dx(v, 4)
        + 0.05 * d2_dy2(v, 4)
    boundary: periodic
    initial:
      u: {kind: formula, formula: random}
      v: {kind: formula, formula: random}
    time: {step: 0.02, steps: 60, scheme: heun}
    """
    grid = Grid(17, 19)
    D = where(sin(2 * grid.x) + cos(3 * grid.y) > 0, 1, 0.01) + np.zeros(grid.shape)

    def at(e, y, x):
        return np.roll(e, (-y, -x), (0, 1))

    def second(e, y, x):
        return (-at(e, 2 * y, 2 * x) + 16 * at(e, y, x) - 30 * e + 16 * at(e, -y, -x) - at(e, -2 * y, -2 * x)) / 12

    def rate(state, t):
        u, v = state
        layered = sum(2 / (1 / D + 1 / at(D, y, x)) * (at(u, y, x) - u) for y, x in ((0, 1), (0, -1), (1, 0), (-1, 0)))
        round_u = sum((4 if 0 in (y, x) else 1) * (at(u, y, x) - u) for y in (-1, 0, 1) for x in (-1, 0, 1)) / 6
        flux_x = (0.5 * (2 + 0.1 * (u + at(u, 0, 1))) * (at(v, 0, 1) - v)
                  + 0.5 * sum(at(0.3 * D * (at(v, 1, 0) - at(v, -1, 0)) / 2, 0, x) for x in (0, 1)))
        flux_y = (0.8 * (at(v, 1, 0) - v)
                  + 0.5 * sum(at(0.3 * D * (at(v, 0, 1) - at(v, 0, -1)) / 2, y, 0) for y in (0, 1)))
        slope = (8 * (at(v, 0, 1) - at(v, 0, -1)) - at(v, 0, 2) + at(v, 0, -2)) / 12
        return np.array([layered + 0.3 * round_u - 0.1 * v,
                         flux_x - at(flux_x, 0, -1) + flux_y - at(flux_y, -1, 0)
                         + 0.1 * second(v, 0, 1) + 0.15 * second(v, 1, 0) - 0.2 * slope])

    return dict(zip("uv", heun(rate, grid.random(2), dt=0.02, steps=60)))


def waves():
    """
    grid: {shape: [15, 18], spacing: [0.7, 0.5]}
    parameters:
      g: {formula: 1 + 0.3 * sin(x)}
    equation:
      let: {p: m / h, q: n / h, c: sqrt(p^2 + q^2) + sqrt(g * h)}
      h: -flux(m, n, c)
      m: -flux(p * m + g / 2 * h^2, p * n, c)
      n: -flux(p * n, q * n + g / 2 * h^2, c)
      dye: -advect(p, q, dye, weno5)
    boundary: periodic
    initial: {h: 1 + random, m: 0.3 * random, n: 0.3 * random, dye: random}
    time: {step: 0.02, steps: 60, scheme: ssprk3}
    """
    grid = Grid(15, 18)
    draws = grid.random(4)
    g = 1 + 0.3 * sin(0.5 * grid.x) + np.zeros(grid.shape)

    def beside(e, by, axis):
        return np.roll(e, -by, -axis)  # axis 1: columns, 2: rows

    def slope(e, axis):
        a, b = e - beside(e, -1, axis), beside(e, 1, axis) - e
        return np.divide(a * b, a + b, out=np.zeros_like(a), where=a * b > 0)

    def fifth(e, toward, axis):
        """The value that a cell implies at its face, less its own."""
        there, back = beside(e, toward, axis) - e, e - beside(e, -toward, axis)
        bend = there - back
        behind, ahead = beside(bend, -toward, axis), beside(bend, toward, axis)
        parts = back / 2 + behind / 3, there / 2 - bend / 6, there / 2 - ahead / 6
        rough = [13 / 12 * behind**2 + (back + behind / 2)**2, 13 / 12 * bend**2 + (there + back)**2 / 4,
                 13 / 12 * ahead**2 + (there - ahead / 2)**2]
        small = 1e-6 * sum(rough) + 1e-36
        weights = [c * (1 + ((rough[0] - rough[2]) / (r + small))**2) for c, r in zip((0.1, 0.6, 0.3), rough)]
        return sum(w * part for w, part in zip(weights, parts)) / sum(weights)

    def fluxes(h, m, n, g):
        p, q = m / h, n / h
        pressure, c = g / 2 * h**2, np.sqrt(p**2 + q**2) + np.sqrt(g * h)
        return {1: (m, p * m + pressure, p * n), 2: (n, p * n, q * n + pressure)}, c

    def rate(state, t):
        total = np.zeros_like(state)
        for axis, spacing in ((1, 0.5), (2, 0.7)):
            water = [*state[:3], g]
            low = [e + slope(e, axis) for e in water]
            high = [beside(e - slope(e, axis), 1, axis) for e in water]
            (before, c), (after, d) = fluxes(*low), fluxes(*high)
            for i in range(3):
                through = (before[axis][i] + after[axis][i] - np.maximum(c, d) * (high[i] - low[i])) / 2
                total[i] -= (through - beside(through, -1, axis)) / spacing
            speed = state[axis] / state[0]
            speed, dye = (speed + beside(speed, 1, axis)) / 2, state[3]
            carried = speed * where(speed > 0, dye + fifth(dye, 1, axis), beside(dye + fifth(dye, -1, axis), 1, axis))
            total[3] -= (carried - beside(carried, -1, axis)) / spacing
        return total

    start = np.array([1 + draws[0], 0.3 * draws[1], 0.3 * draws[2], draws[3]])
    return dict(zip(("h", "m", "n", "dye"), ssprk3(rate, start, dt=0.02, steps=60)))


EQUATIONS = [choices, waves]
