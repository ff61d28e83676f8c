"""An equation with operators whose discretisation is chosen; see equations.py."""
import numpy as np
from finite_differences import Grid, heun
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


EQUATIONS = [choices]
