"""Runs in which every call that writes meets a fault."""
import dataclasses
import functools
import pathlib
import re
import subprocess
from typing import Callable, Iterable

from harness import AUTO_RESUME, ON_DISK, RUN, Call, Ended, Torture, Trial, calls_in, copy, sample
from run_folders import expect


@dataclasses.dataclass
class Scenario:
    name: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    folder: pathlib.Path | None  # the run folder before the command
    calls: list[Call]

    def prepare(self, torture: Torture, folder: pathlib.Path) -> None:
        (folder / "c.yaml").write_text(torture.small)
        if self.folder:
            copy(self.folder, folder / "out")

    def start(self, torture: Torture, folder: pathlib.Path, more: dict[str, str] | None = None,
              prefix: Iterable[str] = (), **fault) -> subprocess.Popen:
        """Starts the run in `folder` with a fault (see Torture.faults) and further environment."""
        self.prepare(torture, folder)
        return torture.start(folder, *self.arguments, prefix=prefix,
                             environment=torture.faults(folder, **fault) | self.environment | (more or {}))

    def run(self, torture: Torture, folder: pathlib.Path, program: bool = False, **fault) -> Ended:
        """The same to its end, by the program or by a fork, which finds no compiler for an equation."""
        if program:
            return torture.finish(self.start(torture, folder, **fault))
        self.prepare(torture, folder)
        return torture.run(folder, *self.arguments,
                           environment=torture.faults(folder, **fault) | self.environment | {"PATH": "/none"})

    def check_resumes(self, torture: Torture, folder: pathlib.Path, resume: tuple[str, ...] = AUTO_RESUME) -> None:
        """Checks that without a fault the run goes on to its end, or that the run it was to replace is unchanged."""
        torture.check_resumes(folder, torture.small, *resume)


@functools.cache
def scenarios(torture: Torture) -> list[Scenario]:
    """A new run, a resumed one, one that replaces another, and a new one without files in memory."""
    begun = torture.new_folder()
    whole = scenario(torture, "a new run", RUN)
    middle = next(call.number for call in whole.calls if call.name == "rename" and "000000030.h5" in call.path.name)
    killed = whole.run(torture, begun, action="kill-after", at=middle)
    expect(killed.signal == 9, f"not killed: {killed}")
    return [whole,
            scenario(torture, "a run that goes on", AUTO_RESUME, begun / "out"),
            scenario(torture, "a run that replaces another", (*RUN, "--overwrite"), torture.reference(torture.small).folder),
            scenario(torture, "a new run without files in memory", RUN, environment=ON_DISK)]


def scenario(torture: Torture, name: str, arguments: tuple[str, ...], before: pathlib.Path | None = None,
             environment: dict[str, str] | None = None) -> Scenario:
    """A run without a fault, to learn its calls."""
    made = Scenario(name, arguments, environment or {}, before, [])
    calls = []
    for program in (True, False):
        folder = torture.new_folder()
        ended = made.run(torture, folder, program, log=folder / "calls")
        expect(ended.code == 0, f"{name}: {ended}")
        calls.append([Call(call.number, call.name, call.path.relative_to(folder)) for call in calls_in(folder / "calls")])
    # A fork must make the same calls as the program; the number of some calls depends on time.
    of_program, of_fork = ({re.sub(r"call \d+, |tmp-\d+", "", str(call)) for call in each} for each in calls)
    expect(of_program == of_fork, f"{name}: only a fork or only the program makes {sorted(of_program ^ of_fork)}")
    made.calls.extend(calls[1])
    return made


def trials(attempt: Callable[..., None], points: list[tuple], count: int | None) -> list[Trial]:
    """`count` of the points by forks, and four of them by the program; all by both where count is None. `attempt` gets
    the arguments of Scenario.run, a point and a folder; each point begins with its label."""
    ways = [(False, sample(points, count)), (True, sample(points, 4 if count else None))]
    return [Trial(f"{point[0]}{', the program' if program else ''}", functools.partial(attempt, program, *point[1:]))
            for program, chosen in ways for point in chosen]
