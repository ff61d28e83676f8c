"""Shared by the comparisons: lapl's result for a case, and the timing of peers."""
import json
import os
import subprocess
import time
from typing import NamedTuple

import h5py
import numpy as np

EPSILON = np.finfo(np.float32).eps
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would otherwise take most of the GPU's memory


def grids(options, otherwise):
    """List of (shape, steps), with the values of the command line."""
    if options.shape:
        otherwise = [(tuple(options.shape), otherwise[0][1])]
    return [(shape, options.steps or steps) for shape, steps in otherwise]


def lapl_run(program, config, backend, names, steps):
    """First and last fields and the summary of a run that stores both."""
    run = config.parent / "run"
    subprocess.run([program, "run", config, "--output", run, "--overwrite", "--quiet", "--backend",
                    backend], check=True)  # fmt: skip
    fields = []
    for step in (0, steps):
        with h5py.File(run / "fields" / f"step-{step:09d}.nc") as file:
            fields.append([file[name][0] for name in names])
    return *fields, json.loads((run / "run.json").read_text())


class Unsuitable(Exception):
    """Raised if a peer does not support a case."""


class Case(NamedTuple):
    """A case, with lapl's result and times."""

    title: str
    updates: int  # cells updated in the timed work
    rows: list  # (engine or method of lapl, seconds)
    expected: list  # arrays
    gate: float  # largest difference that rounding explains
    arguments: list  # for a peer's function
    notes: list = []  # lines below the table


class Run(NamedTuple):
    """The task of a peer that takes steps."""

    fields: list  # initial fields
    checked: int  # steps before the comparison of results
    steps: int  # timed steps
    backend: str


def median_seconds(call, prepare=lambda: (), wait=lambda: None):
    """Median of nine calls, or of those that fit into ten seconds; `prepare` is not timed."""
    times = []
    while not times or (len(times) < 9 and sum(times) < 10):
        prepared = prepare()
        wait()
        start = time.perf_counter()
        call(*prepared)
        wait()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


def measure(run, advance, put=lambda fields: fields, get=lambda fields: map(np.array, fields),
            wait=lambda: None):  # fmt: skip
    """Result and seconds of `advance(fields, steps)`, on fields that `put` makes and `get` reads."""
    result = list(get(advance(put(run.fields), run.checked)))  # compiles and warms up
    return result, median_seconds(lambda *fields: advance(fields, run.steps),
                                  lambda: put(run.fields), wait)  # fmt: skip


def loop(step):
    """`steps` calls of step(*fields), which returns the new fields."""

    def advance(fields, steps):
        for _ in range(steps):
            fields = step(*fields)
        return fields

    return advance


def swapping(step):
    """`steps` calls of step(*fields, *new), which writes the new fields."""

    def advance(both, steps):
        half = len(both) // 2
        for _ in range(steps):
            step(*both)
            both = [*both[half:], *both[:half]]
        return both[:half]

    return advance


def twice(fields):
    """Copies of the fields and room for the new ones."""
    return [*map(np.array, fields), *map(np.empty_like, fields)]


def numba():
    if not hasattr(np, "row_stack"):  # older Numba with NumPy 2.4 needs it
        np.row_stack = np.vstack
    import numba as module

    return module


def measure_numba_cuda(run, kernel, threads, block):
    """Measures kernel(*fields, *new) on `threads` CUDA threads, (x, y), in blocks of `block`."""
    from numba import cuda

    step = cuda.jit(kernel)[tuple(-(-n // size) for n, size in zip(threads, block)), block]
    return measure(run, swapping(step), lambda fields: [cuda.to_device(f) for f in twice(fields)],
                   lambda fields: [f.copy_to_host() for f in fields], cuda.synchronize)  # fmt: skip


def measure_torch(run, step):
    import torch

    gpu = run.backend == "cuda"
    device = "cuda" if gpu else "cpu"
    return measure(run, loop(step), lambda fields: [torch.from_numpy(f).to(device) for f in fields],
                   lambda fields: [f.cpu().numpy() for f in fields],
                   torch.cuda.synchronize if gpu else lambda: None)  # fmt: skip


def measure_jax(run, step):
    import jax

    device = jax.devices("gpu" if run.backend == "cuda" else "cpu")[0]
    steps_of = jax.jit(lambda n, *fields: jax.lax.fori_loop(0, n, lambda _, f: step(*f), fields))
    return measure(run, lambda fields, steps: jax.block_until_ready(steps_of(steps, *fields)),
                   lambda fields: jax.block_until_ready(jax.device_put(fields, device)))  # fmt: skip


def measure_cupy(run, advance, put):
    import cupy

    return measure(run, advance, put, lambda fields: [f.get() for f in fields],
                   cupy.cuda.Device().synchronize)  # fmt: skip


def devito_grid(shape):
    """Devito, set to OpenMP, and a grid of its own with spacing 1."""
    import devito

    devito.configuration["log-level"], devito.configuration["language"] = "ERROR", "openmp"
    return devito, devito.Grid(shape, extent=[n - 1 for n in shape], dtype=np.float32)


def measure_devito(run, operator, functions, mode):
    """Measures an operator on functions with a ring around the fields, filled by np.pad's mode."""
    inside = (slice(1, -1),) * run.fields[0].ndim

    def put(fields):
        for function, field in zip(functions, fields):
            function.data[0] = np.pad(field, 1, mode=mode)
        return functions

    def advance(functions, steps):
        operator.apply(time_m=0, time_M=steps - 1)
        return [function.data[steps % 2] for function in functions]

    return measure(run, advance, put, lambda fields: [np.array(f[inside]) for f in fields])


def measure_py_pde(run, equation, engine, state_of):
    """Measures steps of 1 from state_of(fields), with one of py-pde's engines."""
    import pde

    solver = pde.EulerSolver(equation, backend=engine)
    stepper = solver.make_stepper(state_of(run.fields), dt=1)

    def advance(states, steps):
        stepper(*states, 0, steps)
        return states

    return measure(run, advance, lambda fields: [state_of(fields)],
                   lambda states: states[0].data.reshape(len(run.fields), *run.fields[0].shape).copy())  # fmt: skip
