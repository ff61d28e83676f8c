"""Whole processes, from their start to their end: diffusion of a field in a file, with field and Laplacian stored
four times on the way. Each peer is a Python process of its own (start_job.py) that writes HDF5 files."""
import functools
import importlib.util
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
from typing import NamedTuple

import h5py
import numpy as np

from . import common

CASES = {"cuda": [((64, 64), 100), ((2000, 2000), 10000)], "cpu": [((64, 64), 100), ((2000, 2000), 1000)]}
JOB = pathlib.Path(__file__).with_name("start_job.py")


class Task(NamedTuple):
    folder: pathlib.Path  # holds first.npy
    steps: int
    every: int
    backend: str

    def timed(self, words):
        """Median seconds of the command, which makes the folder `out`, and a text with its mean processor time."""
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(self.folder / "cache")}
        processors = []

        def prepare():
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            return ()

        def call():
            before = os.times()
            subprocess.run([str(word) for word in words], check=True, env=environment)
            after = os.times()
            processors.append(after.children_user + after.children_system
                              - before.children_user - before.children_system)  # fmt: skip

        prepare()
        call()  # fills caches of files and of compiled code
        del processors[0]
        return common.median_seconds(call, prepare), f"{1e3 * statistics.mean(processors):.0f} ms of processors"


def result_of(field, laplacian):
    """Arrays with the same rounding."""
    return [np.asarray(field), np.asarray(laplacian) / 8]


def measured(name, module, task):
    for needed in (module, "h5py"):
        if importlib.util.find_spec(needed) is None:
            raise ImportError(needed)
    times = task.timed([sys.executable, JOB, name, task.folder, task.steps, task.every, task.backend])
    last = max((task.folder / "out").iterdir())
    with h5py.File(last) as file:
        found = file["data"][-1] if name == "py-pde" else (file["field"], file["laplacian"])
        return result_of(*found), *times


PEERS = {  # name: (function, backends)
    name: (functools.partial(measured, name, module), backends)
    for name, module, backends in [("numpy", "numpy", ["cpu"]), ("numba", "numba", ["cpu"]),
                                   ("jax", "jax", ["cpu", "cuda"]), ("cupy", "cupy", ["cuda"]),
                                   ("py-pde", "pde", ["cpu"])]
}  # fmt: skip


def cases(options, backend):
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    for shape, steps in common.grids(options, CASES[backend]):
        with tempfile.TemporaryDirectory(dir=memory) as scratch:
            folder = pathlib.Path(scratch)
            task = Task(folder, steps, steps if steps % 4 else steps // 4, backend)
            np.save(folder / "first.npy", np.random.default_rng(1).random(shape, dtype=np.float32))
            config = {"grid": {"shape": list(shape)}, "equation": {"coefficient": 0.25},
                      "initial": {"kind": "hdf5", "path": "first.npy"}, "time": {"steps": steps},
                      "output": {"every": task.every, "fields": ["field", "laplacian"]},
                      "checkpoint": {"every": steps}, "compute": {"backend": backend}}  # fmt: skip
            (folder / "start.yaml").write_text(json.dumps(config))
            times = task.timed([options.lapl, "run", folder / "start.yaml", "--output", folder / "out", "--quiet"])
            with h5py.File(max(folder.glob("out/fields/step*"))) as file:
                expected = result_of(file["field"][0], file["laplacian"][0])
            phases = json.loads((folder / "out/run.json").read_text())["phases"]
            gate = (8 + 0.1 * steps) * common.EPSILON  # as in steps.py; values are at most 1
            text = ", ".join(f"{name} {1e3 * value:.0f}" for name, value in phases.items())
            title = f"start to finish: {' x '.join(map(str, shape))}, {steps} steps, stored every {task.every}"
            yield common.Case(title, 0, [("process", *times, text)], expected, gate, [task])
