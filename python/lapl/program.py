"""Finds the program and calls it."""

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .errors import Interrupted, LaplWarning, error_for, needs


def program() -> str:
    """The path of the program: in this package, else $LAPL_PROGRAM, else in $PATH."""
    installed = Path(__file__).parent / "bin" / "lapl"
    found = shutil.which(installed if installed.is_file() else os.environ.get("LAPL_PROGRAM") or "lapl")
    if found is None:
        raise FileNotFoundError("the program lapl was not found: neither in this package nor by LAPL_PROGRAM "
                                "nor in PATH (docs/install.md)")
    return found


def main() -> None:
    """The command `lapl` of an environment: becomes the program."""
    os.execv(program(), ["lapl", *sys.argv[1:]])


def start(arguments: Sequence[str], text: str | None = None,
          watch: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    """Calls the program with `text` on its standard input, and `watch` now and then meanwhile.

    KeyboardInterrupt stops it as Ctrl-C in a terminal does; when it has ended, raises Interrupted.
    """
    interrupted = False
    child = subprocess.Popen([program(), *arguments], text=True, encoding="utf-8", errors="replace",
                             stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    sent: str | None = text
    while True:
        try:
            out, errors = child.communicate(sent, timeout=0.25 if watch else None)
            break
        except subprocess.TimeoutExpired:
            sent = None  # the next call sends the rest
            if watch:
                watch()
        except KeyboardInterrupt:
            if interrupted:
                raise
            sent, interrupted = None, True
            child.send_signal(signal.SIGINT)  # no harm if the terminal has sent it already
    for line in errors.splitlines():
        if line.startswith("lapl: warning: "):
            warnings.warn(line.removeprefix("lapl: warning: "), LaplWarning, stacklevel=4)
    if interrupted and child.returncode != 0:
        raise Interrupted("stopped by KeyboardInterrupt")
    return subprocess.CompletedProcess(arguments, child.returncode, out, message(errors))


def message(errors: str) -> str:
    """The errors in what the program printed: their lines, and those below that explain them."""
    error = r"^(?! |lapl: (?!error: ))(?:lapl: error: )?(.+(?:\n .*)*)"
    return "\n".join(re.findall(error, errors, re.MULTILINE))


def call(arguments: Sequence[str], text: str | None = None) -> str:
    """What the program prints; raises the exception for its exit code."""
    ended = start(arguments, text)
    if ended.returncode != 0:
        raise error_for(ended.returncode, ended.stderr)
    return ended.stdout


def options(**given: Any) -> list[str]:
    """Options of a command from keywords: True is a flag, None and False are left out."""
    words: list[str] = []
    for name, value in given.items():
        values = [value] if isinstance(value, str) or not hasattr(value, "__iter__") else list(value)
        flag = "--" + name.strip("_").replace("_", "-")
        if value is True:
            words.append(flag)
        elif name == "field":
            words += [word for each in values for word in (flag, str(each))]
        elif value is not None and value is not False:
            words += [flag, *(map(str, values) if name in ("limits", "percentiles", "shape")
                              else [",".join(map(str, values))])]
    return words


class Progress:
    """A bar by tqdm: of the steps of the run in `folder`, or of `runs` runs below it, once they take long enough."""

    def __init__(self, folder: Path, shown: bool | None, runs: int = 0) -> None:
        self._folder, self._shown, self._runs = folder, shown, runs
        self._bar: Any = None
        if shown is None:
            seen = sys.stderr.isatty() or "ipykernel" in sys.modules
            self._shown = seen and importlib.util.find_spec("tqdm") is not None
        elif shown:
            needs("tqdm", "progress=True")

    def __call__(self) -> None:
        """Draws what run.json says now, or each run.json."""
        files = self._folder.glob("*/run.json" if self._runs else "run.json") if self._shown else ()
        infos = [json.loads(file.read_text()) for file in files]
        if infos:
            done, last = ((sum(info["status"] != "running" for info in infos), self._runs) if self._runs
                          else (infos[0].get("step", 0), infos[0].get("steps", 0)))
            self._bar = self._bar or needs("tqdm.auto", "a progress bar").tqdm(
                unit="run" if self._runs else "step", unit_scale=not self._runs)
            self._bar.total, self._bar.n = last if last >= done else None, done
            self._bar.refresh()

    def close(self) -> None:
        """Draws the bar for the last time, if there is one."""
        if self._bar is not None:
            self()
            self._bar.close()
