"""The cache of compiled code: whatever is wrong with it, a run computes the same and ends well."""
import errno
import functools
import os
import pathlib
import shutil
from typing import Callable

from disks import small_disk
from harness import RUN, Torture, Trial, calls_in, copy, sample
from run_folders import expect, snapshot


def codes_in(cache: pathlib.Path) -> list[pathlib.Path]:
    return sorted(cache.glob("lapl/*.code"))


def run_with(torture: Torture, folder: pathlib.Path, cache: pathlib.Path, faults: dict[str, str] | None = None,
             **options):
    folder.mkdir(exist_ok=True)
    (folder / "c.yaml").write_text(torture.long)
    return torture.run_program(folder, *RUN, environment={"XDG_CACHE_HOME": str(cache)} | (faults or {}), **options)


@functools.cache
def full_cache(torture: Torture) -> pathlib.Path:
    """A cache with the code of the long run."""
    cache = torture.new_folder()
    while not codes_in(cache):  # on a busy machine the run may end before its compiler
        ended = run_with(torture, torture.new_folder(), cache)
        expect(ended.code == 0, f"{ended}")
    return cache


def cut(file: pathlib.Path, part: float) -> None:
    os.truncate(file, int(file.stat().st_size * part))


def flip(file: pathlib.Path, part: float) -> None:
    damaged = bytearray(file.read_bytes())
    damaged[int((len(damaged) - 1) * part)] ^= 1
    file.write_bytes(damaged)


def overwrite(file: pathlib.Path, part: float) -> None:
    """Other machine code under the old seal."""
    damaged = bytearray(file.read_bytes())
    start = int(len(damaged) * part)
    damaged[start:-16] = os.urandom(len(damaged) - 16 - start)
    file.write_bytes(damaged)


def give_to_another(path: pathlib.Path) -> None:
    if os.geteuid() == 0:
        os.chown(path, 1, 1)


DAMAGES: dict[str, Callable[[pathlib.Path], None]] = {
    **{f"cut to {part} of it": functools.partial(cut, part=part) for part in (0, 0.001, 0.3, 0.7, 0.9999)},
    **{f"a bit flipped at {part} of it": functools.partial(flip, part=part) for part in (0, 0.0005, 0.2, 0.6, 0.99, 1)},
    **{f"overwritten from {part} of it on": functools.partial(overwrite, part=part) for part in (0.1, 0.5, 0.9)},
    "another's": give_to_another,
    "writable by all": lambda file: file.chmod(0o666),
    "a pipe": lambda file: (file.unlink(), os.mkfifo(file)),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
}
FOLDER_DAMAGES: dict[str, Callable[[pathlib.Path], None]] = {
    "another's": give_to_another,
    "writable by all": lambda folder: folder.chmod(0o777),
    "gone": shutil.rmtree,
    "a file": lambda folder: (shutil.rmtree(folder), folder.write_text("text")),
    "without permissions": lambda folder: folder.chmod(0),
}


def damaged(torture: Torture, count: int | None) -> list[Trial]:
    def trial(damage: Callable[[pathlib.Path], None], of_folder: bool, folder: pathlib.Path) -> None:
        cache = folder / "cache"
        copy(full_cache(torture), cache)
        for path in [cache / "lapl"] if of_folder else codes_in(cache):
            damage(path)
        check(folder, cache)

    def planted(of_folder: bool, folder: pathlib.Path) -> None:
        """Links to a whole cache elsewhere, which is neither used nor changed."""
        cache, victim = folder / "cache", folder / "victim"
        copy(full_cache(torture), cache)
        victim.mkdir()
        for path in [cache / "lapl"] if of_folder else codes_in(cache):
            path.rename(victim / path.name)
            path.symlink_to(victim / path.name)
        before = snapshot(victim)
        check(folder, cache)
        expect(snapshot(victim) == before, "what the link leads to has changed")

    def full(kilobytes: int, folder: pathlib.Path) -> None:
        """The cache is on a full disk, the run on another one."""
        (folder / "c.yaml").write_text(torture.long)
        with small_disk(folder, f"size={kilobytes}k") as there:
            ended = torture.run_program(folder, *RUN, "--output", "run", prefix=there,
                                        environment={"XDG_CACHE_HOME": str(folder.resolve() / "out")})
        expect(ended.code == 0, f"{ended}")
        torture.check_complete(folder / "run", torture.long)

    def faulty(action: str, number: int, folder: pathlib.Path) -> None:
        """A fault at one of the calls that write to the cache, then a run without faults."""
        cache = folder / "cache"
        cache.mkdir()
        under = torture.faults(folder, action=action, at=number, calls="open write rename unlink mkdir close")
        ended = run_with(torture, folder / "faulty", cache, under | {"LAPL_FAULTS_UNDER": str(cache.resolve())})
        if action.startswith("error"):
            expect(ended.code == 0, f"{ended}")
            torture.check_complete(folder / "faulty" / "out", torture.long)
        check(folder, cache)

    def check(folder: pathlib.Path, cache: pathlib.Path) -> None:
        for name in ("first", "second"):  # the second one may use what the first one has stored
            ended = run_with(torture, folder / name, cache)
            expect(ended.code == 0, f"{name} run: {ended}")
            torture.check_complete(folder / name / "out", torture.long)

    log = torture.new_folder() / "calls"
    cache = torture.new_folder()
    run_with(torture, torture.new_folder(), cache,
             torture.faults(cache, log=log) | {"LAPL_FAULTS_UNDER": str(cache.resolve())})
    points = [(f"a file: {name}", functools.partial(trial, damage, False)) for name, damage in DAMAGES.items()]
    points += [(f"the folder: {name}", functools.partial(trial, damage, True)) for name, damage in FOLDER_DAMAGES.items()]
    points += [("a file: a link", functools.partial(planted, False)), ("the folder: a link", functools.partial(planted, True))]
    points += [(f"a disk of {size} KiB", functools.partial(full, size)) for size in (4, 8, 16, 40)]
    actions = ["kill", "kill-torn", "kill-after", f"error:{errno.ENOSPC}:once", f"error:{errno.EIO}:forever",
               f"error:{errno.EROFS}:forever"]
    points += [(f"{action} at {call}", functools.partial(faulty, action, call.number)) for call in calls_in(log)
               for action in actions if action != "kill-torn" or call.name == "write"]
    return [Trial(name, run) for name, run in sample(points, count)]
