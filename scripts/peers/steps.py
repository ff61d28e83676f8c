"""Steps of diffusion: zero boundary, coefficient 1/4."""
import pathlib
import tempfile

import numpy as np

from . import common
from .common import EPSILON, Run, loop, measure, swapping

CASES = {"cuda": [((2000, 2000), 10000), ((16384, 16384), 200)], "cpu": [((2000, 2000), 1000)]}
C, FOUR, ZERO = np.float32(0.25), np.float32(4), np.float32(0)


def pad_step(xp):
    """On an array module with NumPy's interface: the way its users write it."""

    def step(u):
        p = xp.pad(u, 1)
        s = (p[1:-1, :-2] + p[1:-1, 2:]) + (p[:-2, 1:-1] + p[2:, 1:-1])
        return (u + C * (s - 4 * u),)

    return step


def with_numpy(run):
    def step(p):
        s = (p[1:-1, :-2] + p[1:-1, 2:]) + (p[:-2, 1:-1] + p[2:, 1:-1])
        p[1:-1, 1:-1] += C * (s - 4 * p[1:-1, 1:-1])
        return (p,)

    return measure(run, loop(step), lambda fields: [np.pad(fields[0], 1)],
                   lambda fields: [fields[0][1:-1, 1:-1].copy()])  # fmt: skip


def with_scipy(run):
    from scipy.ndimage import convolve

    kernel = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], dtype=np.float32)
    return measure(run, loop(lambda u: (u + C * convolve(u, kernel, mode="constant"),)))


def with_numba(run):
    numba = common.numba()
    if run.backend == "cuda":
        return with_numba_cuda(run)

    @numba.njit(parallel=True)
    def step(p, q):
        for r in numba.prange(1, p.shape[0] - 1):
            for c in range(1, p.shape[1] - 1):
                s = (p[r, c - 1] + p[r, c + 1]) + (p[r - 1, c] + p[r + 1, c])
                q[r, c] = p[r, c] + C * (s - FOUR * p[r, c])

    return measure(run, swapping(step), lambda fields: [np.pad(fields[0], 1) for _ in range(2)],
                   lambda fields: [fields[0][1:-1, 1:-1].copy()])  # fmt: skip


def with_numba_cuda(run):
    from numba import cuda

    def kernel(u, v):
        r, c = cuda.grid(2)
        n, m = u.shape
        if r < n and c < m:
            up = u[r - 1, c] if r > 0 else ZERO
            down = u[r + 1, c] if r < n - 1 else ZERO
            left = u[r, c - 1] if c > 0 else ZERO
            right = u[r, c + 1] if c < m - 1 else ZERO
            v[r, c] = u[r, c] + C * ((left + right) + (up + down) - FOUR * u[r, c])

    # Rows along x and this block, as the published tutorial has it.
    return common.measure_numba_cuda(run, kernel, run.fields[0].shape, (8, 8))


def with_torch(run, compiled=False):
    import torch

    def step(u):
        p = torch.nn.functional.pad(u, (1, 1, 1, 1))
        s = (p[1:-1, :-2] + p[1:-1, 2:]) + (p[:-2, 1:-1] + p[2:, 1:-1])
        return (u + 0.25 * (s - 4 * u),)

    return common.measure_torch(run, torch.compile(step, dynamic=False) if compiled else step)


def with_jax(run):
    import jax.numpy

    return common.measure_jax(run, pad_step(jax.numpy))


def with_cupy(run):
    import cupy

    return common.measure_cupy(run, loop(pad_step(cupy)),
                               lambda fields: [cupy.asarray(f) for f in fields])  # fmt: skip


PEERS = {  # name: function, backends
    "numpy": (with_numpy, ["cpu"]),
    "scipy": (with_scipy, ["cpu"]),
    "numba": (with_numba, ["cpu", "cuda"]),
    "torch": (with_torch, ["cpu", "cuda"]),
    "torch-compiled": (lambda run: with_torch(run, compiled=True), ["cpu", "cuda"]),
    "jax": (with_jax, ["cpu", "cuda"]),
    "cupy": (with_cupy, ["cuda"]),
}


def cases(options, backend):
    for shape, steps in common.grids(options, CASES[backend]):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "compare.yaml"
            config.write_text(
                f"grid: {{shape: {list(shape)}}}\nequation: {{coefficient: 0.25}}\n"
                f"time: {{steps: {steps}}}\noutput: {{every: {steps}, fields: [field]}}\n"
                f"checkpoint: {{every: {steps}, keep: 1}}\n"
            )
            first, last, summary = common.lapl_run(options.lapl, config, backend, ["field"], steps)
        # Rounding alone (docs/numerics.md); peers write u + c (s - 4u), which rounds once more.
        gate = 2 * (8 + 0.1 * steps) * EPSILON / 2 * np.abs(first).max()
        yield common.Case(f"diffusion, {shape[0]} x {shape[1]}, {steps} steps",
                          first[0].size * steps,
                          [(summary["engine"], summary["stepping_seconds"])], last, gate,
                          [Run(first, steps, steps, backend)])  # fmt: skip
