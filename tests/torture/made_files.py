"""What commands other than run write and print, on a disk that fails."""
import errno
import functools
import os
import pathlib
import shutil
import subprocess

from errors import CALLS, failed_calls
from harness import ON_DISK, Call, Ended, Torture, Trial, calls_in, copy, sample
from run_folders import expect, snapshot
from streams import FILTER

# The words of commands that write below out.
COMMANDS = [("new", "quick", "-o", "out/new.yaml"),
            *(("export", "whole", "-o", f"out/made.{ending}") for ending in ("nc", "vtkhdf", "npy", "csv", "raw")),
            ("export", "whole", "-o", "out/frames/", "--plain"), ("filter", "f.yaml"),
            *(("plot", "whole", "-o", f"out/made.{ending}") for ending in ("png", "pdf")),
            ("plot", "whole", "--movie", "-o", "out/movie.png"), ("report", "whole", "-o", "out/report.html")]
MOVIE = ("plot", "whole", "--movie", "-o", "out/movie.mp4")
# Standard output is out/printed. The calls that print come from inside glibc and are not counted; closing is.
PRINTING = ("inspect", "whole", "--json")
PRINTED = ["sh", "-c", 'exec "$@" > out/printed', "sh"]


def attempt(torture: Torture, words: tuple[str, ...], folder: pathlib.Path, environment: dict[str, str],
            prefix: list[str] | None = None) -> Ended:
    (folder / "out").mkdir()
    (folder / "c.yaml").write_text(torture.small)
    (folder / "f.yaml").write_text(FILTER.replace("filtered.h5", "out/filtered.h5"))
    copy(torture.reference(torture.small).folder, folder / "whole")
    prefix = [*(prefix or []), *(PRINTED if words == PRINTING else [])]
    if prefix:
        return torture.run_program(folder, *words, prefix=prefix, environment=environment)
    return torture.run(folder, *words, environment=environment)


def check(torture: Torture, words: tuple[str, ...], ended: Ended, reason: str, folder: pathlib.Path,
          can_remove: bool = True) -> None:
    """All files, or exit code 4 with path and reason and no file that is not whole."""
    expect(ended.signal == 0 and ended.code in (0, 4), f"{ended}")
    wanted, found = sizes(torture, words), {name: len(text) for name, text in snapshot(folder / "out").items()
                                            if can_remove or ".tmp-" not in name}
    if ended.code == 0:
        expect(found == wanted, f"{found}, not {wanted}: {ended}")
    elif words != PRINTING:
        expect(reason in ended.err and "out" in ended.err, f"path or reason not named: {ended}")
        expect(found.items() <= wanted.items(), f"{found}, not of {wanted}: {ended}")


@functools.cache
def sizes(torture: Torture, words: tuple[str, ...]) -> dict[str, int]:
    """What the command writes without a fault; only sizes, because some files hold the time of day."""
    folder = torture.new_folder()
    ended = attempt(torture, words, folder, {})
    expect(ended.code == 0, f"{words}: {ended}")
    return {name: len(text) for name, text in snapshot(folder / "out").items()}


def at_call(torture: Torture, words: tuple[str, ...], environment: dict[str, str], error: int, how: str, call: Call,
            folder: pathlib.Path) -> None:
    log = folder / "calls"
    ended = attempt(torture, words, folder, environment | torture.faults(
        folder, action=f"error:{error}:{how}", at=call.number, calls=CALLS[error], log=log))
    failed = failed_calls(log, error, how, call.number)
    # Failing to open or to remove a temporary file is harmless where all files are there in the end.
    lost = [str(made) for made in failed if made.name not in ("unlink", "open", "fopen")]
    expect(ended.code == 4 or not lost, f"{lost} failed, and nothing is said: {ended}")
    check(torture, words, ended, os.strerror(error), folder, "unlink" not in [made.name for made in failed])


def limited(torture: Torture, words: tuple[str, ...], environment: dict[str, str], size: int,
            folder: pathlib.Path) -> None:
    """Reaches the calls inside glibc, as HDF5 makes them, and those of ffmpeg."""
    ended = attempt(torture, words, folder, environment, ["prlimit", f"--fsize={size}"])
    expect(ended.code == 4 or max(sizes(torture, words).values()) <= size, f"{size} bytes are enough: {ended}")
    check(torture, words, ended, "" if words == MOVIE else os.strerror(errno.EFBIG), folder)


def at_every_call(torture: Torture, count: int | None) -> list[Trial]:
    commands = [words for words in COMMANDS if torture.can_try(words)]
    points = []
    for words in [*commands, PRINTING]:
        for environment in ({}, ON_DISK) if words[0] in ("export", "filter") else ({},):
            folder = torture.new_folder()
            ended = attempt(torture, words, folder, environment | torture.faults(folder, log=folder / "calls"))
            calls = list(calls_in(folder / "calls"))
            expect(ended.code == 0 and calls, f"{words}: {ended}, {len(calls)} calls")
            points += [(at_call, words, environment, error, how, call) for call in calls
                       for error, names in CALLS.items() if call.name in names.split() for how in ("once", "forever")]
            if shutil.which("prlimit") is not None and words != PRINTING:
                points += limits(torture, words, environment)
    if torture.can_try(MOVIE) and shutil.which("ffmpeg") is not None and shutil.which("prlimit") is not None:
        points += limits(torture, MOVIE, {})
    return [Trial(" ".join([*point[1], *map(str, point[2:])]), functools.partial(point[0], torture, *point[1:]))
            for point in sample(points, count)]


def limits(torture: Torture, words: tuple[str, ...], environment: dict[str, str]) -> list[tuple]:
    most = max(sizes(torture, words).values())
    return [(limited, words, environment, most * eighth // 8 - 1) for eighth in range(1, 9)]
