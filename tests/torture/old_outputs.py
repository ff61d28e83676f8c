"""Outputs of a run that somebody changed, damaged or removed before it goes on."""
import functools
import json
import pathlib
import re
import shutil
from typing import Callable

from harness import AUTO_RESUME, Torture, Trial, copy, sample
from run_folders import expect
from scenarios import scenarios


def flip(file: pathlib.Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def truncate(file: pathlib.Path) -> None:
    file.write_bytes(file.read_bytes()[:-1000])


def annotate(file: pathlib.Path) -> None:
    """As h5py does, whose additions overwrite the seal."""
    file.write_bytes(file.read_bytes()[:-40] + b"an attribute" * 100)


def damaged(torture: Torture, count: int | None) -> list[Trial]:
    """A damaged output is made again or named with the command that makes it; no later output is lost."""
    half = next(each.folder for each in scenarios(torture) if each.folder)
    whole, foreign = torture.reference(torture.small).folder, torture.reference(torture.other).folder
    outputs = sorted(int(file.stem.removeprefix("step-")) for file in whole.glob("fields/*"))
    first, second, third, last = outputs
    damages: dict[str, Callable[[pathlib.Path], None]] = {
        "a flipped bit": flip, "cut short": truncate, "annotated": annotate, "removed": pathlib.Path.unlink,
        "emptied": lambda file: file.write_bytes(b""), "text": lambda file: file.write_text("not HDF5"),
        "of another run": lambda file: shutil.copyfile(foreign / "fields" / file.name, file),
        "of another step": lambda file: shutil.copyfile(
            whole / f"fields/step-{first if file.stem.endswith(f'{third:09}') else third:09}.nc", file)}

    def trial(start: pathlib.Path, damage: Callable[[pathlib.Path], None], steps: tuple[int, ...],
              command: tuple[str, ...], folder: pathlib.Path) -> None:
        (folder / "c.yaml").write_text(torture.small)
        run = folder / "out"
        copy(start, run)
        for step in steps:
            damage(run / f"fields/step-{step:09}.nc")
        ended = torture.run(folder, *command)
        expect(ended.signal == 0 and ended.code in (0, 4), f"{ended}")
        lost = []
        for step in outputs:
            name = f"fields/step-{step:09}.nc"
            found = torture.read(run, [name])
            if found.code != 0 or json.loads(found.out)[name] != torture.reference(torture.small).contents[name]:
                expect(step in steps, f"another output was lost: {found}; {ended}")
                lost.append(step)
        index = torture.run(folder, "inspect", "out/fields.nc")
        expect(index.code == 0, f"the index: {index}")
        if ended.code == 4:
            expect(lost and all(re.search(rf"\b{step}\b", ended.err.splitlines()[-1]) for step in lost),
                   f"the steps {lost} are not named: {ended}")
            expect(torture.run(folder, *command).code == 4, "what is missing passes for complete the second time")
            advice = ("run", "out/config.yaml", "--output", "out", "--overwrite")
            expect(f"{torture.program} {' '.join(advice)}" in ended.err, f"no advice: {ended}")
            torture.check_resumes(folder, torture.small, *advice)
        else:
            torture.check_complete(run, torture.small)

    points = [(start, name, steps, command) for name in damages
              for start, most in ((half, [(first,), (second,), (first, second)]),
                                  (whole, [(first,), (second,), (third,), (last,), (second, last)]))
              for steps in most for command in (("resume", "out"), AUTO_RESUME)]
    return [Trial(f"{name}, steps {steps} of {'half' if start == half else 'a complete'} run, {' '.join(command)}",
                  functools.partial(trial, start, damages[name], steps, command))
            for start, name, steps, command in sample(points, count)]
