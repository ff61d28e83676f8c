"""A run folder is read only after it is locked, whatever other processes do and whatever locks there are."""
import errno
import functools
import pathlib
import signal

from harness import AUTO_RESUME, RUN, Skipped, Torture, Trial, calls_in, copy, killed_at_the_end, sample, wait_until
from run_folders import expect, snapshot
from scenarios import Scenario, scenarios

OVERWRITE, RESUME = (*RUN, "--overwrite"), ("resume", "out")
BESIDE = [RUN, AUTO_RESUME, RESUME, ("run", "other.yaml", "--overwrite")]


def library(torture: Torture) -> str:
    path = torture.program.parent.parent / "tests" / "liblapl_lock_faults.so"
    if not path.exists():
        raise Skipped(f"{path} is not built")
    return str(path)


def log_of(run: pathlib.Path) -> str:
    return (run / "log.jsonl").read_text() if (run / "log.jsonl").exists() else ""


def delayed_lock(torture: Torture, count: int | None) -> list[Trial]:
    """A command waits for its lock while another one works in the folder from start to end."""
    preload = library(torture)
    states = {"no run": None, "half a run": next(each.folder for each in scenarios(torture) if each.folder),
              "a complete run": torture.reference(torture.small).folder}

    def trial(state: pathlib.Path | None, command: tuple[str, ...], at: int, beside: tuple[str, ...],
              folder: pathlib.Path) -> None:
        (folder / "c.yaml").write_text(torture.small)
        (folder / "other.yaml").write_text(torture.other)
        run, mark = folder / "out", folder / "mark"
        if state:
            copy(state, run)
        before = snapshot(run)
        process = torture.start(folder, *command, environment={
            "LD_PRELOAD": preload, "LAPL_LOCKS_AT": str(at), "LAPL_LOCKS_MARK": str(mark)})
        with killed_at_the_end(process):
            wait_until(mark.exists, process)
            waited = mark.exists()
            second = torture.run(folder, *beside)
            left = log_of(run)
            mark.unlink(missing_ok=True)
            first = torture.finish(process)
        for ended in (first, second):
            expect(ended.signal == 0 and ended.code in (0, 2, 4, 6), f"{ended}")
        # Each command sees the folder as the other left it, so the folder contains only the newest run.
        both = f"first {first}; second {second}"
        if waited and at == 2:
            expect(second.code != 0 or state and beside == RUN, f"two in one folder: {both}")
        other_won = second.code == 0 and "other.yaml" in beside
        if first.code == 0 and command[0] == "run":
            expect(command == OVERWRITE or not other_won, f"a run of another problem was gone on with: {both}")
            torture.check_complete(run, torture.small)
        elif first.code == 0 or second.code == 0:
            torture.check_complete(run, torture.other if other_won else torture.small)
        else:
            changed = {name for name, content in snapshot(run).items() if before.get(name) != content} - {".lock"}
            expect(not changed, f"changed by commands that failed: {sorted(changed)}: {both}")
        if second.code == 0 and "--overwrite" not in command:
            expect(log_of(run).startswith(left), f"what the second one left was removed: {both}")
        if second.code == 0 and command == RUN:
            expect(first.code == 2, f"a run was made where there was one: {both}")

    points = [(name, command, at, beside) for name in states
              for command in (RUN, AUTO_RESUME, OVERWRITE, RESUME, (*RESUME, "--from", "45")) for at in (1, 2)
              for beside in BESIDE]
    return [Trial(f"{name}: {' '.join(command)}, waiting for lock {at} while {' '.join(beside)} works",
                  functools.partial(trial, states[name], command, at, beside))
            for name, command, at, beside in sample(points, count)]


def without_locks(torture: Torture, count: int | None) -> list[Trial]:
    """flock fails as on file systems that lack it, and fcntl's locks may fail, too."""
    preload = library(torture)

    def trial(scenario: Scenario, error: int, both: bool, folder: pathlib.Path) -> None:
        # The first run pauses while it writes. A second run must notice it if any kind of lock works.
        call, log = scenario.calls[len(scenario.calls) // 2], folder / "calls"
        locks = {"LAPL_LOCKS_ERROR": str(error), "LAPL_LOCKS_ALL": str(int(both))}
        faults = torture.faults(folder, action="delay:60000", at=call.number, log=log)["LD_PRELOAD"]
        more = {"LD_PRELOAD": f"{faults}:{preload}", **locks}
        if not both:
            with killed_at_the_end(scenario.start(torture, folder, more, action="delay:60000", at=call.number,
                                                  log=log)) as first:
                wait_until(lambda: any(made.number == call.number for made in calls_in(log)), first)
                second = torture.run_program(folder, *AUTO_RESUME, environment={"LD_PRELOAD": preload, **locks})
                expect(second.code == 4 and f"process {first.pid}" in second.err, f"a second run: {second}")
                first.send_signal(signal.SIGKILL)
                torture.finish(first)
            command = scenario.arguments if "--overwrite" in scenario.arguments else AUTO_RESUME
            ended = torture.run_program(folder, *command, environment={"LD_PRELOAD": preload, **locks})
        else:
            ended = torture.finish(scenario.start(torture, folder, more))
        expect(ended.code == 0, f"{ended}")
        expect(("has no locks" in ended.err) == both, f"said or not said that there are no locks: {ended}")
        torture.check_complete(folder / "out", torture.small)

    points = [(scenario, error, both) for error in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
              for scenario in scenarios(torture) for both in (False, True)]
    return [Trial(f"{scenario.name}, {errno.errorcode[error]} from {'every lock' if both else 'flock'}",
                  functools.partial(trial, scenario, error, both)) for scenario, error, both in sample(points, count)]
