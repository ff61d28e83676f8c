"""Trials that programs of their own make, because they are too many for a process each."""
import re
import subprocess

from harness import Counts, Skipped, Torture


def counted(command: list) -> Counts:
    """Runs a program that says what failed on stderr and ends with "trials N passed N failed N" on stdout."""
    if not command[0].exists():
        raise Skipped(f"{command[0]} is not built")
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace")
    counts = re.findall(r"^trials (\d+) passed \d+ failed (\d+)$", ended.stdout, re.MULTILINE)
    if not counts:
        return Counts(1, [f"{command[0].name}: exit {ended.returncode}: {ended.stderr[-600:]}"])
    trials, failed = map(int, counts[-1])
    return Counts(trials, (ended.stderr.splitlines() + ["(not told)"] * failed)[:failed])


def corruption(torture: Torture, count: int | None) -> Counts:
    return counted([torture.program.parent / "lapl_corruption", count])
