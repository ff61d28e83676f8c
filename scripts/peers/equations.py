"""Steps of Gray-Scott, an equation of two fields, on a periodic grid; also lapl's heat
equation as a formula and built in."""
import ctypes
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

from . import common
from .common import EPSILON, Run, loop, measure, swapping, twice

CASES = {"cuda": [((8192, 8192), 200), ((2048, 2048), 2000)], "cpu": [((2048, 2048), 100)]}
CHECKED = 20  # steps after which results are compared
DU, DV, F, K = 0.16, 0.08, 0.037, 0.06
DU_32, DV_32, F_32, FK_32, ONE, FOUR = map(np.float32, (DU, DV, F, F + K, 1, 4))
MACROS = (f"-DU_DIFFUSIVITY={DU}f", f"-DV_DIFFUSIVITY={DV}f", f"-DFEED={F}f", f"-DKILL={K}f")
# With these parameters a pattern grows everywhere. Otherwise some cells would have subnormal numbers, which make the
# peers several times slower.
GRAY_SCOTT = f"""
fields: [u, v]
parameters: {{Du: {DU}, Dv: {DV}, F: {F}, k: {K}}}
equation:
  kind: formula
  u: Du * laplacian(u) - u * v^2 + F * (1 - u)
  v: Dv * laplacian(v) + u * v^2 - (F + k) * v
initial:
  u: {{kind: formula, formula: 1 - random / 2}}
  v: {{kind: formula, formula: random / 4}}
output: {{every: {CHECKED}, fields: [u, v]}}
"""
HEAT = ["{kind: formula, field: 0.2 * laplacian(field)}", "{diffusivity: 0.2}"]


def array_step(roll):
    """A step on arrays with NumPy's operators, as their users write it."""

    def laplacian(f):
        return (roll(f, 1, 1) + roll(f, -1, 1)) + (roll(f, 1, 0) + roll(f, -1, 0)) - 4 * f

    def step(u, v):
        r = u * v * v
        return u + (DU * laplacian(u) - r + F * (1 - u)), v + (DV * laplacian(v) + r - (F + K) * v)

    return step


def with_numpy(run):
    return measure(run, loop(array_step(np.roll)))


def with_torch(run, compiled=False):
    import torch

    step = array_step(torch.roll)
    return common.measure_torch(run, torch.compile(step, dynamic=False) if compiled else step)


def with_jax(run):
    import jax.numpy

    return common.measure_jax(run, array_step(jax.numpy.roll))


def numba_update(u, v, u_new, v_new, up, r, down, left, c, right):
    u_here, v_here = u[r, c], v[r, c]
    u_laplacian = (u[r, left] + u[r, right]) + (u[up, c] + u[down, c]) - FOUR * u_here
    v_laplacian = (v[r, left] + v[r, right]) + (v[up, c] + v[down, c]) - FOUR * v_here
    reaction = u_here * v_here * v_here
    u_new[r, c] = u_here + (DU_32 * u_laplacian - reaction + F_32 * (ONE - u_here))
    v_new[r, c] = v_here + (DV_32 * v_laplacian + reaction - FK_32 * v_here)


def with_numba(run):
    numba = common.numba()
    if run.backend == "cuda":
        return with_numba_cuda(run)
    update = numba.njit(numba_update)

    @numba.njit(parallel=True)
    def step(u, v, u_new, v_new):
        rows, columns = u.shape
        for r in numba.prange(rows):
            up, down = r - 1 if r > 0 else rows - 1, r + 1 if r < rows - 1 else 0
            update(u, v, u_new, v_new, up, r, down, columns - 1, 0, 1)
            for c in range(1, columns - 1):
                update(u, v, u_new, v_new, up, r, down, c - 1, c, c + 1)
            update(u, v, u_new, v_new, up, r, down, columns - 2, columns - 1, 0)

    return measure(run, swapping(step), twice)


def with_numba_cuda(run):
    from numba import cuda

    update = cuda.jit(device=True)(numba_update)

    def kernel(u, v, u_new, v_new):
        c, r = cuda.grid(2)
        rows, columns = u.shape
        if r < rows and c < columns:
            up, down = r - 1 if r > 0 else rows - 1, r + 1 if r < rows - 1 else 0
            left, right = c - 1 if c > 0 else columns - 1, c + 1 if c < columns - 1 else 0
            update(u, v, u_new, v_new, up, r, down, left, c, right)

    return common.measure_numba_cuda(run, kernel, run.fields[0].shape[::-1], (32, 8))


CUDA_SOURCE = """
extern "C" __global__ void step(const float* u, const float* v, float* u_new, float* v_new,
                                int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  const long here = (long)r * columns + c;
  const long left = c > 0 ? here - 1 : here + columns - 1;
  const long right = c < columns - 1 ? here + 1 : here - columns + 1;
  const long all = (long)rows * columns;
  const long up = r > 0 ? here - columns : here - columns + all;
  const long down = r < rows - 1 ? here + columns : here + columns - all;
  const float a = u[here], b = v[here], reaction = a * b * b;
  const float u_laplacian = (u[left] + u[right]) + (u[up] + u[down]) - 4 * a;
  const float v_laplacian = (v[left] + v[right]) + (v[up] + v[down]) - 4 * b;
  u_new[here] = a + (U_DIFFUSIVITY * u_laplacian - reaction + FEED * (1 - a));
  v_new[here] = b + (V_DIFFUSIVITY * v_laplacian + reaction - (FEED + KILL) * b);
}"""


def with_cupy(run):
    """A CUDA kernel that CuPy compiles at run time."""
    import cupy

    rows, columns = map(np.int32, run.fields[0].shape)
    kernel = cupy.RawKernel(CUDA_SOURCE, "step", options=MACROS)
    block = (32, 8)
    grid = (-(-int(columns) // block[0]), -(-int(rows) // block[1]))
    step = swapping(lambda *fields: kernel(grid, block, (*fields, rows, columns)))
    return common.measure_cupy(run, step, lambda fields: [cupy.asarray(f) for f in twice(fields)])


def with_c(run, function):
    source = pathlib.Path(__file__).parent / "gray_scott.c"
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "gray_scott.so"
        subprocess.run([os.environ.get("CC", "cc"), "-O3", "-march=native", "-fopenmp", "-shared",
                        "-fPIC", *MACROS, source, "-o", library], check=True)  # fmt: skip
        call = ctypes.CDLL(library)[function]
    call.argtypes, call.restype = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 2, None
    rows, columns = run.fields[0].shape
    return measure(run, swapping(lambda *fields: call(*(f.ctypes.data for f in fields), rows,
                                                      columns)), twice)  # fmt: skip


def with_devito(run):
    from devito import Eq

    rows, columns = run.fields[0].shape
    # A ring of nodes around the grid, filled by equations that copy, makes the faces periodic.
    devito, grid = common.devito_grid((rows + 2, columns + 2))
    u, v = (devito.TimeFunction(name=name, grid=grid, space_order=2) for name in "uv")
    inside = {"subdomain": grid.interior}
    next_t, (y, x) = grid.stepping_dim + 1, grid.dimensions
    equations = [Eq(u.forward, u + (DU * u.laplace - u * v * v + F * (1 - u)), **inside),
                 Eq(v.forward, v + (DV * v.laplace + u * v * v - (F + K) * v), **inside)]  # fmt: skip
    for w in (u, v):
        equations += [Eq(w[next_t, 0, x], w[next_t, rows, x]),
                      Eq(w[next_t, rows + 1, x], w[next_t, 1, x]),
                      Eq(w[next_t, y, 0], w[next_t, y, columns]),
                      Eq(w[next_t, y, columns + 1], w[next_t, y, 1])]  # fmt: skip
    return common.measure_devito(run, devito.Operator(equations), [u, v], "wrap")


def with_py_pde(run, engine="numba"):
    import pde

    rows, columns = run.fields[0].shape
    grid = pde.CartesianGrid([[0, rows], [0, columns]], [rows, columns], periodic=True)
    equation = pde.PDE({"u": f"{DU} * laplace(u) - u * v**2 + {F} * (1 - u)",
                        "v": f"{DV} * laplace(v) + u * v**2 - {F + K} * v"})  # fmt: skip

    single = {"dtype": np.float32}
    return common.measure_py_pde(
        run, equation, engine,
        lambda fields: pde.FieldCollection([pde.ScalarField(grid, f, **single) for f in fields],
                                           **single))  # fmt: skip


PEERS = {  # name: (function, backends)
    "openmp-c": (lambda run: with_c(run, "wrapped"), ["cpu"]),
    "openmp-c-peeled": (lambda run: with_c(run, "peeled"), ["cpu"]),
    "numpy": (with_numpy, ["cpu"]),
    "numba": (with_numba, ["cpu", "cuda"]),
    "torch": (with_torch, ["cpu", "cuda"]),
    "torch-compiled": (lambda run: with_torch(run, compiled=True), ["cpu", "cuda"]),
    "jax": (with_jax, ["cpu", "cuda"]),
    "cupy": (with_cupy, ["cuda"]),
    "py-pde": (with_py_pde, ["cpu"]),
    "py-pde-jax": (lambda run: with_py_pde(run, "jax"), ["cpu"]),
    "devito": (with_devito, ["cpu"]),
}


def lapl_bench(program, config, steps, backend):
    """[(engine, seconds)] for the equation of a config."""
    words = ["bench", "--config", config, "--backend", backend, "--precision", "float32",
             "--steps", str(steps), "--json"]  # fmt: skip
    printed = subprocess.run([program, *words], stdout=subprocess.PIPE, text=True, check=True)
    return [(line["engine"], line["median_seconds"]) for line in json.loads(printed.stdout)
            if "median_seconds" in line]


def cases(options, backend):
    for shape, steps in common.grids(options, CASES[backend]):
        start = (f"grid: {{shape: {list(shape)}}}\nboundary: periodic\n"
                 f"time: {{step: 1, steps: {CHECKED}}}\n")  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "compare.yaml"
            config.write_text(start + GRAY_SCOTT)
            first, last, _ = common.lapl_run(options.lapl, config, backend, ["u", "v"], CHECKED)
            engines = lapl_bench(options.lapl, config, steps, backend)
            heat = []
            for equation in HEAT:
                config.write_text(f"{start}equation: {equation}\n")
                heat.append(dict(lapl_bench(options.lapl, config, steps, backend)))
        notes = [f"heat, lapl {engine}: {heat[0][engine] * 1e3:.4f} ms as a formula, "
                 f"{seconds * 1e3:.4f} ms built in, {heat[0][engine] / seconds:.2f} times"
                 for engine, seconds in heat[1].items() if engine in heat[0]]  # fmt: skip
        yield common.Case(f"Gray-Scott, {shape[0]} x {shape[1]}, {steps} steps",
                          first[0].size * steps, engines, last,
                          2 * CHECKED * EPSILON,  # rounding of values up to 1
                          [Run(first, CHECKED, steps, backend)], notes)  # fmt: skip
