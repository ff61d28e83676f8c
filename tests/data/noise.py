"""Equations with noise, and with words and conditions that equations.py lacks; see there. Philox is written after Salmon et
al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011)."""
import numpy as np
from finite_differences import EVEN, PERIODIC, Grid, euler, heun
from numpy import cos, cosh, heaviside, log, logical_and, logical_not, logical_or, mod, pi, sinh, sqrt

LOW = np.uint64(0xFFFFFFFF)
WORD = np.uint64(32)


def philox(counter, key):
    """Four arrays of words from those of the counter, and two numbers."""
    a, b, c, d = (np.asarray(words, np.uint64) for words in counter)
    low, high = (np.uint64(word) for word in key)
    for _ in range(10):
        first, second = np.uint64(0xD2511F53) * a, np.uint64(0xCD9E8D57) * c
        a, b, c, d = (second >> WORD) ^ b ^ low, second & LOW, (first >> WORD) ^ d ^ high, first & LOW
        low, high = (low + np.uint64(0x9E3779B9)) & LOW, (high + np.uint64(0xBB67AE85)) & LOW
    return a, b, c, d


def normal(shape, seed, use, step):
    cells = np.arange(np.prod(shape), dtype=np.uint64)
    steps = np.full(cells.shape, step, np.uint64)
    high = seed >> 32  # of a seed with more than 32 bits, where the use stands beside the step
    above = np.uint64((use + 1) << 12 if high else 0)
    words = philox((cells & LOW, cells >> WORD, steps & LOW, steps >> WORD ^ above), (seed & 0xFFFFFFFF, high or use))
    u, turn = words[0].astype(float) * 2.0**-32 + 2.0**-33, words[1].astype(float) * 2.0**-32
    return (sqrt(-2 * log(u)) * cos(2 * pi * turn)).reshape(shape)


def roughening():
    """
    grid: {shape: [19, 23], spacing: 0.5}
    fields: [h, c]
    parameters: {s: 0.3}
    equation:
      kind: formula
      let: {xi: s * noise}
      h: 0.1 * laplacian(h) + 0.2 * gradient_energy(h) + xi * (1 + 0.1 * c)
      c: 0.1 * laplacian(c) - c + xi - 0.2 * noise(123456789012)
    boundary:
      rows: insulated
      columns: {first: {value: 0.5, at: face}, last: {value: 0.1 * x + t, at: face}}
    initial: {h: {kind: uniform, value: 1}, seed: 77, c: {kind: uniform, value: 0.5}}
    time: {step: 0.02, steps: 30, scheme: heun}
    """
    grid = Grid(19, 23, h=0.5)
    scale = 1 / sqrt(0.02 * grid.h**2)

    def at_face(g):
        return lambda inside, *places: 2 * g(*places[2:]) - inside

    def rate(state, t):
        h, c = state
        step = int(rate.stages / 2)  # both stages of a step have its noise
        rate.stages += 1
        xi, own = (scale * normal(grid.shape, seed, use, step) for seed, use in ((77, 1), (123456789012, 0)))
        columns = at_face(lambda x, y: 0.5), at_face(lambda x, y: 0.1 * x + t)
        around, of_c = (grid.ghosts(e, (EVEN, EVEN), columns) for e in state)
        across, along = np.diff(around[1:-1], axis=1) ** 2, np.diff(around[:, 1:-1], axis=0) ** 2
        energy = (across[:, 1:] + across[:, :-1] + along[1:] + along[:-1]) / (2 * grid.h**2)
        xi = 0.3 * xi
        return np.array([0.1 * grid.laplacian(around) + 0.2 * energy + xi * (1 + 0.1 * c),
                         0.1 * grid.laplacian(of_c) - c + xi - 0.2 * own])

    rate.stages = 0
    return dict(zip("hc", heun(rate, np.stack([np.full(grid.shape, 1.0), np.full(grid.shape, 0.5)]), dt=0.02,
                               steps=30)))


def words():
    """
    grid: {shape: [13, 17]}
    equation:
      kind: formula
      field: >-
        0.1 * laplacian(field) + sinh(0.3 * field) - 0.1 * cosh(field) + 0.2 * mod(x - 3 * field, 1.7)
        - 0.1 * mod(field, -0.3) + 0.1 * heaviside(field - 0.5)
        + 0.2 * (field > 0.3 and not x < 4 or y >= 9 and field < 0.8)
    boundary: periodic
    initial: {kind: formula, formula: random}
    time: {step: 0.02, steps: 20}
    """
    grid = Grid(13, 17)

    def rate(state, t):
        [u] = state
        x, y = grid.x + 0 * grid.y, grid.y + 0 * grid.x
        chosen = logical_or(logical_and(u > 0.3, logical_not(x < 4)), logical_and(y >= 9, u < 0.8))
        around = grid.ghosts(u, PERIODIC, PERIODIC)
        return np.array([0.1 * grid.laplacian(around) + sinh(0.3 * u) - 0.1 * cosh(u) + 0.2 * mod(x - 3 * u, 1.7)
                         - 0.1 * mod(u, -0.3) + 0.1 * heaviside(u - 0.5, 0.5) + 0.2 * chosen])

    return {"field": euler(rate, grid.random(), dt=0.02, steps=20)}


EQUATIONS = [roughening, words]
