"""Other commands: sweep, validate, plan, bench, filter."""

from __future__ import annotations

import importlib.util
import json
import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .config import Config, Scratch, given, json_text, plain
from .errors import LaplWarning, Stopped, error_for, needs
from .program import Progress, call, options, start
from .run import Run, Where

if TYPE_CHECKING:
    import xarray as xr


def validate(config: Config, **settings: Any) -> str:
    """The config with every default, as YAML; raises ConfigError with all mistakes."""
    scratch = Scratch()
    words, text = given(config, settings, scratch)
    return call(["validate", *words], text)


def plan(config: Config, *, schemes: bool = False, **settings: Any) -> dict[str, Any]:
    """The memory, disk and time of a run, predicted from its first steps; `schemes` tries others."""
    scratch = Scratch()
    words, text = given(config, settings, scratch)
    return dict(json.loads(call(["plan", "--json", *options(schemes=schemes), *words], text)))


def bench(config: Config | None = None, **choices: Any) -> list[dict[str, Any]]:
    """Verifies and times the engines, or with ``filters=True`` the filters; options of ``lapl bench``."""
    scratch = Scratch()
    words, text = ([], None) if config is None else given(config, {}, scratch)
    words = ["bench", "--json", *options(**choices), *(["--config"] if words else []), *words]
    return list(json.loads(call(words, text)))


def _filtered(config: dict[str, Any], compute: dict[str, Any] | None, scratch: Scratch, name: str) -> Any:
    """The dataset of this name that ``lapl filter`` writes."""
    h5py = needs("h5py", "the result of a filter")
    output = scratch.path / "result.h5"
    config |= {"output": {"path": str(output), "dataset": name}, "compute": compute or {}}
    call(["filter", "-", "--quiet"], json_text(plain(config, (), scratch), indent=1))
    with h5py.File(output) as file:
        return file[name][()]


def filter(array: Any, weights: Any, *, compute: dict[str, Any] | None = None, **choices: Any) -> Any:
    """Convolves an array with weights: an array, or the name of a kernel such as gaussian.

    `choices` are the keys of a filter (docs/filters.md): kind, size, sigma, mode, edge, nan and so on;
    `compute` those of section compute. A DataArray gives a DataArray where the shape stays.
    """
    scratch = Scratch()
    values = needs("numpy", "lapl.filter").asarray(array)
    config = {"input": {"path": values}, "filter": {"kernel": weights, **choices}}
    result = _filtered(config, compute, scratch, "/filtered")
    return array.copy(data=result) if hasattr(array, "dims") and array.shape == result.shape else result


def covariance(start: Any, mu: Any, gamma: Any, c: Any = 1.0, *, compute: dict[str, Any] | None = None) -> Any:
    """The covariance of a convolution's output, added to `start` (docs/covariance.md)."""
    np, h5py = needs("numpy", "lapl.covariance"), needs("h5py", "lapl.covariance")
    scratch = Scratch()
    file = scratch.path / "input.h5"
    with h5py.File(file, "w") as written:
        for name, value in {"field": start, "mu": mu, "gamma": gamma, "c": np.atleast_1d(c)}.items():
            written[name] = np.asarray(value)
    config = {"input": {"path": file}, "covariance": {"mu": "/mu", "gamma": "/gamma", "c": "/c"}}
    return _filtered(config, compute, scratch, "/field")


def Simulation(config: Config, **settings: Any) -> Any:
    """A run that steps inside this process: step(n), fields["u"], digest, checkpoint (docs/python.md)."""
    try:
        from . import _simulation  # type: ignore[attr-defined]
    except ImportError as error:
        raise ImportError(f"lapl.Simulation: {error} (what it needs: docs/python.md)") from error
    scratch = Scratch()
    words, text = given(config, settings, scratch)
    file = Path(words[0])
    return _simulation.Simulation(file.read_text() if text is None else text, words[2::2], str(file), str(file.parent))


def sweep(config: Config, values: Mapping[str, Sequence[Any]], *, output: Where | None = None,
          jobs: int | None = None, auto_resume: bool = False, backend: str | None = None,
          progress: bool | None = None, **settings: Any) -> xr.Dataset:
    """Runs all combinations side by side; returns their fields with a dimension for each name.

    ``lapl.sweep(config, {"F": [0.03, 0.04], "k": [0.06, 0.062]})``: a name is a parameter, or a key such as
    ``initial.seed``. Members that fail are NaN, with a warning; ``status`` and ``digest`` have a value for each. Where
    members have outputs at other times, the dimension is ``output``, and ``time`` a coordinate. Without `output`, all
    is in memory, and the run folders go away. `progress` is that of ``lapl.run``.
    """
    xarray = needs("xarray", "lapl.sweep")
    scratch = Scratch()
    folder = scratch.path / "sweep" if output is None else Path(output)
    lists = {name: list(plain(listed, (name,), scratch)) for name, listed in values.items()}
    words, text = given(config, settings, scratch)
    known = json.loads(call(["schema"]))["properties"]
    keys = [name if "." in name or name in known else f"parameters.{name}" for name in lists]
    swept = [word for key, listed in zip(keys, lists.values(), strict=True)
             for word in ("--set", f"{key}={','.join(map(json_text, listed))}")]
    swept += options(output=folder, json=True, jobs=jobs, auto_resume=auto_resume, backend=backend)
    with closing(Progress(folder, progress, runs=prod(map(len, lists.values())))) as bar:
        ended = start(["sweep", *words, *swept], text, bar)
    rows = json.loads(ended.stdout or "[]")
    failed = [f"{row['member']}: {row['error']}" for row in rows if row["status"] != "complete"]
    if len(failed) == len(rows) or ended.returncode == Stopped.code:
        raise error_for(ended.returncode, ended.stderr or "\n".join(failed))
    for each in failed:
        warnings.warn(each, LaplWarning, stacklevel=2)
    lazily = output is not None and importlib.util.find_spec("dask") is not None
    opened = [Run(folder / row["member"]).fields if row["status"] == "complete" else None for row in rows]
    members = [fields and (fields.chunk() if lazily else fields.load()) for fields in opened]
    for fields in [each for each in opened if each is not None and not lazily]:
        fields.close()
    scratch.close()
    return _joined(xarray, lists, rows, members)


def _joined(xarray: Any, lists: dict[str, list[Any]], rows: list[dict[str, Any]], members: list[Any]) -> xr.Dataset:
    """One Dataset of all members, in the order of the table: the last name varies fastest."""
    members = [each and each.drop_vars([name for name, at in each.coords.items() if not at.dims]) for each in members]
    complete = [member for member in members if member is not None]
    if any(not member.time.variable.equals(complete[0].time.variable) for member in complete):
        members = [member and member.assign_coords(output=("time", range(member.sizes["time"])))
                   .swap_dims(time="output").reset_coords("time") for member in members]
    blank = xarray.full_like(next(member for member in members if member is not None), float("nan"))
    each: list[xr.Dataset] = [
        (blank if member is None else member).assign(digest=row["digest"] or "", status=row["status"])
        for member, row in zip(members, rows, strict=True)]
    for name, listed in reversed(lists.items()):
        labels = [value if isinstance(value, (int, float, str)) else json_text(value) for value in listed]
        each = [xarray.concat(each[at:at + len(listed)], dim=name, data_vars="all", coords="minimal",
                              compat="override", join="outer").assign_coords({name: labels})
                for at in range(0, len(each), len(listed))]
    return each[0].set_coords("time")
