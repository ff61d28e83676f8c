"""Steps of diffusion on two and three axes: zero boundary, coefficient 1/4 and 1/8."""
import functools
import operator
import pathlib
import tempfile

import numpy as np

from . import common
from .common import EPSILON, Run, Unsuitable, loop, measure, swapping

CASES = {"cuda": [((2000, 2000), 10000), ((16384, 16384), 200), ((512, 512, 512), 200)],
         "cpu": [((2000, 2000), 1000), ((256, 256, 256), 50)]}  # fmt: skip
COEFFICIENTS = {2: 0.25, 3: 0.125}
ZERO = np.float32(0)


def constants(run):
    """Number of axes, coefficient, and weight of a cell in its Laplacian, the latter two in float32."""
    axes = run.fields[0].ndim
    return axes, np.float32(COEFFICIENTS[axes]), np.float32(2 * axes)


def change_of(axes):
    """The inside of a padded array and the change by a step, as users of NumPy write it."""
    inside = (slice(1, -1),) * axes
    sides = [[(*inside[:axis], side, *inside[axis + 1:]) for side in (slice(-2), slice(2, None))]
             for axis in reversed(range(axes))]  # fmt: skip

    def change(p):
        s = functools.reduce(operator.add, (p[first] + p[last] for first, last in sides))
        return COEFFICIENTS[axes] * (s - 2 * axes * p[inside])

    return inside, change


def padding(run, pad):
    """A step that first adds a ring of zeros by pad(array, axes)."""
    axes = run.fields[0].ndim
    _, change = change_of(axes)
    return lambda u: (u + change(pad(u, axes)),)


def measure_padded(run, advance, count=1):
    """Measures steps on `count` arrays that keep their ring of zeros."""
    inside = (slice(1, -1),) * run.fields[0].ndim
    return measure(run, advance, lambda fields: [np.pad(fields[0], 1) for _ in range(count)],
                   lambda fields: [fields[0][inside].copy()])  # fmt: skip


def with_numpy(run):
    inside, change = change_of(run.fields[0].ndim)

    def step(p):
        p[inside] += change(p)
        return (p,)

    return measure_padded(run, loop(step))


def with_scipy(run):
    from scipy.ndimage import convolve, generate_binary_structure

    axes, c, cells = constants(run)
    kernel = generate_binary_structure(axes, 1).astype(np.float32)
    kernel[(1,) * axes] = -cells
    return measure(run, loop(lambda u: (u + c * convolve(u, kernel, mode="constant"),)))


def with_numba(run):
    numba = common.numba()
    axes, coefficient, cells = constants(run)
    if run.backend == "cuda":
        return with_numba_cuda(run)

    @numba.njit(parallel=True)
    def plane_step(p, q):
        for r in numba.prange(1, p.shape[0] - 1):
            for c in range(1, p.shape[1] - 1):
                s = (p[r, c - 1] + p[r, c + 1]) + (p[r - 1, c] + p[r + 1, c])
                q[r, c] = p[r, c] + coefficient * (s - cells * p[r, c])

    @numba.njit(parallel=True)
    def volume_step(p, q):
        for k in numba.prange(1, p.shape[0] - 1):
            for r in range(1, p.shape[1] - 1):
                for c in range(1, p.shape[2] - 1):
                    s = (p[k, r, c - 1] + p[k, r, c + 1]) + (p[k, r - 1, c] + p[k, r + 1, c])
                    s += p[k - 1, r, c] + p[k + 1, r, c]
                    q[k, r, c] = p[k, r, c] + coefficient * (s - cells * p[k, r, c])

    return measure_padded(run, swapping(plane_step if axes == 2 else volume_step), 2)


def with_numba_cuda(run):
    from numba import cuda

    axes, coefficient, cells = constants(run)
    if axes != 2:
        raise Unsuitable

    def kernel(u, v):
        r, c = cuda.grid(2)
        n, m = u.shape
        if r < n and c < m:
            up = u[r - 1, c] if r > 0 else ZERO
            down = u[r + 1, c] if r < n - 1 else ZERO
            left = u[r, c - 1] if c > 0 else ZERO
            right = u[r, c + 1] if c < m - 1 else ZERO
            v[r, c] = u[r, c] + coefficient * ((left + right) + (up + down) - cells * u[r, c])

    # As in the published tutorial: x is the first axis of the threads, and blocks have this size.
    return common.measure_numba_cuda(run, kernel, run.fields[0].shape, (8, 8))


def with_torch(run, compiled=False):
    import torch

    step = padding(run, lambda u, axes: torch.nn.functional.pad(u, (1, 1) * axes))
    return common.measure_torch(run, torch.compile(step, dynamic=False) if compiled else step)


def with_jax(run):
    import jax.numpy

    return common.measure_jax(run, padding(run, lambda u, _: jax.numpy.pad(u, 1)))


def with_cupy(run):
    import cupy

    return common.measure_cupy(run, loop(padding(run, lambda u, _: cupy.pad(u, 1))),
                               lambda fields: [cupy.asarray(f) for f in fields])  # fmt: skip


def with_devito(run):
    axes, c, _ = constants(run)
    shape = tuple(n + 2 for n in run.fields[0].shape)  # with a ring of zeros
    devito, grid = common.devito_grid(shape)
    u = devito.TimeFunction(name="u", grid=grid, space_order=2)
    step = devito.Eq(u.forward, u + float(c) * u.laplace, subdomain=grid.interior)
    return common.measure_devito(run, devito.Operator([step]), [u], "constant")


def with_py_pde(run):
    import pde

    shape, (_, c, _) = run.fields[0].shape, constants(run)
    grid = pde.CartesianGrid([[0, n] for n in shape], shape)
    equation = pde.PDE({"u": f"{c} * laplace(u)"}, bc={"virtual_point": 0})
    return common.measure_py_pde(run, equation, "numba",
                                 lambda fields: pde.ScalarField(grid, *fields, dtype=np.float32))


PEERS = {  # name: (function, backends)
    "numpy": (with_numpy, ["cpu"]),
    "scipy": (with_scipy, ["cpu"]),
    "numba": (with_numba, ["cpu", "cuda"]),
    "torch": (with_torch, ["cpu", "cuda"]),
    "torch-compiled": (lambda run: with_torch(run, compiled=True), ["cpu", "cuda"]),
    "jax": (with_jax, ["cpu", "cuda"]),
    "cupy": (with_cupy, ["cuda"]),
    "py-pde": (with_py_pde, ["cpu"]),
    "devito": (with_devito, ["cpu"]),
}


def cases(options, backend):
    for shape, steps in common.grids(options, CASES[backend]):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "compare.yaml"
            config.write_text(
                f"grid: {{shape: {list(shape)}}}\nequation: {{coefficient: {COEFFICIENTS[len(shape)]}}}\n"
                f"time: {{steps: {steps}}}\noutput: {{every: {steps}, fields: [field]}}\n"
                f"checkpoint: {{every: {steps}, keep: 1}}\n"
            )
            first, last, summary = common.lapl_run(options.lapl, config, backend, ["field"], steps)
        # Only rounding (docs/numerics.md); a peer that computes, for example, u + c (s - 4u) rounds once more.
        gate = 2 * (8 + 0.1 * steps) * EPSILON / 2 * np.abs(first).max()
        yield common.Case(f"diffusion, {' x '.join(map(str, shape))}, {steps} steps",
                          first[0].size * steps,
                          [(summary["engine"], summary["stepping_seconds"])], last, gate,
                          [Run(first, steps, steps, backend)])  # fmt: skip
