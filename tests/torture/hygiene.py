"""A run writes into its folder only, follows no link out of it, and leaves no core dump."""
import functools
import os
import pathlib
import re
import resource
import socket
from typing import Callable

from harness import (AUTO_RESUME, RUN, Skipped, Torture, Trial, calls_in, copy, killed_at_the_end, sample, wait_until)
from run_folders import expect, snapshot
from scenarios import Scenario, scenario, scenarios

# Files and folders that are replaced by symbolic links. The last file is a temporary one that a killed process left.
FILES = ["run.json", "config.yaml", "log.jsonl", "diagnostics.csv", "fields.nc", ".lock", "fields/step-000000000.nc",
         "fields/step-000000040.nc", "fields/step-000000060.nc", "checkpoints/step-000000045.h5",
         "checkpoints/step-000000060.h5", "fields/.step-000000060.nc.tmp-1"]
FOLDERS = ["fields", "checkpoints"]


def nothing_outside(torture: Torture, count: int | None) -> list[Trial]:
    def trial(scenario: Scenario, folder: pathlib.Path) -> None:
        home, log = folder / "home", torture.new_folder() / "calls"
        home.mkdir()
        cache = torture.new_folder().resolve()
        process = scenario.start(torture, folder, log=log, more={
            "HOME": str(home), "TMPDIR": str(home), "XDG_CACHE_HOME": str(cache), "CUDA_CACHE_DISABLE": "1"})
        ended = torture.finish(process)
        expect(ended.code == 0, f"{ended}")
        # NVIDIA's driver calls unlink with an empty name, which cannot succeed.
        harmless = f"outside unlink {folder.resolve()}"
        outside = [line for line in log.read_text().splitlines() if line.startswith("outside ") and line != harmless]
        # The compiler of an equation has temporary files, and its library is kept in the cache.
        outside = [line for line in outside
                   if not re.match(rf"outside \w+ ({home.resolve()}/\.lapl-code-|{cache}/lapl)", line)]
        expect(not outside, f"written outside of the run folder: {outside}")
        expect(not list(home.iterdir()), f"left behind: {list(home.iterdir())}")
        names = sorted(path.name for path in folder.iterdir())
        expect(names == ["c.yaml", "home", "out"], f"beside the run folder: {names}")

    return [Trial(scenario.name, functools.partial(trial, scenario)) for scenario in sample(scenarios(torture), count)]


def links(torture: Torture, count: int | None) -> list[Trial]:
    """Plants links in the run folder to a file or folder elsewhere, which must stay as it is."""
    middle = next(each for each in scenarios(torture) if each.arguments == AUTO_RESUME).folder
    whole = torture.reference(torture.small).folder

    def trial(name: str, start: pathlib.Path, command: tuple[str, ...], folder: pathlib.Path) -> None:
        (folder / "c.yaml").write_text(torture.small)
        run, victim, before = folder / "out", folder / "victim", None
        copy(start, run)
        victim.mkdir()
        (victim / "other").write_text("without a last line's end")
        planted = run / name
        if planted.exists():
            planted.rename(victim / "target")
        elif name in FOLDERS:
            (victim / "target").mkdir()
        else:
            (victim / "target").write_text("without a last line's end")
        planted.symlink_to(victim / "target")
        before = snapshot(victim)
        ended = torture.run(folder, *command)
        expect(snapshot(victim) == before, f"changed what the link leads to: {ended}")
        expect(ended.signal == 0 and ended.code in (0, 4), f"{ended}")
        if ended.code == 0:
            torture.check_complete(run, torture.small)
        else:
            expect(name in ended.err, f"{name} is not named: {ended}")

    points = [(name, start, command) for name in FILES + FOLDERS
              for start, command in [(middle, AUTO_RESUME), (middle, ("resume", "out")), (whole, ("resume", "out")),
                                     (whole, (*RUN, "--overwrite"))]]
    return [Trial(f"{name} as a link, {' '.join(command)}", functools.partial(trial, name, start, command))
            for name, start, command in sample(points, count)]


def pipes(torture: Torture, count: int | None) -> list[Trial]:
    """Puts something that is no regular file in the place of each file of a run, of a config, and of its inputs."""
    whole = torture.reference(torture.small).folder
    kinds: dict[str, Callable[[pathlib.Path], None]] = {
        "a pipe": os.mkfifo,
        "a socket": lambda path: socket.socket(socket.AF_UNIX).bind(str(path)),
        "a device": lambda path: path.symlink_to("/dev/zero")}
    commands = [AUTO_RESUME, ("resume", "out"), (*RUN, "--overwrite"), ("inspect", "out"), ("plot", "out"),
                ("report", "out"), ("watch", "out", "--once"), ("export", "out", "-o", "series.nc")]
    commands = [command for command in commands if torture.can_try(command)]
    inputs = {"c.yaml": "", "p.png": "initial: {kind: image, path: p.png}\n",
              "d.h5": "initial: {kind: hdf5, path: d.h5}\n", "k.h5": "filters: [{kernel: {path: k.h5}}]\n"}

    def trial(name: str, plant: Callable[[pathlib.Path], None], command: tuple[str, ...], folder: pathlib.Path) -> None:
        (folder / "c.yaml").write_text(torture.small + inputs.get(name, ""))
        copy(whole, folder / "out")
        planted = folder / name if name in inputs else folder / "out" / name
        planted.unlink(missing_ok=True)
        plant(planted)
        ended = torture.run(folder, *command)
        expect(ended.signal == 0 and ended.code in (0, 2, 4, 6), f"{ended}")
        expect(ended.code == 0 or planted.name in ended.err, f"{name} is not named: {ended}")

    points = [(name, kind, command) for kind in kinds
              for name, command in [*((name, command) for name in FILES for command in commands),
                                    *((name, (word, "c.yaml")) for name in inputs for word in ("validate", "plan")),
                                    *((name, (*RUN, "--overwrite")) for name in inputs)]]
    return [Trial(f"{kind} as {name}, {' '.join(command)}", functools.partial(trial, name, kinds[kind], command))
            for name, kind, command in sample(points, count)]


def no_core_dump(torture: Torture, count: int | None) -> list[Trial]:
    """Checks the limit on core dumps of a run that was started with the highest one."""
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        raise Skipped("this machine allows no core dumps")
    whole = scenario(torture, "a new run", RUN)

    def trial(folder: pathlib.Path) -> None:
        log = folder / "calls"
        process = whole.start(torture, folder, action="delay:60000", at=whole.calls[-1].number, log=log,
                              prefix=["sh", "-c", 'ulimit -S -c "$(ulimit -H -c)"; exec "$@"', "sh"])
        with killed_at_the_end(process):
            wait_until(lambda: any(made.number == whole.calls[-1].number for made in calls_in(log)), process)
            limits = pathlib.Path(f"/proc/{process.pid}/limits").read_text().splitlines()
        core = next(line for line in limits if line.startswith("Max core file size"))
        expect(core.split()[4] == "0", core)

    return [Trial("limits of the process", trial)]
