"""Sweeps, pictures, the xarray backend, filters and the other commands."""

import base64
import gc
import json
from pathlib import Path

import lapl
import numpy as np
import pytest
import xarray as xr

SHARP = [[0, 1, 0], [1, -4, 1], [0, 1, 0]]


def test_sweep_gives_a_dataset_with_a_dimension_for_each_name(heat):
    data = lapl.sweep(heat, {"D": [0.1, 0.2], "compute.threads": [1, 2, 3]})
    assert data.u.dims == ("D", "compute.threads", "time", "y", "x") and data.u.shape == (2, 3, 3, 8, 32)
    assert (data.status == "complete").all()
    for diffusivity in (0.1, 0.2):
        one = lapl.run(heat, **{"parameters.D": diffusivity})
        here = data.sel(D=diffusivity)
        assert (here.digest == one.digest).all()
        assert np.array_equal(here.u[0], one.fields.u)
    del one
    gc.collect()
    assert list(Path("temporary").iterdir()) == []


def test_sweep_in_a_folder_is_lazy_and_goes_on(heat):
    pytest.importorskip("dask")
    first = lapl.sweep(heat, {"D": [0.1, 0.2]}, output="sweep")
    assert first.u.chunks is not None
    data = lapl.sweep(heat, {"D": [0.1, 0.2, 0.3]}, output="sweep", auto_resume=True)
    assert data.sizes["D"] == 3 and data.u.sel(D=[0.1, 0.2]).equals(first.u)


def test_sweep_with_members_that_fail_or_have_other_times(heat):
    heat["equation"]["u"] = "where(D > 0.15, 1e3 * u^2, 0)"
    heat["initial"] = {"u": "1"}
    with pytest.warns(lapl.LaplWarning, match="D-0.2: .*not finite"):
        data = lapl.sweep(heat, {"D": [0.1, 0.2]})
    assert data.status.values.tolist() == ["complete", "failed"]
    assert data.u.sel(D=0.1).mean() == 1 and data.u.sel(D=0.2).isnull().all()
    data = lapl.sweep(heat, {"time.step": [0.1, 0.2]}, **{"parameters.D": 0.0})
    assert data.time.dims == ("time.step", "output") and data.time.values[:, -1].tolist() == [2, 4]
    with pytest.raises(lapl.NumericalError, match=r"D-0\.2"):
        lapl.sweep(heat, {"D": [0.2, 0.3]})


def test_sweep_counts_its_runs_by_tqdm(heat, capsys):
    pytest.importorskip("tqdm")
    slow = {**heat, "grid": {"shape": [256, 512]}, "time": {"step": 0.1, "steps": 2000}}
    lapl.sweep(slow, {"D": [0.1, 0.2, 0.3]}, progress=True, jobs=1)
    assert "3/3" in capsys.readouterr().err


def test_sweep_mistakes(heat):
    with pytest.raises(lapl.ConfigError, match=r"parameters\.F"):
        lapl.sweep(heat, {"F": [1, 2]})
    with pytest.raises(lapl.ConfigError, match="nothing to sweep"):
        lapl.sweep(heat, {"D": [1]})
    with pytest.raises(lapl.ConfigError, match=r"parameters\.D"):
        lapl.sweep(heat, {"D": [], "initial.seed": [1, 2]})


def test_xarray_opens_a_run_folder(heat):
    run = lapl.run(heat, output="runs/x")
    from lapl.xarray_backend import RunBackend
    assert RunBackend().guess_can_open("runs/x") and not RunBackend().guess_can_open("runs")
    data = xr.open_dataset("runs/x", engine=RunBackend)
    assert data.identical(run.fields)
    assert data.u.isel(time=-1, x=slice(4, 8), y=[1, 3]).equals(run.fields.u.load()[-1, [1, 3], 4:8])
    data.close()


def test_xarray_chunks_by_dask(heat):
    pytest.importorskip("dask")
    fields = lapl.run(heat).fields.chunk({"time": 1})
    assert fields.u.data.npartitions == 3 and float(fields.u[0].max().compute()) == 1


def test_pictures(heat):
    run = lapl.run(heat)
    try:
        picture = run.plot(field="u", steps=[0, 20], limits=(-1, 1), size="300x200")
    except lapl.LaplError as error:
        pytest.skip(str(error))
    assert picture.data.startswith(b"\x89PNG")
    assert base64.b64decode(picture._repr_mimebundle_()["image/png"]) == picture.data
    assert run.plot(format="svg")._repr_mimebundle_()["image/svg+xml"].startswith("<?xml")
    assert run.plot(output="last.png", step=20).kind == "png" and Path("last.png").is_file()
    assert b"acTL" in run.plot(movie=True).data  # an animated PNG
    html = run._repr_html_()
    assert run.digest in html and "<img src=" in html
    page = run.report()
    assert run.digest.encode() in page.data and "<iframe" in page._repr_mimebundle_()["text/html"]
    with pytest.raises(lapl.LaplError, match="nothing"):
        run.plot(field="nothing")


def test_validate_plan_and_bench(heat):
    assert "steps: 20" in lapl.validate(heat)
    with pytest.raises(lapl.ConfigError, match=r"grid\.shape"):
        lapl.validate({**heat, "grid": {"shape": [0, 3]}})
    assert lapl.plan(heat)["shape"] == [8, 32] == lapl.run(heat).plan["shape"]
    rows = lapl.bench(shape=(16, 16), engine="interpreted", precision="float32", steps=2, repeats=1)
    assert rows[0]["engine"] == "interpreted" and rows[0]["shape"] == [16, 16]
    rows = lapl.bench({**heat, "initial": {"u": np.ones((8, 32))}}, engine="interpreted", precision="float64",
                      steps=2, repeats=1)
    assert rows[0]["shape"] == [8, 32]


def test_filter_is_that_of_scipy():
    ndimage = pytest.importorskip("scipy.ndimage")
    array = np.random.default_rng(3).random((9, 11))
    assert np.allclose(lapl.filter(array, SHARP, edge="nearest"), ndimage.convolve(array, SHARP, mode="nearest"))
    window = np.random.default_rng(4).random((3, 5))
    assert np.allclose(lapl.filter(array, window, kind="correlate"), ndimage.correlate(array, window))
    labelled = xr.DataArray(array, dims=("y", "x"), coords={"x": np.arange(11)})
    smooth = lapl.filter(labelled, "gaussian", sigma=1.5)
    assert smooth.dims == labelled.dims and smooth.x.equals(labelled.x)
    assert np.allclose(smooth, ndimage.gaussian_filter(array, 1.5), atol=1e-12)
    with pytest.raises(lapl.ConfigError, match="edge"):
        lapl.filter(array, SHARP, edge="round")


def test_covariance_is_the_sum():
    rng = np.random.default_rng(5)
    mu, gamma = rng.random((1, 2, 4, 4)), rng.random((1, 2, 4, 4, 2, 4, 4))
    c = np.array([1.0, 2.0])
    start = rng.random((1, 2, 3, 3, 2, 3, 3))
    expected = start.copy()
    for o, i, j, k, m in np.ndindex(2, 3, 3, 3, 3):
        for p, q, channel in np.ndindex(2, 2, 2):
            expected[0, o, i, j, o, k, m] += c[o] * (mu[0, channel, i + p, j + q] * mu[0, channel, k + p, m + q]
                                                     + gamma[0, channel, i + p, j + q, channel, k + p, m + q])
    assert np.allclose(lapl.covariance(start, mu, gamma, c), expected)


def test_version_is_the_programs():
    import tomllib
    version = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["version"]
    run = lapl.run("{grid: {shape: [8]}, equation: {u: 0}, initial: 1, time: {step: 1, steps: 0}}")
    assert run.info["version"] == version and json.dumps(run.info)


def test_the_package_is_small():
    lines = sum(len(file.read_text().splitlines()) for file in Path(lapl.__file__).parent.glob("*.py"))
    assert lines <= 700
