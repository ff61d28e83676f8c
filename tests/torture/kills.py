"""kill -9 at every call that writes, and at any time."""
import functools
import pathlib
import random
import re
import signal
import time

from harness import AUTO_RESUME, RUN, Call, Torture, Trial
from run_folders import announced_checkpoint, expect, stored_checkpoints
from scenarios import Scenario, scenarios, trials


def check_after_kill(torture: Torture, run: pathlib.Path) -> None:
    """Checks that files under final names are whole, and that everything reported as stored exists."""
    torture.check_files(run)
    announced, stored = announced_checkpoint(run), stored_checkpoints(run)
    expect(announced < 0 or (stored and stored[-1] >= announced),
           f"the log has the checkpoint of step {announced}, the folder those of {stored}")


def at_call(torture: Torture, program: bool, scenario: Scenario, action: str, call: Call, folder: pathlib.Path) -> None:
    killed = scenario.run(torture, folder, program, action=action, at=call.number)
    # A slow run stores its probes more often, with three calls each time, so the last calls may never happen.
    not_reached = killed.code == 0 and call.number > len(scenario.calls) - 12
    expect(killed.signal == signal.SIGKILL or not_reached, f"not killed: {killed}")
    run = folder / "out"
    if "--overwrite" in scenario.arguments:
        torture.check_files(run)  # --overwrite may have removed the checkpoints in the log
    else:
        check_after_kill(torture, run)
        for step, checkpoint in re.findall(r"^step +(\d+)  (checkpoint)?", killed.out, re.MULTILINE):
            file = run / (f"checkpoints/step-{int(step):09}.h5" if checkpoint else f"fields/step-{int(step):09}.nc")
            later = checkpoint and stored_checkpoints(run)[-1:] > [int(step)]
            expect(file.exists() or later, f"{file.name} was stored, and is gone")
    resume = call.number % 2 == 0 and stored_checkpoints(run)  # alternates between the two commands
    scenario.check_resumes(torture, folder, ("resume", "out") if resume else AUTO_RESUME)
    names = sorted(path.name for path in folder.iterdir())
    expect(names == ["c.yaml", "out"], f"beside the run folder: {names}")


def at_every_call(torture: Torture, count: int | None) -> list[Trial]:
    return at_calls(torture, count, ("kill", "kill-torn", "kill-after"))


def power_cuts(torture: Torture, count: int | None) -> list[Trial]:
    return at_calls(torture, count, ("power-cut", "power-cut-names"))


def at_calls(torture: Torture, count: int | None, actions: tuple[str, ...]) -> list[Trial]:
    points = [(f"{scenario.name}, {action} at {call}", scenario, action, call) for scenario in scenarios(torture)
              for call in scenario.calls for action in actions if action != "kill-torn" or call.name == "write"]
    return trials(functools.partial(at_call, torture), points, count)


def check_no_code_left(torture: Torture, code: pathlib.Path) -> None:
    """The next run removes what a killed run's compiler left; the compiler may still be at work."""
    for _ in range(240):
        if not list(code.iterdir()):
            return
        time.sleep(0.5)
        folder = torture.new_folder()
        (folder / "c.yaml").write_text(torture.small)
        ended = torture.run(folder, *RUN, environment={"TMPDIR": str(code)})
        expect(ended.code == 0, f"{ended}")
    expect(False, f"left behind: {list(code.iterdir())}")


def at_random_times(torture: Torture, count: int | None) -> list[Trial]:
    torture.reference(torture.long)
    start = time.monotonic()
    torture.run(torture.reference(torture.long).folder.parent, *RUN, "--output", "timed")
    duration = time.monotonic() - start

    def trial(seed: int, folder: pathlib.Path) -> None:
        random_number = random.Random(seed)
        (folder / "c.yaml").write_text(torture.long)
        code = folder / "code"
        code.mkdir()
        # A cache of its own, so that the compiler is at work.
        compiling = {"TMPDIR": str(code), "XDG_CACHE_HOME": str(torture.new_folder())}
        for _ in range(random_number.randint(1, 4)):
            process = torture.start(folder, *AUTO_RESUME, environment=compiling)
            time.sleep(random_number.uniform(0, duration / 2))
            process.kill()
            torture.finish(process)
            check_after_kill(torture, folder / "out")
        torture.check_resumes(folder, torture.long)
        check_no_code_left(torture, code)

    return [Trial(f"seed {seed}", functools.partial(trial, seed)) for seed in range(count)]
