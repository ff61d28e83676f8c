#!/usr/bin/env python3
"""allocation_faults.py LAPL SHIM [--trials N] [--command NAME]... [--verbose] [--two-fields] [--threads N]

Makes the Nth allocation of lapl's commands fail, once or from then on, for N spread evenly (every
one where --trials is 0), and checks what is left: no signal, an exit code that says what happened,
no temporary file, and a run that goes on to the right digest. SHIM is liblapl_allocation_faults.so.

First the allocations of lapl itself and of all C++ code. Then those of C libraries too, some of which
cannot live without memory (HDF5 1.10 damages its heap, FFTW aborts, OpenMP ends the process): there
a signal is no failure, but what is complete must be right, and the run must go on.

Prints "trials N passed N failed N"; exit code 1 where one failed.
"""
import argparse
import concurrent.futures
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CONFIG = """\
grid: {shape: [40, 60]}
equation: {coefficient: 0.25}
time: {steps: 40}
compute: {backend: cpu, threads: 1}
output: {directory: out, every: 20, fields: [field, laplacian]}
checkpoint: {every: 20}
filters: [{name: smooth, kernel: gaussian, sigma: 1}]
"""
TWO_FIELDS = """\
grid: {shape: [40, 60]}
fields: [u, v]
equation: {kind: formula, u: 0.1 * laplacian(u) - u * v^2, v: 0.1 * laplacian(v) + u * v^2}
initial: {u: {kind: uniform}, v: {kind: formula, formula: 0.1 * random}}
time: {step: 1, steps: 40}
compute: {backend: cpu, threads: 1, engine: interpreted}
output:
  directory: out
  every: 20
  fields: [u, v, s]
  derived: {s: gradient_squared(u)}
  integrals: {r: u * v}
  probes: {every: 7, at: {middle: [20, 30]}}
checkpoint: {every: 20}
filters: [{name: smooth, kernel: gaussian, sigma: 1, field: v}]
"""
COMPLETE, IO, DEVICE, CHECKPOINT = 0, 4, 5, 6
LONGEST = 1200  # limit for one command in seconds; it usually takes 0.1 s


class Torture:
    def __init__(self, lapl, shim, config):
        self.lapl, self.shim, self.config = lapl, shim, config

    def call(self, folder, command, **faults):
        """Runs a command; returns exit code (negative: a signal), stdout and stderr."""
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
        if faults:
            environment["LD_PRELOAD"] = self.shim
            environment |= {name: str(value) for name, value in faults.items()}
        done = subprocess.run([self.lapl, *command], cwd=folder, env=environment,
                              capture_output=True, text=True, errors="replace", timeout=LONGEST)
        return done.returncode, done.stdout, done.stderr

    def prepare(self, folder):
        (folder / "run.yaml").write_text(self.config)
        code, out, err = self.call(folder, ["run", "run.yaml"])
        assert code == 0, err
        self.digest = re.findall("digest (0x[0-9a-f]{16})", out)[-1]

    def complaint(self, folder, name, command, expected, faults):
        """The broken promises after one failed allocation; empty where there is none."""
        own = faults["LAPL_FAIL_OWN"]
        try:
            code, out, err = self.call(folder, command, **faults)
        except subprocess.TimeoutExpired:
            return "hangs" if own else ""
        if not own and code != COMPLETE:
            return self.going_on(folder, name)
        if code < 0:
            return f"ended by signal {-code}: {err.strip()[-200:]}"
        if code == COMPLETE:
            if name in ("run", "resume"):
                return "" if self.digest in out else "complete with a wrong digest"
            return "" if out == expected else "complete with other words on stdout"
        if code not in (IO, DEVICE, CHECKPOINT):
            return f"exit code {code}: {err.strip()[-200:]}"
        if not err.strip():
            return f"exit code {code} without a message"
        left = [str(path) for path in folder.rglob(".*.tmp-*")]
        return f"left {left}" if left else self.going_on(folder, name)

    def going_on(self, folder, name):
        """Why the interrupted run does not go on to its end; empty where it does."""
        if name not in ("run", "resume"):
            return ""
        code, out, err = self.call(folder, ["run", "run.yaml", "--auto-resume"])
        if code != COMPLETE or self.digest not in out:
            return f"cannot go on: exit code {code}: {err.strip()[-200:]}"
        return ""


COMMANDS = {
    "run": ["run", "run.yaml", "--json"],
    "resume": ["resume", "out", "--from", "20"],
    "inspect": ["inspect", "out/fields.nc"],
    "validate": ["validate", "run.yaml"],
    "schema": ["schema"],
    "diff": ["diff", "out", "out"],
    "plot": ["plot", "out", "-o", "picture.png", "--size", "600x200"],
}


def trial(torture, base, name, expected, number, forever, own):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "run"
        shutil.copytree(base, folder)
        if name == "run":
            shutil.rmtree(folder / "out")
        faults = {"LAPL_FAIL_ALLOCATION": number, "LAPL_FAIL_FOREVER": int(forever),
                  "LAPL_FAIL_OWN": int(own)}
        wrong = torture.complaint(folder, name, COMMANDS[name], expected, faults)
    mode = "from" if forever else "at"
    whose = "of lapl" if own else "of all"
    return f"{name}, {mode} allocation {number} {whose}: {wrong}" if wrong else ""


def numbers(count, wanted):
    if wanted == 0 or wanted >= count:
        return range(1, count + 1)
    return sorted({1 + i * (count - 1) // max(wanted - 1, 1) for i in range(wanted)})


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lapl", type=Path)
    parser.add_argument("shim", type=Path)
    parser.add_argument("--trials", type=int, default=0, help="a command and mode; 0: all")
    parser.add_argument("--command", choices=COMMANDS, action="append", help="this command alone (all)")
    parser.add_argument("--verbose", action="store_true", help="also the number of allocations")
    parser.add_argument("--threads", type=int, default=1, help="that step (1)")
    parser.add_argument("--two-fields", action="store_true", help="of an equation in formulas")
    options = parser.parse_args()
    config = (TWO_FIELDS if options.two_fields else CONFIG).replace("threads: 1", f"threads: {options.threads}")
    torture = Torture(str(options.lapl.resolve()), str(options.shim.resolve()), config)
    trials, complaints = 0, []
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        base = Path(scratch) / "base"
        base.mkdir()
        torture.prepare(base)
        for (name, command), own in itertools.product(COMMANDS.items(), (True, False)):
            if not own and name not in ("run", "resume") or name not in (options.command or COMMANDS):
                continue
            work = Path(scratch) / "count"
            shutil.copytree(base, work)
            if name == "run":
                shutil.rmtree(work / "out")
            counted = Path(scratch) / "allocations"
            code, expected, err = torture.call(work, command, LAPL_ALLOCATION_COUNT=counted,
                                               LAPL_FAIL_OWN=int(own))
            shutil.rmtree(work)
            if "built without cairo" in err:
                continue
            assert code == 0, err
            count = int(counted.read_text())
            if options.verbose:
                print(f"{name}: {count} allocations", file=sys.stderr)
            jobs = [pool.submit(trial, torture, base, name, expected, number, forever, own)
                    for forever in (False, True) for number in numbers(count, options.trials)]
            trials += len(jobs)
            for job in concurrent.futures.as_completed(jobs):
                if job.result():
                    complaints.append(job.result())
                    print(job.result(), file=sys.stderr)
    failed = len(complaints)
    print(f"trials {trials} passed {trials - failed} failed {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
