"""A system call that writes fails, once or from then on."""
import errno
import functools
import os
import pathlib

from harness import Call, Torture, Trial, calls_in
from run_folders import expect, files_of
from scenarios import Scenario, scenarios, trials

MAKING = "open fopen write ftruncate truncate fsync close rename mkdir"
CALLS = {errno.ENOSPC: MAKING, errno.EDQUOT: MAKING, errno.EFBIG: "write ftruncate truncate",
         errno.EIO: MAKING + " open_folder unlink", errno.EROFS: "open fopen rename unlink mkdir"}


def check_told(ended, error: int, folder: pathlib.Path) -> None:
    """Exit code 0, or 4 with path and reason."""
    expect(ended.signal == 0 and ended.code in (0, 4), f"{ended}")
    if ended.code == 4:
        expect("out" in ended.err and os.strerror(error) in ended.err, f"path or reason not named: {ended}")


def failed_calls(log: pathlib.Path, error: int, how: str, at: int) -> list[Call]:
    """The calls that io_faults.cpp made fail from number `at` on."""
    return [made for made in calls_in(log)
            if (made.number == at if how == "once" else made.number >= at and made.name in CALLS[error].split())]


def at_call(torture: Torture, program: bool, scenario: Scenario, error: int, how: str, call: Call,
            folder: pathlib.Path) -> None:
    log = folder / "calls"
    ended = scenario.run(torture, folder, program, action=f"error:{error}:{how}", at=call.number, calls=CALLS[error],
                         log=log)
    run = folder / "out"
    check_told(ended, error, folder)
    # A slow run stores its probes more often, so call number `call.number` may be another one, which does not fail.
    failed = failed_calls(log, error, how, call.number)
    for made in failed:
        # If closing the lock or the folder fails at the end, nothing is lost; a temporary file may be opened again.
        unlocks = made.path.name == ".lock" or made.name == "close" and made.path.name == "out"
        again = made.name in ("open", "fopen") and ".tmp-" in made.path.name
        if made.name not in ("unlink", "open_folder") and not unlocks and not again:
            expect(os.strerror(error) in ended.err, f"{made} failed, and nothing is said: {ended}")
    for waiting in (".replaced", ".dropped"):
        expect(not (run / waiting).exists() or waiting in ended.err, f"nothing is said of {waiting}: {ended}")
    torture.check_files(run)
    if ended.code == 0:
        torture.check_complete(run, torture.small)
    elif how == "once" and "stored" in ended.err:  # the run continued, so at most one file is missing
        missing = files_of(torture.reference(torture.small).folder) - files_of(run)
        expect(len(missing) <= 1, f"one call failed once, missing are {sorted(missing)}: {ended}")
        expect("step" in ended.err, f"the step is not named: {ended}")
    if how == "once" or error != errno.EIO and error != errno.EROFS:  # the run can remove temporary files
        left = [name for name in files_of(run) if ".tmp-" in name]
        expect(not left or any(made.name == "unlink" for made in failed), f"left behind: {left}")
    scenario.check_resumes(torture, folder)


def at_every_call(torture: Torture, count: int | None) -> list[Trial]:
    points = [(f"{scenario.name}, {errno.errorcode[error]} {how} at {call}", scenario, error, how, call)
              for scenario in scenarios(torture) for call in scenario.calls
              for error, names in CALLS.items() if call.name in names.split() for how in ("once", "forever")]
    return trials(functools.partial(at_call, torture), points, count)


def short_writes(torture: Torture, count: int | None) -> list[Trial]:
    """A write that takes fewer bytes than given is not an error."""
    def attempt(program: bool, scenario: Scenario, call: Call, folder: pathlib.Path) -> None:
        ended = scenario.run(torture, folder, program, action="short", at=call.number)
        expect(ended.code == 0, f"{ended}")
        torture.check_complete(folder / "out", torture.small)

    points = [(f"{scenario.name}, {call}", scenario, call)
              for scenario in scenarios(torture) for call in scenario.calls if call.name == "write"]
    return trials(attempt, points, count)
