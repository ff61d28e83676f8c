"""Runs whose every call that writes is to meet a fault."""
import dataclasses
import functools
import pathlib
import subprocess
from typing import Iterable

from harness import AUTO_RESUME, ON_DISK, RUN, Call, Torture, calls_in, copy
from run_folders import expect


@dataclasses.dataclass
class Scenario:
    name: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    folder: pathlib.Path | None  # the run folder as it is before
    calls: list[Call]

    def start(self, torture: Torture, folder: pathlib.Path, more: dict[str, str] | None = None,
              prefix: Iterable[str] = (), **fault) -> subprocess.Popen:
        """Starts the run in `folder` with a fault (see Torture.faults) and more environment."""
        (folder / "c.yaml").write_text(torture.small)
        if self.folder:
            copy(self.folder, folder / "out")
        return torture.start(folder, *self.arguments, prefix=prefix,
                             environment=torture.faults(folder, **fault) | self.environment | (more or {}))

    def check_resumes(self, torture: Torture, folder: pathlib.Path, resume: tuple[str, ...] = AUTO_RESUME) -> None:
        """Without a fault the run goes on to its end. Where the run that it replaces was only half removed, that has no
        checkpoints any more, and it is told so."""
        if "--overwrite" in self.arguments and torture.run(folder, *AUTO_RESUME).code == 6:
            resume = self.arguments
        torture.check_resumes(folder, torture.small, *resume)


@functools.cache
def scenarios(torture: Torture) -> list[Scenario]:
    """A new run, one that goes on from its middle, one that replaces another, a new one without files in memory."""
    begun = torture.new_folder()
    whole = scenario(torture, "a new run", RUN)
    middle = next(call.number for call in whole.calls if call.name == "rename" and "000000030.h5" in call.path.name)
    killed = torture.finish(whole.start(torture, begun, action="kill-after", at=middle))
    expect(killed.signal == 9, f"not killed: {killed}")
    return [whole,
            scenario(torture, "a run that goes on", AUTO_RESUME, begun / "out"),
            scenario(torture, "a run that replaces another", (*RUN, "--overwrite"), torture.reference(torture.small).folder),
            scenario(torture, "a new run without files in memory", RUN, environment=ON_DISK)]


def scenario(torture: Torture, name: str, arguments: tuple[str, ...], before: pathlib.Path | None = None,
             environment: dict[str, str] | None = None) -> Scenario:
    """Without a fault, to learn which calls it makes."""
    made = Scenario(name, arguments, environment or {}, before, [])
    folder = torture.new_folder()
    ended = torture.finish(made.start(torture, folder, log=folder / "calls"))
    expect(ended.code == 0, f"{name}: {ended}")
    made.calls.extend(calls_in(folder / "calls"))
    return made
