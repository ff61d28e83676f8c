"""Whole solutions with steps that programs choose by their error, at equal error at the end. All
programs solve the same equations on the same nodes, so that only errors in time are compared."""
import csv
import functools
import json
import os
import pathlib
import subprocess
import tempfile
import time
from typing import NamedTuple

import h5py
import numpy as np

from . import common
from .lines import PROBLEMS, Differences, Problem

SHAPE = (256, 256)
ERROR = 1e-4  # at the end: the largest over all cells, divided by the field's largest value
REFERENCE = 1e-9  # tolerance
FIRST_STEP = 1e-3  # of py-pde; the others choose it
SCHEMES = ["bs23", "dopri5", "rkl2"]


class Task(NamedTuple):
    problem: Problem
    first: np.ndarray  # initial fields
    last: np.ndarray  # the reference at the end
    size: np.ndarray  # each field's largest value

    def error(self, fields):
        return np.max(np.abs(fields - self.last) / self.size)


def largest_tolerance(task, solve):
    """What solve(tolerance) gives, fields, text and seconds, for the largest tolerance that
    suffices, of two in a decade; the seconds are medians of three."""
    tried = {}

    def suffices(half):
        tried[half] = solve(10 ** (-half / 2))
        return task.error(tried[half][0]) <= ERROR

    half = 8
    while not suffices(half):
        half += 1
        if half > 18:
            raise ArithmeticError(f"no tolerance down to 1e-9 has an error of {ERROR:g}")
    while half == min(tried) and half > 2 and suffices(half - 1):
        half -= 1
    fields, text, *seconds = tried[half]
    again = [solve(10 ** (-half / 2))[2:] for _ in range(2)]
    text = f"tolerance {10 ** (-half / 2):.1e}, {text}"
    return fields, text, *np.median([seconds, *again], axis=0)


def measure(task, solve):
    fields, text, seconds = largest_tolerance(task, solve)
    return fields / task.size, seconds, text


def method_of_lines(task):
    """The rates of all fields, in a new array."""
    shape, problem = task.first.shape, task.problem
    differences = Differences(shape[1:], problem.boundary == "periodic")

    def rates_of(_, y):
        rates = np.empty(shape)
        problem.rates(differences, y.reshape(shape), rates, **problem.parameters)
        return rates.reshape(-1)

    return rates_of


def with_scipy(task, method, **options):
    from scipy.integrate import solve_ivp

    rates_of, end = method_of_lines(task), task.problem.end

    def solve(tolerance):
        start = time.perf_counter()
        found = solve_ivp(rates_of, (0, end), task.first.reshape(-1), method, [end],
                          rtol=tolerance, atol=tolerance, **options)  # fmt: skip
        seconds = time.perf_counter() - start
        return found.y[:, -1].reshape(task.first.shape), f"{found.nfev} evaluations", seconds

    return solve


def with_py_pde(task):
    common.numba()
    import pde

    problem, (rows, columns) = task.problem, task.first.shape[1:]
    periodic = problem.boundary == "periodic"
    grid = pde.CartesianGrid([[0, columns], [0, rows]], [columns, rows], periodic=periodic)
    equation = pde.PDE({name: text.replace("laplacian", "laplace").replace("^", "**")
                        for name, text in problem.equations.items()}, consts=problem.parameters,
                       **({} if periodic else {"bc": {"derivative": 0}}))  # fmt: skip

    def state():
        return pde.FieldCollection([pde.ScalarField(grid, field.T) for field in task.first])

    @functools.cache  # compiling takes minutes where there are many operators
    def stepping(tolerance):
        solver = pde.RungeKuttaSolver(equation, backend="numba", adaptive=True, tolerance=tolerance)
        stepper = solver.make_stepper(state(), dt=FIRST_STEP)
        stepper(state(), 0, FIRST_STEP)
        return solver, stepper

    def solve(tolerance):
        (solver, stepper), found = stepping(tolerance), state()
        solver.info.update(dt=FIRST_STEP, steps=0)
        start = time.perf_counter()
        stepper(found, 0, problem.end)
        seconds = time.perf_counter() - start
        return np.swapaxes(found.data, 1, 2), f"{solver.info['steps']} steps", seconds

    return measure(task, solve)


PEERS = {  # name: (function, backends)
    "scipy-rk45": (lambda task: measure(task, with_scipy(task, "RK45")), ["cpu"]),
    "scipy-dop853": (lambda task: measure(task, with_scipy(task, "DOP853")), ["cpu"]),
    "py-pde": (with_py_pde, ["cpu"]),
}


def lapl_run(program, problem, shape, steps, every):
    """First and last fields, a text, seconds of stepping and of the process."""
    names = list(problem.equations)
    keys = {"grid": {"shape": list(shape)}, "fields": names, "parameters": problem.parameters,
            "equation": {"kind": "formula", **problem.equations}, "boundary": problem.boundary,
            "initial": {name: {"kind": "formula", "formula": text}
                        for name, text in zip(names, problem.initial)},
            "time": steps, "output": {"every": every, "fields": names},
            "compute": {"precision": "float64", "backend": "cpu"}}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        config, run = pathlib.Path(folder) / "compare.yaml", pathlib.Path(folder) / "run"
        config.write_text(json.dumps(keys))
        start = time.perf_counter()
        # os.environ is without what a peer's MPI adds for this process.
        subprocess.run([program, "run", config, "--output", run, "--quiet"], check=True, env=dict(os.environ))
        process = time.perf_counter() - start
        fields = []
        for file in (min(run.glob("fields/*.nc")), max(run.glob("fields/*.nc"))):
            with h5py.File(file) as opened:
                fields.append(np.array([opened[name][0] for name in names]))
        *_, last = csv.DictReader((run / "diagnostics.csv").read_text().splitlines())
        text = f"{last['step']} steps, {last.get('rejections', 0)} rejected"
        stepping = json.loads((run / "run.json").read_text())["stepping_seconds"]
    return *fields, text, stepping, process


def by_error(program, problem, shape, scheme, tolerance):
    about = {"linear_about": problem.about} if scheme.startswith("etdrk") else {}
    return lapl_run(program, problem, shape, {"scheme": scheme, "tolerance": tolerance,
                                              "step": "auto", "end": problem.end, **about},
                    {"time": problem.end})  # fmt: skip


def check(task, program, shape, reference=True):
    """A note. Ends the script if NumPy's rates or SciPy's solution differ from lapl's."""
    step, title = 0.01 if reference else 1e-4, task.problem.title
    first, last, *_ = lapl_run(program, task.problem, shape, {"step": step, "steps": 1}, 1)
    change = step * method_of_lines(task)(0, first.reshape(-1)).reshape(first.shape)
    gate = 16 * np.finfo(float).eps * max(1, np.abs(first).max())
    difference = np.abs(first + change - last).max()
    if not difference <= gate:
        raise SystemExit(f"{title}: an euler step in NumPy differs by {difference:g} from lapl's")
    if not reference:
        return f"an euler step in NumPy differs by {difference:.1e} (allowed {gate:.1e})"
    try:
        error = task.error(with_scipy(task, "DOP853")(REFERENCE)[0])
    except ImportError:
        return "the reference, lapl's dopri5, is not compared with SciPy, which is not here"
    if not error <= ERROR / 100:
        raise SystemExit(f"{title}: the references of lapl and SciPy differ by {error:g}")
    return (f"an euler step in NumPy differs by {difference:.1e} (allowed {gate:.1e}), "
            f"the reference in SciPy by {error:.1e} (allowed {ERROR / 100:.0e})")  # fmt: skip


def cases(options, backend, problems=PROBLEMS, schemes=tuple(SCHEMES), reference=True):
    if backend != "cpu":
        return
    shape, program = tuple(options.shape or SHAPE), options.lapl
    for problem in problems:
        first, last, *_ = by_error(program, problem, shape, "dopri5", REFERENCE)
        task = Task(problem, first, last, np.abs(last).max(axis=(1, 2), keepdims=True))
        notes, rows = [check(task, program, shape, reference)], []
        for scheme in schemes:
            try:
                found, text, stepping, process = largest_tolerance(
                    task, lambda tolerance: by_error(program, problem, shape, scheme, tolerance)[1:])  # fmt: skip
            except (ArithmeticError, subprocess.CalledProcessError) as error:
                notes.append(f"lapl {scheme}: {getattr(error, 'stderr', error)!s:.150}")
                continue
            rows += [(scheme, stepping, f"error {task.error(found):.1e}", text),
                     (f"{scheme}, process", process)]  # fmt: skip
        title = f"{problem.title}, {' x '.join(map(str, shape))}, to time {problem.end:g}"
        yield common.Case(f"{title} with an error of at most {ERROR:g}", 0, rows, last / task.size,
                          ERROR, [task], notes)  # fmt: skip
