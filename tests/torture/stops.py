"""Signals and the wall-clock limit: a checkpoint, exit code 75, and the same bits in the end."""
import functools
import pathlib
import random
import re
import signal
import subprocess
import time

from harness import AUTO_RESUME, Ended, Torture, Trial, calls_in, sample, wait_until
from run_folders import expect, stored_checkpoints
from scenarios import scenarios

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP, signal.SIGXCPU)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup would have it ignored


def has_begun(process: subprocess.Popen, folder: pathlib.Path) -> bool:
    """Signals are caught before the lock is taken."""
    lock = folder / "out/.lock"
    return lock.exists() and lock.read_text() == str(process.pid)


def check_stopped(torture: Torture, folder: pathlib.Path, ended: Ended, by: str) -> None:
    expect(ended.code in (0, 75), f"after {by}: {ended}")
    if ended.code == 75:
        expect(f"stopped by {by}" in ended.out, f"{by} is not named: {ended}")
        newest = stored_checkpoints(folder / "out")[-1]
        expect(re.search(rf"at step {newest}( of \d+)?, with a checkpoint", ended.out),
               f"the newest checkpoint is that of step {newest}: {ended}")
    torture.check_files(folder / "out")


def at_random_times(torture: Torture, count: int | None) -> list[Trial]:
    torture.reference(torture.long)

    def trial(seed: int, folder: pathlib.Path) -> None:
        random_number = random.Random(seed)
        (folder / "c.yaml").write_text(torture.long)
        for _ in range(random_number.randint(1, 4)):
            number = random_number.choice(SIGNALS)
            process = torture.start(folder, *AUTO_RESUME)
            wait_until(lambda: has_begun(process, folder), process)
            time.sleep(random_number.uniform(0, 0.3))
            process.send_signal(number)
            check_stopped(torture, folder, torture.finish(process), number.name)
        torture.check_resumes(folder, torture.long)

    return [Trial(f"seed {seed}", functools.partial(trial, seed)) for seed in range(count)]


def while_writing(torture: Torture, count: int | None) -> list[Trial]:
    """A signal comes during a slow call that writes; a second signal ends the wait for it."""
    def trial(scenario, call, number, twice, folder: pathlib.Path) -> None:
        log = folder / "calls"
        delay = 60_000 if twice else 200
        process = scenario.start(torture, folder, action=f"delay:{delay}", at=call.number, log=log)
        wait_until(lambda: any(made.number == call.number for made in calls_in(log)), process)
        process.send_signal(number)
        second = signal.SIGTERM if number == signal.SIGXCPU else number  # SIGXCPU is never a second signal
        while twice and process.poll() is None:
            time.sleep(0.05)
            process.send_signal(second)
        ended = torture.finish(process)
        # A slow run stores its probes more often, so the last calls may never happen.
        reached = any(made.number == call.number for made in calls_in(log))
        log.unlink()
        if twice and reached:
            expect(ended.code == 128 + second, f"after two signals: {ended}")
            torture.check_files(folder / "out")
        else:
            check_stopped(torture, folder, ended, number.name)
        scenario.check_resumes(torture, folder)

    points = [(scenario, call, SIGNALS[call.number % 5], twice) for scenario in scenarios(torture)
              for call in scenario.calls for twice in (False, True)]
    return [Trial(f"{scenario.name}, {number.name}{' twice' if twice else ''} at {call}",
                  functools.partial(trial, scenario, call, number, twice))
            for scenario, call, number, twice in sample(points, count)]


def wall_limit(torture: Torture, count: int | None) -> list[Trial]:
    torture.reference(torture.long)

    def trial(index: int, folder: pathlib.Path) -> None:
        (folder / "c.yaml").write_text(torture.long)
        for part in range(1, 1000):  # each part is longer than the last, so the run ends even on a busy machine
            limit = f"limits.wall_time={part * (0.05 + 0.01 * index):.2f}s"
            ended = torture.run(folder, *AUTO_RESUME, "--set", limit)
            check_stopped(torture, folder, ended, "limits.wall_time")
            if ended.code == 0:
                return torture.check_complete(folder / "out", torture.long)
        expect(False, f"not at the end after 1000 parts: {ended}")

    return [Trial(f"wall limit {index}", functools.partial(trial, index)) for index in range(count)]
