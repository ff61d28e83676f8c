"""lapl.Simulation: the bits of lapl run, views, writing back, mistakes."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import lapl
import numpy as np
import pytest
import xarray

try:
    from lapl import _simulation  # noqa: F401
except ImportError as error:
    pytest.skip(f"built without lapl.Simulation ({error})", allow_module_level=True)

GRAY_SCOTT = {
    "grid": {"shape": [24, 40]}, "boundary": "periodic", "parameters": {"F": 0.04, "k": 0.06},
    "equation": {"u": "0.16 * laplacian(u) - u * v^2 + F * (1 - u) + 0.001 * sin(t)",
                 "v": "0.08 * laplacian(v) + u * v^2 - (F + k) * v"},
    "initial": {"u": "1 - random / 2", "v": "random / 4"}, "time": {"step": 1, "steps": 700},
    "compute": {"backend": "cpu"},
}


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("scheme", ["euler", "rk4"])
def test_same_bits_as_a_run(precision, scheme):
    settings = {"compute.precision": precision, "time.scheme": scheme}
    run = lapl.run(GRAY_SCOTT, **settings)
    sim = lapl.Simulation(GRAY_SCOTT, **settings)
    for steps in (1, 2, 497, 0, 200):
        sim.step(steps)
    assert (sim.steps_done, sim.time) == (700, 700)
    assert sim.digest == run.digest
    assert list(sim.fields) == list(dict(sim.fields)) == ["u", "v"] and len(sim.fields) == 2
    for name in sim.fields:
        assert np.array_equal(sim.fields[name], run.fields[name][-1]) and sim.fields[name].dtype == precision


VARYING = {  # each with the step at which a call ends, then the others
    "pair": {"time": {"scheme": "bs23", "tolerance": 1e-4, "end": 30}},
    "steps": {"time": {"scheme": "dopri5", "tolerance": 1e-4, "steps": 25}},
    "outputs": {"time": {"scheme": "bs23", "tolerance": 1e-3, "end": 20}, "output": {"every": {"time": 3}}},
    "stages": {"time": {"scheme": "rkl2", "tolerance": 1e-5, "end": 30}},
    "exponential": {"time": {"scheme": "etdrk4", "tolerance": 1e-4, "end": 20}},
    "estimates": {"time": {"step": "auto", "scheme": "rk4", "end": 300}, "limits": {"check_finite_every": 50}},
}


@pytest.mark.parametrize("name", VARYING)
def test_varying_steps_have_the_bits_of_a_run(name):
    config = {**GRAY_SCOTT, **VARYING[name]}
    run = lapl.run(config)
    sim = lapl.Simulation(config)
    for steps in (1, 2, 0, 5):
        sim.step(steps)
        assert sim.fields["u"].max() <= 1  # a view between the steps
    sim.checkpoint("eight.h5")
    assert sim.steps_done == 8
    other = lapl.Simulation(config)
    other.restore("eight.h5")
    assert (other.steps_done, other.time, other.digest) == (8, sim.time, sim.digest)
    for each in (sim, other):
        each.step(run.info["step"] - 8)
        assert (each.steps_done, each.digest) == (run.info["step"], run.digest)
        assert each.time == run.fields.time[-1]


def test_varying_steps_end_at_the_end(heat):
    sim = lapl.Simulation(heat, time={"scheme": "bs23", "tolerance": 1e-3, "end": 1, "step": 0.1, "steps": None})
    sim.step(1000)
    assert sim.time == 1 and sim.steps_done < 1000
    sim.step(0)
    with pytest.raises(ValueError, match=r"at its end, 1 s \(expected a later time\.end"):
        sim.step()


def test_warnings_are_those_of_a_run(heat):
    with pytest.warns(lapl.LaplWarning, match="unstable"):
        lapl.Simulation(heat, time={"step": 1.5}, limits={"unstable_step": "warn"})


def test_parts_of_the_program_are_found(heat):
    """Inputs that a library reads which the program loads when it needs it."""
    pytest.importorskip("scipy")
    start = np.random.default_rng(2).random((8, 32))
    xarray.Dataset({"u": (("y", "x"), start)}).to_netcdf("start.nc", engine="scipy")
    sim = lapl.Simulation({**heat, "initial": {"u": {"kind": "hdf5", "path": "start.nc", "dataset": "u"}}})
    assert np.array_equal(sim.fields["u"], start)


def test_parameters_and_initial_fields_as_arrays(heat):
    start = np.random.default_rng(2).random((8, 32))
    given = {**heat, "initial": {"u": start}, "parameters": {"D": start / 2}}
    run = lapl.run(given)
    sim = lapl.Simulation(given)
    sim.step(20)
    assert sim.digest == run.digest


def test_views_are_the_state_itself(heat):
    sim = lapl.Simulation(heat, boundary="insulated", **{"time.step": 0.1})
    assert np.shares_memory(sim.fields["u"], sim.fields["u"])
    assert np.shares_memory(np.from_dlpack(sim.fields["u"]), sim.fields["u"])
    sim.step(3)
    view = sim.fields["u"]
    view[...] = 2
    assert sim.fields["u"].mean() == 2
    sim.step()
    assert np.allclose(sim.fields["u"], 2, atol=1e-14)
    sim.fields["u"][4, 7] = 3
    sim.step()
    assert sim.fields["u"][4, 7] == pytest.approx(3 - 0.1 * 0.5 * 4)
    assert sim.fields["u"].sum() == pytest.approx(2 * 8 * 32 + 1)


def test_views_of_torch(heat):
    torch = pytest.importorskip("torch")
    sim = lapl.Simulation(heat)
    tensor = torch.from_dlpack(sim.fields["u"])
    tensor += 1
    assert sim.fields["u"].mean() == pytest.approx(1)


def test_arrays_are_written_back(heat):
    sim = lapl.Simulation(heat)
    values = np.random.default_rng(3).random((8, 64))
    sim.fields["u"] = values[:, ::2]  # not contiguous
    assert np.array_equal(sim.fields["u"], values[:, ::2])
    sim.fields["u"] = np.ones((8, 32), int)
    sim.step(5)
    assert np.allclose(sim.fields["u"], 1)
    before = sim.digest
    for wrong, error, words in [(np.ones((8, 31)), ValueError, r"fields\[\"u\"\]: found an array of shape \(8, 31\) "
                                                               r"\(expected \(8, 32\)\)"),
                                (np.full((8, 32), np.nan), ValueError, "found NaN or infinity"),
                                (np.array("text"), TypeError, "found an array of <U4"),
                                (np.ones((8, 32), complex), TypeError, "found an array of complex128")]:
        with pytest.raises(error, match=words):
            sim.fields["u"] = wrong
    with pytest.raises(KeyError, match=r"w \(expected u\)"):
        sim.fields["w"]
    assert sim.digest == before


def test_cells_outside_a_mask_stay_0(heat):
    mask = np.ones((8, 32))
    mask[2:5, 3:9] = 0
    sim = lapl.Simulation({**heat, "grid": {"shape": [8, 32], "mask": mask}})
    with pytest.raises(ValueError, match="read-only"):
        sim.fields["u"][0, 0] = 1
    sim.fields["u"] = np.ones((8, 32))
    assert np.array_equal(sim.fields["u"], mask)
    sim.step(10)
    assert np.allclose(sim.fields["u"], mask)


def test_checkpoints(heat):
    sim = lapl.Simulation(heat)
    sim.step(7)
    sim.checkpoint(Path("seven.h5"))
    digest = sim.digest
    sim.step(13)
    last = sim.digest
    other = lapl.Simulation(heat)
    other.restore("seven.h5")
    assert (other.steps_done, other.digest) == (7, digest)
    other.step(13)
    assert other.digest == last
    with pytest.raises(lapl.CheckpointError, match=r"seven\.h5: is of another equation"):
        lapl.Simulation(heat, **{"parameters.D": 0.4}).restore("seven.h5")
    with pytest.raises(lapl.LaplError, match=r"none\.h5"):
        sim.restore("none.h5")
    with pytest.raises(lapl.FileError):
        sim.checkpoint("none/seven.h5")
    assert sim.digest == last


def test_mistakes_are_those_of_the_program(heat):
    with pytest.raises(lapl.ConfigError, match=r"time\.steps.*\n.*boundary"):
        lapl.Simulation(heat, time={"steps": "x"}, boundary="foo")
    with pytest.raises(ValueError, match="found -1"):
        lapl.Simulation(heat).step(-1)
    sim = lapl.Simulation({**heat, "equation": {"u": "1e3 * D * u^2"}, "initial": {"u": "1"}})
    with pytest.raises(lapl.NumericalError, match=r"step 500: .*not finite"):
        sim.step(600)
    sim = lapl.Simulation({**heat, "equation": {"u": "1e3 * D * u^2"}, "initial": {"u": "1"},
                           "time": {"scheme": "bs23", "tolerance": 1e-3, "end": 1}})
    with pytest.raises(lapl.NumericalError, match=r"even a step of [^;]*$"):  # no checkpoint is stored
        sim.step(10000)


def test_closed_and_freed(heat):
    sim = lapl.Simulation(heat)
    view = sim.fields["u"]
    before = view.copy()
    sim.close()
    sim.close()
    for use in (sim.step, lambda: sim.digest, lambda: sim.fields["u"], lambda: sim.checkpoint("x.h5")):
        with pytest.raises(RuntimeError, match="closed"):
            use()
    sim = None
    gc.collect()
    assert np.array_equal(view, before)  # the memory lives as long as its views


def test_two_threads_are_refused_and_the_gil_is_free(heat):
    sim = lapl.Simulation(heat, grid={"shape": [512, 512]})
    began, counted = threading.Event(), 0

    def step():
        began.set()
        sim.step(20000)

    thread = threading.Thread(target=step)
    thread.start()
    began.wait()
    refused = 0
    while thread.is_alive():
        counted += 1  # Python goes on meanwhile
        try:
            _ = sim.digest
        except RuntimeError as error:
            assert "another thread" in str(error)
            refused += 1
            time.sleep(0.001)
    assert counted > 1 and refused > 0 and sim.steps_done == 20000


def test_interrupt_leaves_a_whole_step(heat):
    sim = lapl.Simulation(heat, grid={"shape": [64, 64]})
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        sim.step(10**12)
    done = sim.steps_done
    assert done > 0 and done % 500 == 0
    again = lapl.Simulation(heat, grid={"shape": [64, 64]})
    again.step(done)
    assert again.digest == sim.digest


def test_fork_is_refused():
    code = f"""
import os, sys
sys.path.insert(0, {str(os.path.dirname(os.path.dirname(lapl.__file__)))!r})
import lapl
lapl.__path__[:] = {list(lapl.__path__)!r}
sim = lapl.Simulation({GRAY_SCOTT!r}, **{{"compute.threads": 2}})
sim.step(10)
child = os.fork()
if child == 0:
    try:
        sim.step()
    except RuntimeError as error:
        print(error, flush=True)
    sys.exit(0)
print(os.waitpid(child, 0)[1], sim.step())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Simulation: this process is a fork of the one that made it\n0 None\n"
