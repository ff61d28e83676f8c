"""Whole solutions of stiff equations at equal error: lapl's etdrk2 and etdrk4 where a fourth
derivative limits explicit steps, and imex where a reaction does, beside its other schemes, SciPy's
implicit ones and py-pde's."""
import functools

from . import adaptive
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


PEERS = {
    "scipy-bdf": (functools.partial(implicit, "BDF"), ["cpu"]),
    "scipy-radau": (functools.partial(implicit, "Radau"), ["cpu"]),
    "py-pde": (adaptive.with_py_pde, ["cpu"]),
}


def cases(options, backend):
    yield from adaptive.cases(options, backend, STIFF, ("etdrk2", "etdrk4", "bs23", "rkl2"), False)
    yield from adaptive.cases(options, backend, REACTIONS, ("imex", "bs23", "dopri5"), False)
