"""Whole solutions of equations with a fourth derivative, which limits explicit steps: lapl's etdrk2
and etdrk4 beside its other schemes, SciPy's implicit ones and py-pde's, at equal error."""
import functools

from . import adaptive
from .lines import STIFF


def sparsity(shape):
    """The neighbours that the laplacian of a laplacian reads, on a periodic grid."""
    from scipy import sparse

    def shift(n, by):
        return sparse.csr_matrix(sparse.eye(n).tocsr()[[(i + by) % n for i in range(n)]])

    rows, columns = shape
    one = sum(sparse.kron(shift(rows, a), shift(columns, b))
              for a, b in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)))  # fmt: skip
    return (one @ one).tocsc()


def implicit(method, task):
    pattern = sparsity(task.first.shape[1:])
    return adaptive.measure(task, adaptive.with_scipy(task, method, jac_sparsity=pattern))


PEERS = {
    "scipy-bdf": (functools.partial(implicit, "BDF"), ["cpu"]),
    "scipy-radau": (functools.partial(implicit, "Radau"), ["cpu"]),
    "py-pde": (adaptive.with_py_pde, ["cpu"]),
}


def cases(options, backend):
    return adaptive.cases(options, backend, STIFF, ("etdrk2", "etdrk4", "bs23", "rkl2"), False)
