"""Trials in programs of their own, because they are too many for a process each."""
import pathlib
import re
import subprocess
import sys
from typing import Callable

from harness import Counts, Skipped, Torture


def built(file: pathlib.Path) -> pathlib.Path:
    if not file.exists():
        raise Skipped(f"{file} is not built")
    return file


def counted(command: list) -> Counts:
    """Runs a program that reports failures on stderr and prints "trials N passed N failed N" last on stdout."""
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace")
    counts = re.findall(r"^trials (\d+) passed \d+ failed (\d+)$", ended.stdout, re.MULTILINE)
    if not counts:
        return Counts(1, [f"{command[0]}: exit {ended.returncode}: {ended.stderr[-600:]}"])
    trials, failed = map(int, counts[-1])
    return Counts(trials, (ended.stderr.splitlines() + ["(not told)"] * failed)[:failed])


def corruption(torture: Torture, count: int | None) -> Counts:
    return counted([built(torture.program.parent / "lapl_corruption"), count])


def lies(kind: str) -> Callable[[Torture, int | None], Counts]:
    """Trials of lapl_headers."""
    return lambda torture, count: counted([built(torture.program.parent / "lapl_headers"), kind, count])


def state_faults(torture: Torture, count: int | None) -> Counts:
    return counted([built(torture.program.parent / "lapl_state_faults"), torture.backend, count])


def allocations(*options: str) -> Callable[[Torture, int | None], Counts]:
    """`count` trials for each command and mode; None: every allocation fails."""
    def tried(torture: Torture, count: int | None) -> Counts:
        library = built(torture.program.parent.parent / "tests/liblapl_allocation_faults.so")
        return counted([sys.executable, pathlib.Path(__file__).with_name("allocation_faults.py"), torture.program,
                        library, "--trials", count or 0, *options])
    return tried
