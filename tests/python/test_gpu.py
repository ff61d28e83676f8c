"""lapl.Simulation on a GPU: its fields as views of PyTorch, CuPy and JAX. Skipped where there is no GPU."""

import gc
import subprocess
import sys

import lapl
import numpy as np
import pytest

try:
    from lapl import _simulation  # noqa: F401
except ImportError as error:
    pytest.skip(f"built without lapl.Simulation ({error})", allow_module_level=True)

# Rows of 37 values are padded on the device, so that views have strides.
CONFIG = {
    "grid": {"shape": [24, 37]}, "boundary": "insulated", "parameters": {"F": 0.04, "k": 0.06},
    "equation": {"u": "0.16 * laplacian(u) - u * v^2 + F * (1 - u)",
                 "v": "0.08 * laplacian(v) + u * v^2 - (F + k) * v"},
    "initial": {"u": "1 - random / 2", "v": "random / 4"}, "time": {"step": 1, "steps": 100},
    "compute": {"backend": "cuda"},
}
try:
    lapl.Simulation(CONFIG).close()
except lapl.DeviceError as error:
    pytest.skip(f"no GPU ({str(error).splitlines()[0]})", allow_module_level=True)


def torch_view(field):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no CUDA")
    return torch.from_dlpack(field)


def cupy_view(field):
    return pytest.importorskip("cupy").from_dlpack(field)


def jax_view(field):
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX has no CUDA")
    return jax.dlpack.from_dlpack(field)


def as_numpy(view):
    return np.asarray(view.get() if hasattr(view, "get") else view.cpu() if hasattr(view, "cpu") else view)


VIEWS = pytest.mark.parametrize("view", [torch_view, cupy_view])
PRECISIONS = pytest.mark.parametrize("precision", ["float32", "float64"])


@PRECISIONS
@pytest.mark.parametrize("engine", ["auto", "tile", "resident"])
def test_same_bits_as_on_the_host(precision, engine):
    sim = lapl.Simulation(CONFIG, **{"compute.precision": precision, "compute.engine": engine})
    host = lapl.Simulation(CONFIG, compute={"backend": "cpu", "precision": precision})
    for each in (sim, host):
        for steps in (1, 2, 30, 67):
            each.step(steps)
    assert sim.digest == host.digest
    for name in sim.fields:
        copy = np.asarray(sim.fields[name])
        assert copy.dtype == precision and np.array_equal(copy, host.fields[name])


@VIEWS
@PRECISIONS
def test_views_are_the_state_itself(view, precision):
    sim = lapl.Simulation(CONFIG, **{"compute.precision": precision})
    sim.step(3)
    for name in sim.fields:
        assert np.array_equal(as_numpy(view(sim.fields[name])), np.asarray(sim.fields[name]))
    before, other = sim.digest, np.asarray(sim.fields["u"])
    field = view(sim.fields["v"])
    assert str(field.dtype).endswith(precision) and tuple(field.shape) == (24, 37)
    field += 0.25  # in a stream of the other library
    assert sim.digest != before and np.array_equal(np.asarray(sim.fields["u"]), other)
    host = lapl.Simulation(CONFIG, compute={"backend": "cpu", "precision": precision})
    host.step(3)
    host.fields["v"] += 0.25
    for each in (sim, host):
        each.step(20)
    assert sim.digest == host.digest


@VIEWS
def test_coupling_step_by_step(view):
    """Each step reads what the other library has written just before."""
    sim, host = (lapl.Simulation(CONFIG, compute={"backend": backend}) for backend in ("cuda", "cpu"))
    for _ in range(100):
        field = view(sim.fields["v"])
        field *= 0.96875
        host.fields["v"] *= np.float32(0.96875)
        sim.step()
        host.step()
    assert sim.digest == host.digest


def test_volumes_and_jax():
    config = {**CONFIG, "grid": {"shape": [6, 8, 32]}}  # rows without padding, which JAX demands
    sim = lapl.Simulation(config)
    sim.step(5)
    assert np.array_equal(as_numpy(jax_view(sim.fields["v"])), np.asarray(sim.fields["v"]))


@VIEWS
def test_memory_lives_as_long_as_its_views(view):
    sim = lapl.Simulation(CONFIG)
    field, expected = view(sim.fields["u"]), np.asarray(sim.fields["u"])
    held = sim.fields["v"]
    sim.close()
    with pytest.raises(RuntimeError, match="closed"):
        held.__dlpack__()
    sim = None
    gc.collect()
    assert np.array_equal(as_numpy(field), expected)


def test_writing_and_varying_steps_and_checkpoints():
    time = {"scheme": "bs23", "tolerance": 1e-4, "end": 30}
    sim, host = (lapl.Simulation({**CONFIG, "time": time}, compute={"backend": each}) for each in ("cuda", "cpu"))
    for each in (sim, host):
        each.step(4)
        each.fields["u"] = np.full((24, 37), 0.5)
        each.step(3)
        each.checkpoint("seven.h5")
        each.restore("seven.h5")
        each.step(100)
    assert (sim.time, sim.digest) == (host.time, host.digest) and sim.time == 30


def test_uses_that_are_refused():
    sim = lapl.Simulation(CONFIG)
    field = sim.fields["u"]
    assert field.__dlpack_device__() == (2, 0)
    for wrong in ({"copy": True}, {"dl_device": (1, 0)}):
        with pytest.raises(BufferError):
            field.__dlpack__(**wrong)
    with pytest.raises(ValueError, match="copy=False"):
        field.__array__(copy=False)
    field.__dlpack__(stream=1, max_version=(1, 0))  # a capsule that nobody takes frees itself
    mask = np.ones((24, 37))
    mask[3:7, 9:20] = 0
    masked = lapl.Simulation({**CONFIG, "grid": {"shape": [24, 37], "mask": mask}})
    masked.step(3)
    assert np.all(np.asarray(masked.fields["u"])[mask == 0] == 0)
    with pytest.raises(BufferError, match="with a mask the state is read-only"):
        masked.fields["u"].__dlpack__()


@VIEWS
def test_exit_with_a_live_view(view):
    pytest.importorskip(view.__name__.removesuffix("_view"))
    code = f"""
import sys
sys.path[:0] = {sys.path!r}
import lapl
lapl.__path__[:] = {list(lapl.__path__)!r}
import {view.__name__.removesuffix("_view")} as library
sim = lapl.Simulation({CONFIG!r})
view = library.from_dlpack(sim.fields["u"])
print("end")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
