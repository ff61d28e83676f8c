"""Runs on several ranks: failing, killed and threadless ranks, a killed starter, signals, full disks."""
import errno
import functools
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

from disks import fill, full_disk_points, limit, small_disk
from errors import check_told
from harness import AUTO_RESUME, RUN, Skipped, Torture, Trial, sample, wait_until
from kills import check_after_kill
from run_folders import expect
from stops import SIGNALS, check_stopped
import threads

ON_RANKS = pathlib.Path(__file__).resolve().parents[1] / "ranks/on_ranks"
ON_RANK = '[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {} ]'  # mpirun of Open MPI 5.0.7 does not run `:`
SECONDS = 120  # until a run has ended everywhere, even on a busy machine


def on(ranks: int) -> tuple[str, ...]:
    return ("--ranks", str(ranks))


def require_ranks(torture: Torture) -> None:
    if shutil.which("mpirun") is None:
        raise Skipped("mpirun is not installed (package openmpi-bin or mpich)")
    ended = torture.run_program(torture.new_folder(), *RUN, *on(2))
    if "not compiled in" in ended.err:
        raise Skipped("built without MPI")


def children(process: int) -> list[int]:
    try:
        words = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [int(word) for word in words]


def is_alive(process: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Ranked:
    """A run on ranks in progress: its starter, the mpirun below, and the ranks."""

    def __init__(self, torture: Torture, folder: pathlib.Path, ranks: int):
        self.torture = torture
        self.starter = torture.start(folder, *AUTO_RESUME, *on(ranks))
        lock = folder / "out/.lock"

        def has_begun() -> bool:
            self.mpirun = (children(self.starter.pid) or [0])[0]
            below = children(self.mpirun)
            self.ranks = children(below[0]) if len(below) == 1 else below  # MPICH's ranks are children of a proxy
            return len(self.ranks) == ranks and lock.exists() and lock.read_text() == str(self.ranks[0])

        self.ranks: list[int] = []
        self.mpirun = 0
        wait_until(has_begun, self.starter)

    def end(self):
        """Waits until every process has ended."""
        start = time.monotonic()
        ended = self.torture.finish(self.starter)
        while any(map(is_alive, self.ranks)) and time.monotonic() < start + SECONDS:
            time.sleep(0.05)
        alive = [rank for rank in self.ranks if is_alive(rank)]
        took = time.monotonic() - start
        expect(not alive and took < SECONDS, f"after {took:.1f} s, ranks {alive} are still there: {ended}")
        return ended


def send(number: int, *processes: int) -> None:
    for process in processes:
        if process and is_alive(process):
            os.kill(process, number)


def chains(torture: Torture, count: int | None, interrupt) -> list[Trial]:
    """Runs that `interrupt(chance, run, folder)` ends up to three times, each on other ranks."""
    require_ranks(torture)
    torture.reference(torture.long)

    def trial(seed: int, folder: pathlib.Path) -> None:
        chance = random.Random(seed)
        (folder / "c.yaml").write_text(torture.long)
        for _ in range(chance.randint(1, 3)):
            run = Ranked(torture, folder, chance.randint(2, 4))
            time.sleep(chance.uniform(0, 0.5))
            interrupt(chance, run, folder)
        torture.check_resumes(folder, torture.long, *AUTO_RESUME, *on(chance.randint(1, 4)))

    return [Trial(f"seed {seed}", functools.partial(trial, seed)) for seed in range(count)]


def killed(torture: Torture, count: int | None) -> list[Trial]:
    def kill(chance: random.Random, run: Ranked, folder: pathlib.Path) -> None:
        victim = chance.choice([*run.ranks, run.mpirun, run.starter.pid] if run.ranks else [run.starter.pid])
        send(signal.SIGABRT if chance.random() < 0.2 and victim in run.ranks else signal.SIGKILL, victim)
        ended = run.end()
        expect(ended.code in (0, -1, 75) or ended.code > 128, f"{ended}")
        check_after_kill(torture, folder / "out")

    return chains(torture, count, kill)


def stopped(torture: Torture, count: int | None) -> list[Trial]:
    def stop(chance: random.Random, run: Ranked, folder: pathlib.Path) -> None:
        number = chance.choice(SIGNALS)
        to = chance.choice(["starter", "one", "all"])
        send(number, *([run.starter.pid] if to == "starter" else run.ranks if to == "all"
                       else [chance.choice(run.ranks)] if run.ranks else []))
        # mpirun forwards only SIGUSR1.
        check_stopped(torture, folder, run.end(), "SIGUSR1" if to == "starter" else number.name)

    return chains(torture, count, stop)


def wall_limit(torture: Torture, count: int | None) -> list[Trial]:
    require_ranks(torture)
    torture.reference(torture.long)

    def trial(index: int, folder: pathlib.Path) -> None:
        (folder / "c.yaml").write_text(torture.long)
        for part in range(3):
            ended = torture.run_program(folder, *AUTO_RESUME, *on(2 + part), "--set", f"limits.wall_time={0.05 * (1 + index)}s")
            check_stopped(torture, folder, ended, "limits.wall_time")
        torture.check_resumes(folder, torture.long)

    return [Trial(f"wall limit {index}", functools.partial(trial, index)) for index in range(count)]


def full_disk(torture: Torture, count: int | None) -> list[Trial]:
    require_ranks(torture)
    torture.reference(torture.small)
    return [Trial(f"tmpfs with {options} {environment}",
                  functools.partial(fill, torture, options, environment, command=(*RUN, *on(3))))
            for options, environment in sample(full_disk_points(), count)]


def small_files(torture: Torture, count: int | None) -> list[Trial]:
    """MPI's own files do not fit in TMPDIR, or under a limit."""
    require_ranks(torture)
    full_disk_points()  # skips the row if no disk can be filled
    torture.reference(torture.small)

    def small_temporary_folder(size: int, folder: pathlib.Path) -> None:
        inner = folder / "inner"
        inner.mkdir()
        (inner / "c.yaml").write_text(torture.small)
        with small_disk(inner, f"size={size}k") as there:
            ended = torture.run_program(inner, *RUN, "--output", "../out", *on(2), prefix=there,
                                        environment={"TMPDIR": str(inner / "out")})
        expect(ended.code == 0, f"{ended}")
        torture.check_complete(folder / "out", torture.small)

    trials = [Trial(f"TMPDIR of {size} KiB", functools.partial(small_temporary_folder, size))
              for size in (8, 64, 256, 1024, 4096)]
    trials += [Trial(f"files of up to {size} bytes", functools.partial(limit, torture, size, {}, command=(*RUN, *on(2))))
               for size in (1000, 20000, 50000, 200000, 2000000)]
    return sample(trials, count)


def one_rank_threads(torture: Torture, count: int | None) -> list[Trial]:
    """A thread of one rank, or of its MPI, cannot be started: the run ends everywhere, and resumes to the same bits."""
    require_ranks(torture)
    config = threads.CONFIG.format(engine="threaded", method="direct")
    torture.reference(config)

    def trial(number: int, forever: int, rank: int, folder: pathlib.Path, **more: str) -> None:
        (folder / "c.yaml").write_text(config)
        ended = torture.run_program(folder, *RUN, *on(2), environment=torture.preload("thread_faults") | more | {
            "LAPL_FAIL_THREAD": str(number), "LAPL_FAIL_FOREVER": str(forever), "LAPL_FAIL_RANK": str(rank),
            "LAPL_RANKS_START": "30"})
        expect(ended.code in (0, 5), f"{ended}")
        torture.check_resumes(folder, config, *AUTO_RESUME)

    folder = torture.new_folder()
    trial(0, 0, 1, folder, LAPL_THREAD_COUNT=str(folder / "count"))
    points = [(number, forever, rank) for number in range(1, int((folder / "count").read_text()) + 1)
              for forever in (0, 1) for rank in (0, 1)]
    return [Trial(f"thread {number}{' and later ones' if forever else ''} of rank {rank}",
                  functools.partial(trial, number, forever, rank)) for number, forever, rank in sample(points, count)]


def one_rank_errors(torture: Torture, count: int | None) -> list[Trial]:
    """The disk fails one rank only: the output is missing, and the run reports it and continues, as with one
    process."""
    require_ranks(torture)
    torture.reference(torture.small)

    def trial(error: int, at: int, rank: int, folder: pathlib.Path) -> None:
        (folder / "c.yaml").write_text(torture.small)
        faults = torture.faults(folder, action=f"error:{error}:once", at=at)
        words = [str(ON_RANKS), "3", "sh", "-c", f'{ON_RANK.format(rank)} && exec env "$@" || shift {len(faults)}; exec "$@"',
                 "sh", *(f"{name}={value}" for name, value in faults.items()),
                 str(torture.program), *RUN, "--backend", torture.backend]
        process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
        ended = torture.finish(process)
        check_told(ended, error, folder)
        torture.check_files(folder / "out")
        left = [path.name for path in (folder / "out").rglob(".*tmp*")]
        expect(not left, f"left behind: {left}")
        torture.check_resumes(folder, torture.small)

    points = [(error, at, rank) for error in (errno.ENOSPC, errno.EIO, errno.EDQUOT) for rank in (1, 2)
              for at in range(1, 25)]
    return [Trial(f"{errno.errorcode[error]} at call {at} of rank {rank}", functools.partial(trial, error, at, rank))
            for error, at, rank in sample(points, count)]
