"""A run: started from a config, or opened from its folder; and its pictures."""

from __future__ import annotations

import base64
import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import closing
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .config import Config, Scratch, given, settings_words
from .errors import Interrupted, LaplError, error_for, needs
from .program import Progress, call, options, start

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Where = str | os.PathLike[str]


class Shown:
    """A picture, movie or page: a notebook shows it, ``data`` are its bytes."""

    def __init__(self, data: bytes, kind: str) -> None:
        self.data, self.kind = data, kind  #: kind: png, svg, pdf, mp4 or html

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        text = base64.b64encode(self.data).decode()
        if self.kind == "svg":
            return {"image/svg+xml": self.data.decode()}
        if self.kind == "html":
            return {"text/html": f'<iframe width="100%" height="720" srcdoc="{escape(self.data.decode())}"></iframe>'}
        if self.kind == "mp4":
            return {"text/html": f'<video controls loop src="data:video/mp4;base64,{text}"></video>'}
        return {"application/pdf" if self.kind == "pdf" else "image/png": text}


def _drawn(arguments: Sequence[str], kind: str, output: Where | None) -> Shown:
    """What a command writes to the file that its option -o names."""
    with tempfile.TemporaryDirectory(prefix="lapl-") as folder:
        file = Path(folder) / f"picture.{kind}" if output is None else Path(output)
        call([*arguments, "-o", str(file), "--quiet"])
        return Shown(file.read_bytes(), file.suffix.removeprefix("."))


class Run:
    """A run folder: what it has stored, and how to go on with it."""

    def __init__(self, path: Where, *, scratch: Scratch | None = None) -> None:
        """Opens the run in a folder. `scratch` is a temporary folder that lives as long as the run."""
        self.path = Path(path)
        self._scratch = scratch
        if not (self.path / "run.json").is_file():
            raise FileNotFoundError(f"{self.path}: not a run folder (no run.json in it)")

    def __repr__(self) -> str:
        return f"<lapl.Run {self.path}: {self.status}, step {self.info.get('step')}>"

    @property
    def info(self) -> dict[str, Any]:
        """What run.json says: status, step, digest, seconds, engine, device, version and more."""
        return dict(json.loads((self.path / "run.json").read_text()))

    @property
    def status(self) -> str:
        """complete, stopped, failed or running."""
        return str(self.info["status"])

    @property
    def digest(self) -> str:
        """The digest of the last state: two runs share it only if they have the same bits."""
        return str(self.info["digest"])

    @property
    def config(self) -> str:
        """The config with every default, as YAML."""
        return (self.path / "config.yaml").read_text()

    @property
    def fields(self) -> xr.Dataset:
        """The outputs along time, read when they are asked for; ``fields.chunk()`` for dask."""
        xarray = needs("xarray", "run.fields")
        from .xarray_backend import RunBackend

        fields: xr.Dataset = xarray.open_dataset(self.path, engine=RunBackend, keep=self)
        return fields

    def _table(self, name: str, missing: str) -> pd.DataFrame:
        if not (self.path / name).is_file():
            raise FileNotFoundError(f"{self.path / name}: {missing}")
        table: pd.DataFrame = needs("pandas", name).read_csv(self.path / name, index_col="step")
        return table

    @property
    def diagnostics(self) -> pd.DataFrame:
        """Statistics and integrals of each output (docs/format.md)."""
        return self._table("diagnostics.csv", "the run has no output yet")

    @property
    def probes(self) -> pd.DataFrame:
        """Values at the cells of output.probes."""
        return self._table("probes.csv", "the run has no probes (output.probes)")

    @property
    def plan(self) -> dict[str, Any]:
        """The memory, disk and time that the program predicts for this run."""
        return dict(json.loads(call(["plan", str(self.path / "config.yaml"), "--json"])))

    def plot(self, *, format: str = "png", output: Where | None = None, **choices: Any) -> Shown:
        """The program's picture or movie; `choices` are the options of ``lapl plot``.

        ``run.plot(field="v", times=[0, 10], limits=(0, 1))``, ``run.plot(movie=True)``.
        """
        return _drawn(["plot", str(self.path), *options(**choices)], format, output)

    def report(self, output: Where | None = None) -> Shown:
        """The run as one page, as ``lapl report`` writes it."""
        return _drawn(["report", str(self.path)], "html", output)

    def resume(self, *, steps: int | None = None, end: float | None = None, change: str | Sequence[str] | None = None,
               from_: int | Where | None = None, ranks: int | None = None, progress: bool | None = None,
               **settings: Any) -> Run:
        """Goes on from the newest checkpoint, to other time.steps or time.end; returns this run."""
        self._scratch = self._scratch or Scratch()
        wanted = {name: value for name, value in {"time.steps": steps, "time.end": end}.items() if value is not None}
        words = settings_words({**wanted, **settings}, self._scratch)
        return _watched(["resume", str(self.path), *options(from_=from_, change=change, ranks=ranks), *words],
                        None, self.path, self._scratch, progress, self)

    def _repr_html_(self) -> str:
        info = self.info
        rows = "".join(f"<tr><th>{name}</th><td>{escape(str(info[name]))}</td></tr>"
                       for name in ("status", "step", "shape", "precision", "backend", "engine", "seconds", "digest")
                       if name in info)
        try:
            picture = f'<img src="data:image/png;base64,{self.plot(size="720x300")._repr_mimebundle_()["image/png"]}">'
        except LaplError as error:  # no output yet, or a program without cairo
            picture = f"<p>{escape(str(error))}</p>"
        return f"<p>{escape(str(self.path))}</p>{picture}<table>{rows}</table>"


def _watched(arguments: list[str], text: str | None, folder: Path, scratch: Scratch | None, progress: bool | None,
             known: Run | None = None) -> Run:
    """Runs the program with a progress bar; raises what its exit code means."""
    try:
        with closing(Progress(folder, progress)) as bar:
            ended = start([*arguments, "--quiet"], text, bar)
    except Interrupted as stop:
        if known or (folder / "run.json").is_file():
            stop.run = known or Run(folder, scratch=scratch)
        raise
    if ended.returncode == 0:
        return known or Run(folder, scratch=scratch)
    has_begun = ended.returncode not in (1, 2) and (folder / "run.json").is_file()
    begun = known or (Run(folder, scratch=scratch) if has_begun else None)
    raise error_for(ended.returncode, ended.stderr or f"{folder}: stopped early; resume() goes on", begun)


def run(config: Config, *, output: Where | None = None, overwrite: bool = False, auto_resume: bool = False,
        from_: Where | None = None, interpolate: str | None = None, backend: str | None = None,
        ranks: int | None = None, progress: bool | None = None, **settings: Any) -> Run:
    """Runs a config: a dictionary, a text or the path of a file.

    Arrays of NumPy or xarray may stand where a dataset may: initial fields, parameters, grid.mask,
    kernels. `settings` replace entries: ``time={"steps": 100}``. Without `output` the run folder is
    temporary and lives as long as the Run and its fields. `from_` and the others are the options of
    ``lapl run``. `progress`: True shows a bar, None where a terminal or a notebook is there to see it.
    Raises ConfigError with all mistakes, and others by the exit code; Interrupted by Ctrl-C.
    """
    scratch = Scratch()
    folder = scratch.path / "run" if output is None else Path(output)
    words, text = given(config, settings, scratch)
    words += options(output=folder, overwrite=overwrite, auto_resume=auto_resume, from_=from_,
                     interpolate=interpolate, backend=backend, ranks=ranks)
    return _watched(["run", *words], text, folder, scratch, progress)
