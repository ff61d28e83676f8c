"""Sweeps: the sweep, one of its processes or all of them are killed or told to stop."""
import csv
import functools
import pathlib
import random
import signal
import subprocess
import time

from harness import Ended, Torture, Trial, wait_until
from kills import check_after_kill, check_no_code_left
from ranks import SECONDS, children, send
from run_folders import digest_of, expect, stored_checkpoints
from stops import SIGNALS

SWEEP = ("sweep", "c.yaml", "--output", "s", "--set", "compute.precision=float32,float64", "--set", "parameters.k=0.06,0.062")


def members(torture: Torture) -> dict[str, str]:
    """Names of the run folders, and the config of each; two members share the code of each precision."""
    return {f"precision-{precision}_k-{k}": f"{torture.long}compute: {{precision: {precision}}}\n".replace("k: 0.06", f"k: {k}")
            for precision in ("float32", "float64") for k in ("0.06", "0.062")}


def rows_of(folder: pathlib.Path) -> list[dict[str, str]]:
    with open(folder / "s/summary.csv") as file:
        return [{**row, "seconds": ""} for row in csv.DictReader(file)]


def text_in_logs(folder: pathlib.Path) -> int:
    return sum(log.stat().st_size for log in folder.glob("s/*.log"))


def at_work(folder: pathlib.Path) -> list[int]:
    """The processes in this folder or below, whoever started them."""
    def is_there(process: pathlib.Path) -> bool:
        try:
            return (process / "cwd").readlink().is_relative_to(folder)
        except OSError:
            return False
    return [int(process.name) for process in pathlib.Path("/proc").glob("[0-9]*") if is_there(process)]


def started(sweep: subprocess.Popen, folder: pathlib.Path) -> list[int]:
    """The members that heed signals: they hold the lock of their run folder."""
    locks = {lock.read_text() for lock in folder.glob("s/*/.lock")}
    return [child for child in children(sweep.pid) if str(child) in locks]


def check_table(ended: Ended, folder: pathlib.Path, statuses: tuple[str, ...]) -> None:
    """Checks that the exit code and the table of a sweep that ended by itself agree with the run folders."""
    codes = [int(row["exit_code"] or 0) for row in rows_of(folder)]
    expected = 75 if 75 in codes or "stopped by" in ended.err else next(filter(None, codes), 0)
    expect(ended.code == expected, f"members ended with {codes}: {ended}")
    for row in rows_of(folder):
        run = folder / "s" / row["member"]
        expect(row["status"] in statuses and ("ended by signal" in row["error"]) == (row["status"] == "failed"), f"{row}")
        expect(row["status"] != "complete" or digest_of(run) == row["digest"], f"{row}")
        if row["status"] == "stopped" and row["step"]:
            expect(stored_checkpoints(run)[-1] >= int(row["step"]), f"checkpoints {stored_checkpoints(run)}: {row}")


def chains(torture: Torture, count: int | None, interrupt) -> list[Trial]:
    """Sweeps that `interrupt(chance, sweep, folder)` ends up to three times, when the logs have a part of their text."""
    configs = members(torture)
    for config in configs.values():
        torture.reference(config)
    whole = torture.new_folder()
    (whole / "c.yaml").write_text(torture.long)
    ended = torture.run_program(whole, *SWEEP)
    expect(ended.code == 0, f"the uninterrupted sweep: {ended}")

    def trial(seed: int, folder: pathlib.Path) -> None:
        chance = random.Random(seed)
        (folder / "c.yaml").write_text(torture.long)
        code = folder / "code"
        code.mkdir()
        cache = torture.new_folder()  # of its own, so that a compiler is at work

        def go_on() -> subprocess.Popen:
            return torture.start(folder, *SWEEP, "--auto-resume", "--backend", torture.backend, "--jobs",
                                 str(chance.randint(1, 4)), environment={"TMPDIR": str(code), "XDG_CACHE_HOME": str(cache)})

        for _ in range(chance.randint(1, 3)):
            until, sweep = chance.uniform(0, 0.95) * text_in_logs(whole), go_on()
            wait_until(lambda: text_in_logs(folder) >= until, sweep)
            time.sleep(chance.uniform(0, 0.1))
            interrupt(chance, sweep, folder)
            for run in filter(pathlib.Path.is_dir, folder.glob("s/*")):
                check_after_kill(torture, run)
        ended = torture.finish(go_on())
        expect(ended.code == 0, f"going on ended with {ended}")
        for name, config in configs.items():
            torture.check_complete(folder / "s" / name, config)
        expect(rows_of(folder) == rows_of(whole), f"{rows_of(folder)}, not {rows_of(whole)}")
        for there in (".", "s"):
            names = sorted(path.name for path in (folder / there).iterdir())
            wanted = ["c.yaml", "code", "s"] if there == "." else sorted(path.name for path in (whole / there).iterdir())
            expect(names == wanted, f"in {there}: {names}")
        check_no_code_left(torture, code)

    return [Trial(f"seed {seed}", functools.partial(trial, seed)) for seed in range(count)]


def finish(torture: Torture, sweep: subprocess.Popen, folder: pathlib.Path) -> Ended:
    """Waits until every process has ended."""
    ended = torture.finish(sweep)
    start = time.monotonic()
    while alive := at_work(folder):
        if time.monotonic() > start + SECONDS:
            send(signal.SIGKILL, *alive)
            expect(False, f"after {SECONDS} s, {alive} were still there: {ended}")
        time.sleep(0.01)
    return ended


def killed(torture: Torture, count: int | None) -> list[Trial]:
    def kill(chance: random.Random, sweep: subprocess.Popen, folder: pathlib.Path) -> None:
        one = chance.choice([sweep.pid, *children(sweep.pid)])  # a member, or a compiler
        victims = chance.choice([[sweep.pid], [one], [sweep.pid, *children(sweep.pid)]])
        if victims == [sweep.pid]:
            send(signal.SIGSTOP, *started(sweep, folder))  # so that these end only if the end of the sweep kills them
        number = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV])
        send(number, *victims)
        # A member may still be in its end when the next sweep starts.
        ended = torture.finish(sweep) if chance.random() < 0.4 else finish(torture, sweep, folder)
        if ended.code == 5:
            return expect("what the members need" in ended.err, f"{ended}")
        expect(ended.code >= 0 or ended.signal == number, f"{ended}")
        if ended.code >= 0:
            check_table(ended, folder, ("complete", "failed"))

    return chains(torture, count, kill)


def stopped(torture: Torture, count: int | None) -> list[Trial]:
    def stop(chance: random.Random, sweep: subprocess.Popen, folder: pathlib.Path) -> None:
        wait_until(lambda: started(sweep, folder) != [], sweep)
        number, to = chance.choice(SIGNALS), chance.choice(["sweep", "one", "all"])
        one = chance.choice(started(sweep, folder) or [0])
        send(number, *([one] if to == "one" else [sweep.pid, *(started(sweep, folder) if to == "all" else [])]))
        ended = finish(torture, sweep, folder)
        expect(ended.code in (0, 75), f"after {number.name} to {to}: {ended}")
        expect(to == "one" or ended.code == 0 or f"stopped by {number.name}" in ended.err, f"{number.name}: {ended}")
        check_table(ended, folder, ("complete", "stopped", *(["waiting"] if to != "one" else [])))

    return chains(torture, count, stop)
