"""Names of any bytes for configs, run folders and arguments."""
import functools
import json
import os
import pathlib
import random

from harness import RUN, Torture, Trial
from run_folders import expect

ODD = ["\xff", "\x80", "\xc3", "\xed\xa0\x80", "\x01", "\x1b[31m", "\t", "\n", "'", '"', "\\", " ", "-", "--", "$(x)", "`", ";",
       "*", "%s", "{}", "#", "é", "\u202e", "n" * 200]


def name_of(random_number: random.Random) -> bytes:
    parts = [random_number.choice(ODD) for _ in range(random_number.randint(1, 4))]
    text = b"".join(part.encode("utf-8" if ord(max(part)) > 255 or part == "é" else "latin-1") for part in parts)
    return text[:240]


def at_random(torture: Torture, count: int | None) -> list[Trial]:
    """A run under that name replaces another, or is refused before the other is touched."""
    def trial(seed: int, folder: pathlib.Path) -> None:
        random_number = random.Random(seed)
        name = name_of(random_number)
        here = os.fsencode(folder)
        config = here + b"/" + name + b".yaml"
        pathlib.Path(os.fsdecode(config)).write_text(torture.small)
        (folder / "c.yaml").write_text(torture.small)
        expect(torture.run(folder, *RUN).code == 0, "the run before")
        before = (folder / "out/run.json").read_bytes()
        where = random_number.choice(("config", "output", "setting"))
        words = {"config": ("run", os.fsdecode(config), "--overwrite"),
                 "output": (*RUN, "--output", os.fsdecode(here + b"/" + name)),
                 "setting": (*RUN, "--overwrite", "--set", b"output.directory=" + name)}[where]
        ended = torture.run_program(folder, *words)
        expect(ended.signal == 0 and ended.code in (0, 2, 4), f"{where} {name!r}: {ended}")
        expect("internal error" not in ended.err, f"{where} {name!r}: {ended}")
        if ended.code != 0:
            expect(where != "config", f"{where} {name!r}: {ended}")
            expect((folder / "out/run.json").read_bytes() == before, f"{where} {name!r}: the run before is gone: {ended}")
        if where == "config":
            torture.check_resumes(folder, torture.small, "resume", "out")
        for run in (path.parent for path in folder.glob("*/run.json")):
            for text in (run / "run.json").read_bytes(), *(run / "log.jsonl").read_bytes().splitlines():
                json.loads(text.decode("utf-8"))

    return [Trial(f"seed {seed}", functools.partial(trial, seed)) for seed in range(count)]
