"""lapl.run and Run: values of exact solutions, arrays, restarts, mistakes."""

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
import xarray as xr

FACTOR = 1 - 0.1 * 0.5 * 4 * np.sin(np.pi / 32) ** 2  # of the sine in one step
SINE = np.sin(2 * np.pi * np.arange(32) / 32)


def temporary_folders():
    return list(Path("temporary").iterdir())


def test_dictionary_text_and_file_give_the_exact_solution(heat):
    run = lapl.run(heat)
    assert run.status == "complete" and run.info["step"] == 20
    assert np.allclose(run.fields.u.isel(time=-1), FACTOR**20 * SINE, atol=1e-13)
    assert run.fields.time.values.tolist() == [0, 1, 2]
    again = lapl.run(run.config)
    Path("file.yaml").write_text(run.config)
    assert run.digest == again.digest == lapl.run("file.yaml").digest == lapl.run(Path("file.yaml")).digest


def test_settings_replace_entries(heat):
    run = lapl.run(heat, time={"steps": 10}, **{"parameters.D": 1.0})
    assert run.info["step"] == 10
    assert np.allclose(run.fields.u[-1, 0], (2 * FACTOR - 1) ** 10 * SINE, atol=1e-13)


def test_relative_paths_of_a_dictionary_are_those_of_the_current_folder(heat):
    np.save("start.npy", np.ones((8, 32)))
    run = lapl.run({**heat, "initial": {"u": {"kind": "hdf5", "path": "start.npy"}}}, output="runs/one")
    assert run.path == Path("runs/one") and float(run.fields.u[-1].std()) == 0


@pytest.mark.parametrize("make", [np.ascontiguousarray, np.asfortranarray, lambda a: np.repeat(a, 2, 1)[:, ::2],
                                  lambda a: xr.DataArray(a, dims=("y", "x")),
                                  lambda a: xr.DataArray(a.T, dims=("x", "y"))])
def test_arrays_stand_for_initial_fields_parameters_and_masks(heat, make):
    rng = np.random.default_rng(1)
    start, mask = rng.random((8, 32)), np.ones((8, 32), bool)
    mask[2:4, 5:9] = False
    diffusivity = rng.random((8, 32)).astype("f4")
    given = {**heat, "grid": {"shape": [8, 32], "mask": make(mask)}, "parameters": {"D": make(diffusivity)},
             "initial": {"u": make(start)}, "equation": {"u": "-D * u"}}
    u = lapl.run(given).fields.u[-1].values
    assert np.array_equal(np.isnan(u), ~mask)
    expected = start * (1 - 0.1 * diffusivity.astype("f8")) ** 20
    assert np.allclose(u[mask], expected[mask], rtol=1e-13)


def test_array_of_another_grid_is_interpolated_where_the_config_says_so(heat):
    coarse = np.repeat(SINE.reshape(1, 16, 2).mean(2), 4, 0)
    start = {"kind": "hdf5", "path": coarse, "interpolate": "linear"}
    u = lapl.run({**heat, "initial": {"u": start}}, time={"steps": 0}).fields.u[0, 0]
    assert np.allclose(u, SINE, atol=0.05)


def test_temporary_folder_lives_as_long_as_the_run_and_its_fields(heat):
    u = lapl.run(heat, initial={"u": np.ones((8, 32))}).fields.u
    gc.collect()
    assert len(temporary_folders()) == 1
    assert u.values.mean() == 1  # read now
    part = u[-1]
    del u
    gc.collect()
    assert part.values.mean() == 1
    del part
    gc.collect()
    assert temporary_folders() == []


def test_fork_leaves_the_temporary_folder(heat):
    run = lapl.run(heat)
    child = os.fork()
    if child == 0:
        run._scratch.close()  # as at the end of the interpreter
        os._exit(0)
    os.waitpid(child, 0)
    assert np.isfinite(run.fields.u.values).all()


def test_tables(heat):
    run = lapl.run({**heat, "output": {"every": 10, "integrals": {"energy": "u^2 / 2"},
                                       "probes": {"every": 5, "at": {"crest": [0, 8]}}}})
    assert run.diagnostics.index.tolist() == [0, 10, 20]
    assert run.diagnostics.energy.iloc[0] == pytest.approx(8 * 16 / 2)
    assert np.allclose(run.probes.crest, FACTOR ** np.arange(0, 21, 5))
    with pytest.raises(FileNotFoundError, match=r"the run has no probes \(output\.probes\)"):
        _ = lapl.run(heat).probes


def test_resume_goes_on_to_the_same_bits(heat):
    whole = lapl.run(heat, time={"steps": 40})
    run = lapl.run(heat)
    first = run.fields  # of before
    assert first.sizes["time"] == 3
    assert run.resume(steps=40) is run
    assert run.digest == whole.digest and run.fields.sizes["time"] == 5
    assert lapl.Run(run.path).digest == whole.digest


def test_run_that_starts_from_another(heat):
    first = lapl.run(heat, output="first")
    second = lapl.run(heat, from_="first", time={"steps": 20})
    assert np.allclose(second.fields.u[-1, 0], FACTOR**40 * SINE, atol=1e-13)
    assert second.fields.time.values[0] == first.fields.time.values[-1]


def test_config_error_has_every_mistake_of_the_program(heat):
    with pytest.raises(lapl.ConfigError) as caught:
        lapl.run({**heat, "time": {"step": -1, "steps": 2.5}, "bounds": 0})
    text = str(caught.value)
    assert "time.step" in text and "time.steps" in text and "bounds" in text and caught.value.code == 2
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(("config", "error", "words"), [
    ({"initial": {"u": np.ones((3, 4))}}, lapl.ConfigError, r"3.*4|expected.*8.*32"),
    ({"initial": {"u": np.full((8, 32), np.nan)}}, lapl.LaplError, "nan"),
    ({"initial": {"u": np.ones((8, 32), complex)}}, TypeError, r"initial\.u: found an array of complex128"),
    ({"initial": {"u": np.array([["a"]])}}, TypeError, r"initial\.u: found an array of <U1"),
    ({"parameters": {"D": {1, 2}}}, TypeError, r"parameters\.D: found a set \(expected a number"),
    ({"parameters": {"D": float("nan")}}, lapl.ConfigError, r"parameters\.D"),
    ({"time": {"step": 10.0, "steps": 5}}, lapl.ConfigError, "unstable"),
])
def test_bad_input_is_named(heat, config, error, words):
    with pytest.raises(error, match=words):
        lapl.run({**heat, **config})
    gc.collect()
    assert temporary_folders() == []


def test_exceptions_by_exit_code(heat):
    with pytest.raises(lapl.FileError, match=r"none\.yaml"):
        lapl.run("none.yaml")
    with pytest.raises(TypeError, match="config: found a list"):
        lapl.run([1])
    with pytest.raises(lapl.NumericalError, match="not finite") as caught:
        lapl.run({**heat, "equation": {"u": "1e3 * D * u^2"}, "initial": {"u": "1"}, "time": {"step": 1, "steps": 99}})
    assert caught.value.run.fields.u[0].mean() == 1  # nothing is lost
    lapl.run(heat, output="there")
    with pytest.raises(lapl.LaplError, match="there"):
        lapl.run(heat, output="there")
    lapl.run(heat, output="there", overwrite=True)
    with pytest.raises(lapl.Stopped, match="resume") as stopped:
        lapl.run({**heat, "time": {"step": 0.1, "steps": 10**9}, "output": {"every": 10**9},
                  "limits": {"wall_time": "1s"}})
    assert stopped.value.run.status == "stopped"


def test_interrupt_stops_with_a_checkpoint(heat):
    slow = {**heat, "time": {"step": 0.1, "steps": 10**10}, "output": {"every": 10**9}}

    def interrupt():
        while not list(Path("slow/checkpoints").glob("step-*")):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        lapl.run(slow, output="slow")
    thread.join()
    run = caught.value.run
    step = run.info["step"]
    assert run.status == "stopped" and 0 < step < 10**10
    assert run.resume(steps=step + 5).info["step"] == step + 5


def test_two_threads_run_at_once_and_one_folder_has_one_run(heat):
    digests = []
    threads = [threading.Thread(target=lambda: digests.append(lapl.run(heat).digest)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(digests) == 2 and len(set(digests)) == 1


def test_warnings_of_the_program(heat):
    with pytest.warns(lapl.LaplWarning, match="unstable"):
        lapl.run(heat, time={"step": 1.5, "steps": 2}, **{"limits.unstable_step": "warn"})


def test_progress_by_tqdm(heat, capsys):
    pytest.importorskip("tqdm")
    slow = {**heat, "grid": {"shape": [512, 512]}, "time": {"step": 0.1, "steps": 2000}}
    lapl.run(slow, progress=True)
    assert "2.00k" in capsys.readouterr().err


def test_the_program_that_is_missing_is_named(heat, monkeypatch):
    monkeypatch.setenv("LAPL_PROGRAM", "/none/lapl")
    with pytest.raises(FileNotFoundError, match="the program lapl was not found"):
        lapl.run(heat)


def test_import_needs_nothing_and_names_what_is_missing():
    code = """
import sys
for name in ("numpy", "xarray", "pandas", "h5py", "tqdm"):
    sys.modules[name] = None
import lapl
run = lapl.run({"grid": {"shape": [8]}, "equation": {"u": "0"}, "initial": "1", "time": {"step": 1, "steps": 1}})
for use in (lambda: run.fields, lambda: run.diagnostics, lambda: lapl.run(dict(a=1), progress=True)):
    try:
        use()
    except ModuleNotFoundError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(Path(lapl.__file__).parents[1])})
    assert [line.split(" (")[0] for line in done.stdout.splitlines()] == [
        "run.fields needs the Python package xarray", "diagnostics.csv needs the Python package pandas",
        "progress=True needs the Python package tqdm"]
