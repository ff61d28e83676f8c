"""Full disks: a small file system in memory, and a limit on the size of files."""
import contextlib
import functools
import os
import pathlib
import shutil
import subprocess
from typing import Iterator

from harness import AUTO_RESUME, ON_DISK, RUN, Ended, Skipped, Torture, Trial, sample
from run_folders import expect


@contextlib.contextmanager
def small_disk(folder: pathlib.Path, options: str) -> Iterator[list[str]]:
    """A tmpfs at `folder`/out in a mount namespace of its own; yields the command that runs others there."""
    enter = ["nsenter", "--mount", "--root"]  # in a chroot the root differs
    if os.geteuid() != 0:
        enter += ["--user", "--preserve-credentials"]
    own = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    (folder / "out").mkdir()
    holder = subprocess.Popen([*own, "sh", "-c", f"mount -t tmpfs -o {options} none out && echo ready && exec cat"],
                              cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
    try:
        if holder.stdout.readline() != "ready\n":
            raise Skipped(f"no file system can be mounted here: {holder.communicate()[1].strip()}")
        yield [*enter, "--target", str(holder.pid), "env", "-C", str(folder)]
    finally:
        holder.kill()
        holder.communicate()


def check_limited(torture: Torture, ended: Ended, reason: str, run: pathlib.Path) -> None:
    """Exit code 0 with all files, or 4 with path and reason; all files are whole."""
    expect(ended.signal == 0 and ended.code in (0, 4), f"{ended}")
    if ended.code == 0:
        return torture.check_complete(run, torture.small)
    expect("out" in ended.err and reason in ended.err, f"path or reason not named: {ended}")
    torture.check_files(run)


def fill(torture: Torture, options: str, environment: dict[str, str], folder: pathlib.Path,
         command: tuple[str, ...] = RUN) -> None:
    (folder / "c.yaml").write_text(torture.small)
    faults = torture.faults(folder) | environment
    with small_disk(folder, options) as there:
        limited = torture.run_program(folder, *command, prefix=there, environment=faults)
        copy_out(there, folder, "limited")
        subprocess.run([*there, "mount", "--options-mode=ignore", "-o", "remount,size=100m,nr_inodes=1000", "out"],
                       check=True)
        resumed = torture.run_program(folder, *AUTO_RESUME, prefix=there)
        copy_out(there, folder, "whole")
    check_limited(torture, limited, "No space left on device", folder / "limited")
    expect(resumed.code == 0, f"with more room: {resumed}")
    torture.check_complete(folder / "whole", torture.small)


def copy_out(there: list[str], folder: pathlib.Path, name: str) -> None:
    """Only processes in the namespace see the small disk's files."""
    target = folder / name
    subprocess.run([*there, "cp", "-r", "out", str(target)], check=True)


def full_disk_points() -> list[tuple[str, dict[str, str]]]:
    """Trials: how much room a small disk has, and how HDF5 writes there."""
    if shutil.which("unshare") is None or shutil.which("nsenter") is None:
        raise Skipped("unshare and nsenter are not installed (package util-linux)")
    sizes = [f"size={kibibytes}k" for kibibytes in range(4, 404, 4)]
    inodes = [f"size=10m,nr_inodes={number}" for number in range(2, 22)]
    return [(options, environment) for options in sizes + inodes for environment in ({}, ON_DISK)]


def full_disk(torture: Torture, count: int | None) -> list[Trial]:
    torture.reference(torture.small)
    return [Trial(f"tmpfs with {options} {environment}", functools.partial(fill, torture, options, environment))
            for options, environment in sample(full_disk_points(), count)]


def limit(torture: Torture, size: int, environment: dict[str, str], folder: pathlib.Path,
          command: tuple[str, ...] = RUN) -> None:
    (folder / "c.yaml").write_text(torture.small)
    faults = torture.faults(folder) | environment
    limited = torture.run_program(folder, *command, prefix=["prlimit", f"--fsize={size}"], environment=faults)
    if limited.code == 5 and "mpirun failed with code" in limited.err:  # Open MPI 5 itself writes files of some MB
        return expect(not (folder / "out").exists(), f"{limited}")
    check_limited(torture, limited, "File too large", folder / "out")
    torture.check_resumes(folder, torture.small)


def file_size_limit(torture: Torture, count: int | None) -> list[Trial]:
    if shutil.which("prlimit") is None:
        raise Skipped("prlimit is not installed (package util-linux)")
    torture.reference(torture.small)
    sizes = [0, 1, 40, *range(100, 2000, 100), *range(2048, 40960, 512)]
    points = [(size, environment) for size in sizes for environment in ({}, ON_DISK)]
    return [Trial(f"files of up to {size} bytes {environment}", functools.partial(limit, torture, size, environment))
            for size, environment in sample(points, count)]
