"""Equations of two axes, each for a scheme that no equation of equations.py takes, stated as there."""
import numpy as np
from finite_differences import EVEN, PERIODIC, Grid, bs23, dopri5, imex, midpoint, rkl2
from numpy import cos, sin


def thaw():
    """
    grid: {shape: [23, 27], spacing: 0.5}
    fields: [u, v]
    equation:
      kind: formula
      u: 0.3 * laplacian(u) - u * v + 0.1 * cos(t)
      v: 0.1 * laplacian(v) + 0.2 * d_dx(u) - 0.1 * v
    boundary:
      rows: {first: {value: sin(t)}, last: {derivative: 0.1}}
      columns: insulated
    initial:
      u: {kind: formula, formula: random}
      v: {kind: formula, formula: random}
    time: {step: 0.9, steps: 20, scheme: rkl2, stages: 7}
    """
    grid = Grid(23, 27, h=0.5)

    def rate(state, t):
        rows = grid.value(lambda x, y: sin(t)), grid.derivative(lambda x, y: 0.1)
        u, v = (grid.ghosts(field, rows, (EVEN, EVEN)) for field in state)
        return np.array([0.3 * grid.laplacian(u) - state[0] * state[1] + 0.1 * cos(t),
                         0.1 * grid.laplacian(v) + 0.2 * grid.d_dx(u) - 0.1 * state[1]])

    return dict(zip("uv", rkl2(rate, grid.random(2), dt=0.9, steps=20, stages=7)))


def swift_hohenberg():
    """
    grid: {shape: [17, 21]}
    fields: [u]
    equation:
      kind: formula
      u: 0.3 * u - u^3 - (u + 2 * laplacian(u) + laplacian(laplacian(u))) + 0.1 * sin(3 * t)
    boundary: {rows: periodic, columns: insulated}
    initial: {kind: formula, formula: random}
    time: {step: 0.02, steps: 50, scheme: bs23}
    """
    grid = Grid(17, 21)

    def laplacian(e):
        return grid.laplacian(grid.ghosts(e, PERIODIC, (EVEN, EVEN)))

    def rate(state, t):
        [u] = state
        return np.array([0.3 * u - u**3 - (u + 2 * laplacian(u) + laplacian(laplacian(u))) + 0.1 * sin(3 * t)])

    return {"u": bs23(rate, grid.random(), dt=0.02, steps=50)}


def fitzhugh_nagumo():
    """
    grid: {shape: [13, 19]}
    fields: [v, w]
    equation:
      kind: formula
      v: laplacian(v) + v - v^3 / 3 - w + 0.5 * cos(2 * t)
      w: 0.08 * (v + 0.7 - 0.8 * w)
    boundary:
      rows: insulated
      columns: {first: {value: sin(t)}, last: {derivative: 0.1}}
    initial:
      v: {kind: formula, formula: 2 * random - 1}
      w: {kind: formula, formula: 2 * random - 1}
    time: {step: 0.1, steps: 40, scheme: dopri5}
    """
    grid = Grid(13, 19)

    def rate(state, t):
        v, w = state
        columns = grid.value(lambda x, y: sin(t)), grid.derivative(lambda x, y: 0.1)
        around = grid.ghosts(v, (EVEN, EVEN), columns)
        return np.array([grid.laplacian(around) + v - v**3 / 3 - w + 0.5 * cos(2 * t), 0.08 * (v + 0.7 - 0.8 * w)])

    return dict(zip("vw", dopri5(rate, 2 * grid.random(2) - 1, dt=0.1, steps=40)))


def pendulums():
    """
    grid: {shape: [11, 13]}
    fields: [a, b]
    equation:
      kind: formula
      a: b
      b: 0.2 * laplacian(a) - sin(a) + 0.3 * cos(2 * t)
    boundary: {rows: insulated, columns: periodic}
    initial:
      a: {kind: formula, formula: random}
      b: {kind: formula, formula: random}
    time: {step: 0.05, steps: 60, scheme: midpoint}
    """
    grid = Grid(11, 13)

    def rate(state, t):
        a, b = state
        return np.array([b, 0.2 * grid.laplacian(grid.ghosts(a, (EVEN, EVEN), PERIODIC)) - sin(a) + 0.3 * cos(2 * t)])

    return dict(zip("ab", midpoint(rate, grid.random(2), dt=0.05, steps=60)))


def brusselator():
    """
    grid: {shape: [12, 17]}
    fields: [u, v]
    equation:
      kind: formula
      let: {flow: u^2 * v}
      u: 0.3 * laplacian(u) + 2 * (1 + flow - 4 * u) + 0.1 * cos(t)
      v: 0.2 * d_dx(u) + (0.1 * laplacian(v) + 3 * u - flow) * 2
    boundary:
      rows: {first: {value: sin(t)}, last: {derivative: 0.1}}
      columns: insulated
    initial:
      u: {kind: formula, formula: random}
      v: {kind: formula, formula: 3 * random}
    time: {step: 0.1, steps: 60, scheme: imex}
    """
    grid = Grid(12, 17)

    def rate(state, t):
        u, v = state
        rows = grid.value(lambda x, y: sin(t)), grid.derivative(lambda x, y: 0.1)
        around_u, around_v = (grid.ghosts(field, rows, (EVEN, EVEN)) for field in state)
        flow = u**2 * v
        return np.array([0.3 * grid.laplacian(around_u) + 2 * (1 + flow - 4 * u) + 0.1 * cos(t),
                         0.2 * grid.d_dx(around_u) + (0.1 * grid.laplacian(around_v) + 3 * u - flow) * 2])

    def jacobian(state):
        u, v = state
        return [[4 * u * v - 8, 2 * u**2], [6 - 4 * u * v, -2 * u**2]]

    start = grid.random(2)
    start[1] *= 3
    return dict(zip("uv", imex(rate, jacobian, start, dt=0.1, steps=60,
                               reactions=lambda u, t: np.array([0.1 * cos(t) + 0 * u[0], 0 * u[1]]))))


EQUATIONS = [thaw, pendulums, swift_hohenberg, fitzhugh_nagumo, brusselator]
