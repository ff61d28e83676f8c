"""Standard streams that are closed, full, or read by nobody."""
import functools
import itertools
import pathlib

from harness import AUTO_RESUME, RUN, Torture, Trial, copy, sample
from run_folders import expect, snapshot

FILTER = """\
input: {path: whole/fields/step-000000060.nc, dataset: /field}
output: {path: filtered.h5}
filter: {kernel: gaussian, sigma: 1}
"""
# Name of a command, its words, and the file that it writes if it is not a run.
COMMANDS = [("run", RUN, None), ("go on", AUTO_RESUME, None), ("resume", ("resume", "out"), None),
            ("plan", ("plan", "c.yaml"), None), ("export", ("export", "whole", "-o", "made.nc"), "made.nc"),
            ("filter", ("filter", "f.yaml"), "filtered.h5"), ("plot", ("plot", "whole", "-o", "made.png"), "made.png"),
            ("report", ("report", "whole", "-o", "made.html"), "made.html"),
            ("inspect", ("inspect", "whole"), None), ("diff", ("diff", "whole", "whole"), None)]
CLOSED = [" ".join(streams) for count in (1, 2, 3)
          for streams in itertools.combinations(("<&-", ">&-", "2>&-"), count)]
# For "pipe" the shell waits until the reader has closed the pipe, then starts the command.
STREAMS = [*CLOSED, ">/dev/full", "2>/dev/full", ">/dev/full 2>&1", "pipe", "pipe 2>&1"]


def started(stream: str) -> list[str]:
    if not stream.startswith("pipe"):
        return ["sh", "-c", f'exec "$@" {stream}', "sh"]
    # The reader closes the pipe at once and creates the file `gone`.
    code = 'rm -f gone; { while [ ! -e gone ]; do sleep 0.01; done; "$@" %s; echo $? > code; } | { exec <&-; : > gone; }' \
        '; wait; exit "$(cat code)"' % stream[4:]
    return ["sh", "-c", code, "sh"]


def at_every_stream(torture: Torture, count: int | None) -> list[Trial]:
    whole = torture.reference(torture.small).folder

    def trial(name: str, command: tuple[str, ...], made: str | None, stream: str, folder: pathlib.Path) -> None:
        (folder / "c.yaml").write_text(torture.small)
        (folder / "f.yaml").write_text(FILTER)
        copy(whole, folder / "whole")
        if name in ("go on", "resume"):
            copy(whole, folder / "out")
            for file in (*folder.glob("out/fields/step-000000060.nc"), *folder.glob("out/checkpoints/*60.h5")):
                file.unlink()
        before = snapshot(folder / "whole")
        ended = torture.run_program(folder, *command, prefix=started(stream))
        # SIGPIPE may end a command that only prints, as it ends other programs.
        codes = (0,) if "&-" in stream and "full" not in stream and "pipe" not in stream else (0, 4, 141)
        expect(ended.signal == 0 and ended.code in codes, f"{ended}")
        expect(snapshot(folder / "whole") == before, "what is only read has changed")
        left = [str(path) for path in folder.rglob(".*") if path.name != ".lock"]
        expect(not left or ended.code == 141, f"left behind: {left}")
        if name in ("run", "go on", "resume"):
            lock = folder / "out/.lock"
            expect(lock.read_text().isdecimal(), f".lock holds {lock.read_text()[:80]}")
            torture.check_complete(folder / "out", torture.small)
        elif made and ended.code == 0:
            expect((folder / made).stat().st_size > 0, f"{made} is not there")

    points = [(*command, stream) for command in COMMANDS if torture.can_try(command[1]) for stream in STREAMS]
    return [Trial(f"{point[0]} with {point[-1]}", functools.partial(trial, *point)) for point in sample(points, count)]
