"""Examines a run folder."""
import json
import pathlib
import re


class Failure(Exception):
    """A promise is broken; the text says how."""


def expect(condition: object, text: str) -> None:
    if not condition:
        raise Failure(text)


def files_of(run: pathlib.Path) -> set[str]:
    """The files of a run folder, with temporary ones, which should not exist, and without the lock."""
    return {str(path.relative_to(run)) for path in run.rglob("*") if not path.is_dir()} - {".lock"}


def digest_of(run: pathlib.Path) -> str:
    summary = json.loads((run / "run.json").read_text())
    expect(summary["status"] == "complete", f"run.json says {summary['status']}, not complete")
    return summary["digest"]


def tables_of(run: pathlib.Path) -> dict[str, list[str]]:
    """The lines of a run's tables, those of diagnostics.csv without the speed at their end."""
    lines = {file.name: file.read_text().splitlines() for file in run.glob("*.csv")}
    return lines | {"diagnostics.csv": [line.rpartition(",")[0] for line in lines["diagnostics.csv"]]}


def stored_checkpoints(run: pathlib.Path) -> list[int]:
    """Steps of the checkpoints in a run folder, in order."""
    names = (re.fullmatch(r"step-(\d+)\.h5", path.name) for path in run.glob("checkpoints/*"))
    return sorted(int(match[1]) for match in names if match)


def announced_checkpoint(run: pathlib.Path) -> int:
    """The newest checkpoint that log.jsonl reports as stored; -1 without one."""
    newest = -1
    if (run / "log.jsonl").exists():
        for line in (run / "log.jsonl").read_text(errors="replace").splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue  # a kill can tear the last line
            if event.get("event") == "stored" and event.get("checkpoint"):
                newest = max(newest, event["step"])
    return newest


def snapshot(folder: pathlib.Path) -> dict[str, str | bytes]:
    """Every file below a folder with its content, and every link with its target."""
    return {str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else path.read_bytes()
            for path in folder.rglob("*") if path.is_symlink() or path.is_file()}
