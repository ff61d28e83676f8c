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

    @functools.cache
    def solve(steps):
        step = make(dt=problem.end / steps, order=4, **problem.parameters)
        run = jax.jit(lambda u: jax.lax.fori_loop(0, steps, lambda _, v: step(v), u))
        run(task.first).block_until_ready()  # compiles
        start = time.perf_counter()
        found = run(task.first).block_until_ready()
        return np.array(found), time.perf_counter() - start

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
}


def cases(options, backend):
    yield from adaptive.cases(options, backend, STIFF, ("etdrk2", "etdrk4", "bs23", "rkl2"), False)
    yield from adaptive.cases(options, backend, REACTIONS, ("imex", "bs23", "dopri5"), False)
