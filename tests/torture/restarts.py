"""A run in parts has the bits of a run in one piece; a run folder has one writer."""
import functools
import pathlib
import random
import signal

from harness import AUTO_RESUME, RUN, Torture, Trial, calls_in, killed_at_the_end, wait_until
from run_folders import digest_of, expect, tables_of
from scenarios import scenario

ENGINES = {"cpu": ("auto", "blocked", "threaded", "interpreted", "reference"),
           "cuda": ("auto", "resident", "streaming", "tile")}
# The resident engine takes at most two axes, and no conditions that depend on time.
OF_FORMULAS = {**ENGINES, "cuda": ("auto", "streaming", "tile")}


def splits(torture: Torture, count: int | None) -> list[Trial]:
    """Chains of three restarts at random steps, on output steps and off, each part on another engine."""
    engines = OF_FORMULAS if "kind: formula" in torture.split else ENGINES
    backends = ["cpu"] if torture.backend == "cpu" else ["cpu", "cuda"]
    if "etdrk" in torture.split:  # each backend has its own bits
        backends = [torture.backend]
        engines = {torture.backend: ["auto", "spectral"]}
    first = torture.reference(torture.small.replace("[20, 30]", "[61, 83]")).folder / "fields/step-000000000.nc"

    def trial(seed: int, folder: pathlib.Path) -> None:
        random_number = random.Random(seed)
        config = torture.split.format(start=first, precision=random_number.choice(["float32", "float64"]))
        (folder / "c.yaml").write_text(config)
        reference = torture.reference(config)
        steps = {random_number.randrange(40, 200, 40), *random_number.sample(range(1, 200), 2)}
        for index, step in enumerate(sorted(steps) + [200]):
            backend = random_number.choice(backends)
            settings = [f"time.steps={step}", f"compute.threads={random_number.randint(1, 5)}",
                        f"compute.engine={random_number.choice(engines[backend])}"]
            command = RUN if index == 0 else ("resume", "out")
            ended = torture.run(folder, *command, "--backend", backend,
                                *(word for text in settings for word in ("--set", text)))
            expect(ended.code == 0, f"{backend} {settings}: {ended}")
        expect(digest_of(folder / "out") == reference.digest, f"split at {sorted(steps)}: another digest")
        probes = tables_of(folder / "out").get("probes.csv")
        expect(probes == tables_of(reference.folder).get("probes.csv"), f"split at {sorted(steps)}: other probes")
        found = torture.check_files(folder / "out")
        other = [name for name, content in reference.contents.items() if name.startswith("fields/") and found.get(name) != content]
        expect(not other, f"split at {sorted(steps)}: others are {other}")

    return [Trial(f"seed {seed}", functools.partial(trial, seed)) for seed in range(count)]


def one_writer(torture: Torture, count: int | None) -> list[Trial]:
    """While a run writes, every other is refused; a leftover lock file does not matter."""
    whole = scenario(torture, "a new run", RUN)
    after_lock = [call for call in whole.calls if call.number > 10]

    def trial(seed: int, folder: pathlib.Path) -> None:
        random_number = random.Random(seed)
        call, log = random_number.choice(after_lock), folder / "calls"
        with killed_at_the_end(whole.start(torture, folder, action="delay:60000", at=call.number, log=log)) as first:
            wait_until(lambda: any(made.number == call.number for made in calls_in(log)), first)
            for command in (AUTO_RESUME, (*RUN, "--overwrite")):
                second = torture.run(folder, *command)
                expect(second.code == 4 and f"process {first.pid}" in second.err, f"{command} beside it: {second}")
            expect(first.poll() is None, "the first one ended")
            first.send_signal(signal.SIGKILL)
            torture.finish(first)
        log.unlink()
        (folder / "out/.lock").write_text("1")  # a living process that holds no lock
        torture.check_resumes(folder, torture.small)

    return [Trial(f"seed {seed}", functools.partial(trial, seed)) for seed in range(count)]
