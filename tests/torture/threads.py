"""Threads that cannot be started, as under a limit on processes (thread_faults.cpp)."""
import functools
import pathlib

from harness import AUTO_RESUME, RUN, Skipped, Torture, Trial, sample
from run_folders import expect

# Three threads although the engines prefer fewer, a filter, and outputs and checkpoints at different steps.
CONFIG = """\
grid: {{shape: [60, 70]}}
equation: {{coefficient: 0.25}}
time: {{steps: 60}}
compute: {{threads: 3, engine: {engine}}}
output: {{directory: out, every: 20, fields: [field, laplacian]}}
checkpoint: {{every: 15}}
filters: [{{name: smooth, kernel: gaussian, sigma: 1, method: {method}}}]
"""
POINTS = [(engine, method) for engine in ("blocked", "threaded", "reference") for method in ("direct", "fft")]


def count_of(torture: Torture, config: str) -> int:
    """The number of threads that a run asks for."""
    folder = torture.new_folder()
    (folder / "c.yaml").write_text(config)
    ended = torture.run_program(folder, *RUN, environment=torture.preload("thread_faults") | {"LAPL_THREAD_COUNT": "count"})
    expect(ended.code == 0, f"{ended}")
    return int((folder / "count").read_text())


def at_every_start(torture: Torture, count: int | None) -> list[Trial]:
    if torture.backend != "cpu":
        raise Skipped("the threads of a driver are its own")

    def trial(config: str, number: int, forever: int, folder: pathlib.Path) -> None:
        (folder / "c.yaml").write_text(config)
        for arguments in (RUN, (*AUTO_RESUME, "--set", "time.steps=60")):
            ended = torture.run_program(folder, *arguments, environment=torture.preload("thread_faults") | {
                "LAPL_FAIL_THREAD": str(number), "LAPL_FAIL_FOREVER": str(forever)})
            if ended.code == 0:
                torture.check_complete(folder / "out", config)
            else:
                expect(ended.code == 5 and "thread could not be started" in ended.err, f"{ended}")
                expect(arguments != RUN or not (folder / "out").exists(), "a run folder is there all the same")
        torture.check_resumes(folder, config)

    points = []
    for engine, method in POINTS:
        config = CONFIG.format(engine=engine, method=method)
        torture.reference(config)
        points += [(config, number, forever, f"{engine}, {method}") for forever in (0, 1)
                   for number in range(1, count_of(torture, config) + 1)]
    return [Trial(f"{name}: thread {number}{' and later ones' if forever else ''}",
                  functools.partial(trial, config, number, forever))
            for config, number, forever, name in sample(points, count)]
