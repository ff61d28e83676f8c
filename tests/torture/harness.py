"""Runs lapl with or without faults and checks what it leaves. Every row of the suite uses this."""
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from typing import Callable, Iterable, Iterator

from forks import Forks
from problems import Problem
from run_folders import Failure, digest_of, expect, files_of, stored_checkpoints, tables_of

RUN = ("run", "c.yaml")
AUTO_RESUME = (*RUN, "--auto-resume")
ON_DISK = {"LAPL_FAULTS_NO_MEMORY_FILES": "1"}  # HDF5 writes to the disk, as it does for fields larger than memory


class Skipped(Exception):
    """This machine lacks something that the row needs; the text names it."""


@dataclasses.dataclass
class Ended:
    """A process that has ended."""
    code: int  # exit code; -1 if a signal ended it
    signal: int  # signal that ended it; 0: none
    out: str
    err: str

    def __str__(self) -> str:
        how = f"signal {signal.Signals(self.signal).name}" if self.signal else f"exit {self.code}"
        return f"{how}, {self.out[-300:].strip()} {self.err[-700:].strip()}"


@dataclasses.dataclass
class Trial:
    """One trial: `run` gets an empty folder and raises Failure where a promise is broken."""
    label: str
    run: Callable[[pathlib.Path], None]


@dataclasses.dataclass
class Counts:
    trials: int
    failures: list[str]


@dataclasses.dataclass
class Call:
    """A call that writes, as io_faults.cpp logs it."""
    number: int
    name: str
    path: pathlib.Path

    def __str__(self) -> str:
        return f"call {self.number}, {self.name} {self.path.name}"


@dataclasses.dataclass
class Reference:
    """An uninterrupted run."""
    folder: pathlib.Path
    digest: str
    contents: dict[str, str]  # digest of each file


def sample(items: Iterable, count: int | None) -> list:
    """`count` of the items, evenly spread and always the same ones; all where count is None."""
    items = list(items)
    if count is None or count >= len(items):
        return items
    return [items[int((i + 0.5) * len(items) / count)] for i in range(count)]


class Torture:
    """The program under test, its configs, and the state that rows share."""

    def __init__(self, program: pathlib.Path, backend: str, scratch: pathlib.Path, problem: Problem):
        self.program = program
        self.backend = backend
        self.scratch = scratch
        self.problem = problem
        self.small, self.long, self.split, self.other = dataclasses.astuple(problem)
        # AddressSanitizer would refuse to start unless it is the first library.
        asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        self._environment = {"OMP_WAIT_POLICY": "passive", "NO_COLOR": "1", "ASAN_OPTIONS": asan,
                             "TMPDIR": str(self.new_folder()), "XDG_CACHE_HOME": str(self.new_folder())}
        self._library = program.parent.parent / "tests" / "liblapl_io_faults.so"
        self._forks = Forks(program.parent / "lapl_forks", self._environment)
        self._references: dict[str, Reference] = {}
        self._lock = threading.Lock()

    def new_folder(self) -> pathlib.Path:
        return pathlib.Path(tempfile.mkdtemp(dir=self.scratch))

    def start(self, folder: pathlib.Path, *arguments: str, environment: dict[str, str] | None = None,
              prefix: Iterable[str] = ()) -> subprocess.Popen:
        """Starts lapl in `folder`, through the command `prefix` if given."""
        variables = {**self._environment, **(environment or {})}
        return subprocess.Popen(
            [*prefix, "env", *(f"{name}={value}" for name, value in variables.items()), *self.words(arguments)],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace")

    def words(self, arguments: tuple[str, ...]) -> list[str]:
        chosen = arguments[0] not in ("run", "resume") or "--backend" in arguments
        return [str(self.program), *arguments, *([] if chosen else ["--backend", self.backend])]

    @staticmethod
    def finish(process: subprocess.Popen) -> Ended:
        try:
            out, err = process.communicate(timeout=1200)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure("still running after 1200 s") from None
        return Ended(max(process.returncode, -1), max(-process.returncode, 0), out, err)

    def run_program(self, folder: pathlib.Path, *arguments: str, **options) -> Ended:
        return self.finish(self.start(folder, *arguments, **options))

    def run(self, folder: pathlib.Path, *arguments: str, environment: dict[str, str] | None = None) -> Ended:
        """The same by a fork, which is faster and includes io_faults.cpp."""
        if "--ranks" in arguments:  # mpirun starts programs, not forks
            return self.run_program(folder, *arguments, environment=environment)
        variables = {name: value for name, value in (environment or {}).items() if name != "LD_PRELOAD"}
        return self.forked(folder=str(folder), words=self.words(arguments), environment=variables)

    def forked(self, **request) -> Ended:
        status, out, err = self._forks.ask(**request)
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        return Ended(-1 if number else os.waitstatus_to_exitcode(status), number, out, err)

    def preload(self, name: str) -> dict[str, str]:
        """The environment that loads a library of faults before all others."""
        library = self._library.with_name(f"liblapl_{name}.so")
        if not library.exists():
            raise Skipped(f"{library} is not built")
        return {"LD_PRELOAD": str(library)}

    def faults(self, folder: pathlib.Path, action: str = "", at: int = 0, calls: str = "",
               log: pathlib.Path | None = None) -> dict[str, str]:
        """The environment in which writing to `folder`/out meets faults (io_faults.cpp)."""
        return self.preload("io_faults") | {"LAPL_FAULTS_UNDER": str(folder.resolve() / "out"),
                "LAPL_FAULTS_ACTION": action, "LAPL_FAULTS_AT": str(at), "LAPL_FAULTS_CALLS": calls,
                "LAPL_FAULTS_LOG": str(log or "")}

    def reference(self, config: str) -> Reference:
        """The uninterrupted run of a config; made once."""
        with self._lock:
            if config not in self._references:
                folder = self.new_folder()
                (folder / "c.yaml").write_text(config)
                ended = self.run(folder, *RUN)
                if ended.code == 5:
                    raise Skipped(f"no run on backend {self.backend}: {ended}")
                expect(ended.code == 0, f"the uninterrupted run: {ended}")
                self._references[config] = Reference(folder / "out", digest_of(folder / "out"),
                                                     self.check_files(folder / "out"))
            return self._references[config]

    def can_try(self, command: tuple[str, ...]) -> bool:
        """False for commands that draw pictures where lapl cannot."""
        if command[0] not in ("plot", "report"):
            return True
        return "built without cairo" not in self.run(self.new_folder(), command[0], "none").err

    def read(self, run: pathlib.Path, names: list[str]) -> Ended:
        """Reads every value of these files (forks.cpp)."""
        return self.forked(folder=str(run), files=names)

    def check_files(self, run: pathlib.Path) -> dict[str, str]:
        """Checks that every file under its final name is whole; returns the steps, times and digests in each."""
        files = [*run.glob("fields/step-*.nc"), *run.glob("checkpoints/step-*.h5"), *run.glob("fields.nc")]
        if not files:
            return {}
        ended = self.read(run, [str(file.relative_to(run)) for file in files])
        expect(ended.code == 0, f"not valid: {ended}")
        return json.loads(ended.out)

    def check_complete(self, run: pathlib.Path, config: str) -> None:
        """Checks that the run folder equals the uninterrupted run's, to the bit, with nothing else in it."""
        reference = self.reference(config)
        expect(digest_of(run) == reference.digest, f"digest {digest_of(run)}, not {reference.digest}")
        wanted, found = files_of(reference.folder), files_of(run)
        # Only the last checkpoint must be present: an older one may have failed, or remain after a kill.
        older = [f"checkpoints/step-{step:09}.h5" for step in stored_checkpoints(reference.folder)[:-1]]
        missing = wanted - found - set(older)
        expect(not missing, f"missing: {sorted(missing)}")
        more = sorted(name for name in found - wanted if not name.startswith(("checkpoints/step-", "after-step-")))
        expect(not more, f"left behind: {more}")
        for name, lines in tables_of(reference.folder).items():
            found = tables_of(run)[name]
            expect(found == lines, f"{name} has other lines: {sorted({*found} ^ {*lines})}")
        contents = self.check_files(run)
        for name in sorted(reference.contents.keys() & contents.keys()):
            expect(contents[name] == reference.contents[name],
                   f"{name} holds {contents[name]}, not {reference.contents[name]}")

    def check_resumes(self, folder: pathlib.Path, config: str, *arguments: str) -> None:
        """Checks that without faults the run goes on to its end."""
        ended = self.run(folder, *(arguments or AUTO_RESUME))
        expect(ended.code == 0, f"going on ended with {ended}")
        self.check_complete(folder / "out", config)


def calls_in(log: pathlib.Path) -> Iterator[Call]:
    """The calls in a log of io_faults.cpp that concern the run folder."""
    for line in log.read_text().split("\n")[:-1] if log.exists() else []:  # the last line may lack its end
        number, name, path = line.split(" ", 2)
        if number != "outside":
            yield Call(int(number), name, pathlib.Path(path))


def wait_until(condition: Callable[[], bool], process: subprocess.Popen) -> None:
    """Waits until `condition()` holds or the process has ended."""
    while not condition() and process.poll() is None:
        time.sleep(0.002)


@contextlib.contextmanager
def killed_at_the_end(process: subprocess.Popen) -> Iterator[subprocess.Popen]:
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def copy(source: pathlib.Path, target: pathlib.Path) -> None:
    shutil.copytree(source, target, symlinks=True)
