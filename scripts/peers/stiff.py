"""Whole solutions of stiff equations at equal error: lapl's etdrk2 and etdrk4 where a fourth
derivative limits explicit steps, and imex where a reaction does, beside its other schemes, SciPy's
implicit ones, py-pde's, and Exponax, which takes steps of one size."""
import functools
import time

import numpy as np

from . import adaptive, common
from .lines import REACTIONS, STIFF


def sparsity(fields, shape):
    """What a rate reads, on a periodic grid: all fields in a cell, and the neighbours of the
    laplacian; of one field, those of the laplacian of a laplacian."""
    from scipy import sparse

    def shift(n, by):
        return sparse.csr_matrix(sparse.eye(n).tocsr()[[(i + by) % n for i in range(n)]])

    rows, columns = shape
    one = sum(sparse.kron(shift(rows, a), shift(columns, b))
              for a, b in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)))  # fmt: skip
    if fields == 1:
        return (one @ one).tocsc()
    cells = sparse.eye(rows * columns)
    return (sparse.kron(sparse.eye(fields), one) + sparse.kron([[1] * fields] * fields, cells)).tocsc()


def implicit(method, task):
    pattern = sparsity(len(task.first), task.first.shape[1:])
    return adaptive.measure(task, adaptive.with_scipy(task, method, jac_sparsity=pattern))


def exponax(task):
    """ETDRK4 in JAX. Its derivatives are those of Fourier series, so that its error is that beside
    its own solution with a quarter of the step."""
    import jax

    jax.config.update("jax_enable_x64", True)
    from exponax import stepper

    (rows, columns), problem = task.first.shape[1:], task.problem
    make = {
        "Cahn-Hilliard": lambda g, **step: stepper.reaction.CahnHilliard(
            2, columns, columns, diffusivity=1, gamma=g, **step),
        "Swift-Hohenberg": lambda r, q, **step: stepper.reaction.SwiftHohenberg(
            2, columns / q**0.5, columns, reactivity=r, polynomial_coefficients=(0, 0, 0, -1), **step),
        "Kuramoto-Sivashinsky": lambda g, **step: stepper.KuramotoSivashinsky(
            2, columns, columns, fourth_order_scale=g, **step),
    }.get(problem.title)  # fmt: skip
    if not make or rows != columns:
        raise common.Unsuitable("it has no such equation, or takes square grids alone")

    def solve(steps):
        step = make(dt=problem.end / steps, order=4, **problem.parameters)
        run = jax.jit(lambda u: jax.lax.fori_loop(0, steps, lambda _, v: step(v), u))
        run(task.first).block_until_ready()  # compiles
        start = time.perf_counter()
        found = run(task.first).block_until_ready()
        return np.array(found), time.perf_counter() - start

    return with_steps_of_one_size(task, solve)


def dedalus(task):
    """RK443, of third order, whose linear part is implicit. Derivatives and error are those of
    Exponax."""
    import logging

    logging.disable(logging.WARNING)
    import dedalus.public as d3

    equation = {
        "Cahn-Hilliard": "dt(u) + lap(u) + g * lap(lap(u)) = lap(u**3)",
        "Swift-Hohenberg": "dt(u) + (1 - r) * u + 2 * q * lap(u) + q**2 * lap(lap(u)) = - u**3",
        "Kuramoto-Sivashinsky": "dt(u) + lap(u) + g * lap(lap(u)) = - 0.5 * grad(u) @ grad(u)",
    }.get(task.problem.title)
    if not equation:
        raise common.Unsuitable("its linear part would be all that is implicit")
    axes = d3.CartesianCoordinates("x", "y")
    grid = d3.Distributor(axes, dtype=np.float64)
    u = grid.Field(name="u", bases=[d3.RealFourier(axis, size, bounds=(0, size), dealias=3 / 2)
                                    for axis, size in zip(axes.coords, task.first.shape[1:])])  # fmt: skip
    problem = d3.IVP([u], namespace={"u": u, **task.problem.parameters})
    problem.add_equation(equation)
    solver = problem.build_solver(d3.RK443, matrix_coupling=[False, True])  # few matrices for many modes

    def solve(steps):
        solver.step(task.problem.end / steps)  # factors the matrices
        u.change_scales(1)
        u["g"] = task.first[0]
        start = time.perf_counter()
        for _ in range(steps):
            solver.step(task.problem.end / steps)
        seconds = time.perf_counter() - start
        u.change_scales(1)
        return np.array(u["g"])[None], seconds

    return with_steps_of_one_size(task, solve)


def with_steps_of_one_size(task, solve):
    solve = functools.cache(solve)
    steps = 8
    while not np.abs((solve(steps)[0] - solve(4 * steps)[0]) / task.size).max() <= adaptive.ERROR:
        steps *= 2
    error = (solve(steps)[0] - solve(4 * steps)[0]) / task.size
    return task.last / task.size + error, solve(steps)[1], f"{steps} steps"


PEERS = {
    "scipy-bdf": (functools.partial(implicit, "BDF"), ["cpu"]),
    "scipy-radau": (functools.partial(implicit, "Radau"), ["cpu"]),
    "py-pde": (adaptive.with_py_pde, ["cpu"]),
    "exponax": (exponax, ["cpu"]),
    "dedalus": (dedalus, ["cpu"]),
}


def cases(options, backend):
    yield from adaptive.cases(options, backend, STIFF, ("etdrk2", "etdrk4", "bs23", "rkl2"), False)
    yield from adaptive.cases(options, backend, REACTIONS, ("imex", "bs23", "dopri5"), False)
