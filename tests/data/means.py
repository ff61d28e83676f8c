"""Equations that read means, integrals, extremes and values at a position; see equations.py."""
import numpy as np
from finite_differences import EVEN, PERIODIC, Grid, heun, rk4
from numpy import cos, sin


def conserving():
    """
    grid: {shape: [21, 26], spacing: 0.5}
    fields: [u, T]
    parameters:
      D: {formula: 1 + 0.1 * sin(x) * cos(y)}
    equation:
      kind: formula
      let: {force: u - u^3 + 0.1 * T}
      u: divergence(D * gradient(u)) + force - mean(force)
      T: laplacian(T) - 0.01 * (integral(T) - 300) * T + 0.1 * maximum(laplacian(u)) - minimum(u * mean(T)) * u
    boundary: {rows: insulated, columns: periodic}
    initial:
      u: {kind: formula, formula: random}
      T: {kind: formula, formula: 1 + 0.1 * x}
    time: {step: 0.02, steps: 60, scheme: rk4}
    """
    grid = Grid(21, 26, h=0.5)
    insulated = (EVEN, EVEN)
    D = grid.ghosts(1 + 0.1 * sin(grid.x) * cos(grid.y), insulated, PERIODIC)

    def rate(state, t):
        u, T = state
        around_u, around_T = (grid.ghosts(e, insulated, PERIODIC) for e in state)
        force = u - u**3 + 0.1 * T
        return np.array([
            grid.flux_divergence(D, around_u) + force - force.mean(),
            grid.laplacian(around_T) - 0.01 * (T.sum() * 0.25 - 300) * T + 0.1 * grid.laplacian(around_u).max()
            - (u * T.mean()).min() * u])

    start = np.array([grid.random()[0], 1 + 0.1 * grid.x + 0 * grid.y])
    return dict(zip(["u", "T"], rk4(rate, start, dt=0.02, steps=60)))


def controlled():
    """
    grid: {shape: [21, 26], spacing: 0.5}
    equation: {u: "laplacian(u) - 0.1 * value_at(u * x, 5.2, 7.1)"}
    boundary:
      left: {value: 0.5 * mean(u^2)}
      right: {derivative: "0.2 * (value_at(u, 3.3, 4.9) - maximum(u * y / 10)) * y"}
      y: insulated
    initial: random
    time: {step: 0.03, steps: 60, scheme: heun}
    """
    grid = Grid(21, 26, h=0.5)

    def value_at(e, x, y):
        (i, s), (j, t) = divmod(y / grid.h, 1), divmod(x / grid.h, 1)
        four = e[int(i):int(i) + 2, int(j):int(j) + 2]
        return np.array([1 - s, s]) @ four @ np.array([1 - t, t])

    def rate(state, t):
        u = state[0]
        left = grid.value(lambda x, y: 0.5 * (u**2).mean())
        right = grid.derivative(lambda x, y: 0.2 * (value_at(u, 3.3, 4.9) - (u * grid.y / 10).max()) * y)
        around = grid.ghosts(u, (EVEN, EVEN), (left, right))
        return np.array([grid.laplacian(around) - 0.1 * value_at(u * grid.x, 5.2, 7.1)])

    return dict(zip("u", heun(rate, grid.random(), dt=0.03, steps=60)))


EQUATIONS = [conserving, controlled]
