#!/usr/bin/env python3
"""run_docs.py LAPL SOURCE PAGE: runs every block of a Markdown page, in order, in one new folder.

    sh      a command; lapl and build/bin/lapl are the program, configs/ is there
    yaml    a config: validated (what is missing of a whole one is added first), and run for a few
            steps where it is whole; a first line "# NAME.yaml" saves it under that name
    python  a program

The line before a block, as a comment that readers do not see, may say

    <!-- not run: REASON -->      the block is left out, and the reason printed
    <!-- first: COMMAND -->       runs the command before the block

scripts/lint links looks at the page's links.
Exit code 77 where a program or a Python module is missing: the page was run up to there.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

lapl, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
page = source / sys.argv[3]
tools = {"ffmpeg": "ffmpeg", "h5dump": "hdf5-tools", "h5ls": "hdf5-tools", "ncdump": "netcdf-bin",
         "xxd": "xxd", "xxhsum": "xxhash"}  # the package of each program or module
small = {"grid": "{shape: [32, 40]}", "equation": "{coefficient: 0.2}", "time": "{steps: 4}"}
# Debian packages install modules for this Python only.
python = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable


def fail(line, text):
    sys.exit(f"{page.relative_to(source)}:{line}: {text}")


def skip(line, text):
    print(f"skipped from line {line} on: {text} (what comes before passed)")
    sys.exit(77)


def blocks_of(text):
    """(line, language, body, first, reason not to run) of each fenced block."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if not lines[at].startswith("```"):
            at += 1
            continue
        first = reason = None
        for comment in reversed(lines[max(at - 2, 0):at]):
            marker = re.fullmatch(r"<!-- (first|not run): (.+) -->", comment)
            if not marker:
                break
            first, reason = (marker[2], reason) if marker[1] == "first" else (first, marker[2])
        end = lines.index("```", at + 1)
        yield at + 1, lines[at][3:], "\n".join(lines[at + 1:end]) + "\n", first, reason
        at = end + 1


def run(line, command):
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "lapl was built without cairo" in done.stdout:
        skip(line, "lapl was built without cairo (package libcairo2-dev)")
    if "needs ffmpeg" in done.stdout:
        skip(line, "no ffmpeg (package ffmpeg)")
    if done.returncode != 0:
        fail(line, f"exit code {done.returncode}\n{done.stdout}")


def run_shell(line, body):
    for tool, package in tools.items():
        if re.search(rf"\b{tool}\b", body) and not shutil.which(tool):
            skip(line, f"no {tool} (package {package})")
    run(line, ["bash", "-euo", "pipefail", "-c", body])


def run_yaml(line, body):
    name = re.match(r"# (\S+\.yaml)\n", body)
    path = folder / (name[1] if name else f"line-{line}.yaml")
    path.write_text(body)
    sections = re.findall(r"^(\w+):", body, re.M)
    missing = [section for section in small if section not in sections]
    if "input" in sections:  # a config of lapl filter
        run(line, ["lapl", "filter", path])
    elif missing:
        whole = folder / f"line-{line}.yaml"
        whole.write_text(body + "".join(f"{section}: {small[section]}\n" for section in missing))
        run(line, ["lapl", "validate", whole])
    else:
        run(line, ["lapl", "run", path, "--quiet", "--output", f"line-{line}", "--set",
                   "time.steps=4", "--set", "output.every=2"])


def run_python(line, body):
    for module in re.findall(r"^(?:import|from) (\w+)", body, re.M):
        if subprocess.run([python, "-c", f"import {module}"], env=environment, capture_output=True).returncode != 0:
            skip(line, f"Python has no {module} (package python3-{module.lower()})")
    run(line, [python, "-c", body])


content = page.read_text()
with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    (folder / "build/bin").mkdir(parents=True)
    (folder / "build/bin/lapl").symlink_to(lapl)
    shutil.copytree(source / "configs", folder / "configs")
    environment = {**os.environ, "PATH": f"{folder}/build/bin:{os.environ['PATH']}",
                   "MPLBACKEND": "Agg", "MPLCONFIGDIR": scratch, "PYTHONPATH": str(source / "python"),
                   "PYTHONDONTWRITEBYTECODE": "1"}
    run_block = {"sh": run_shell, "yaml": run_yaml, "python": run_python}
    count = 0
    for line, language, body, first, reason in blocks_of(content):
        if reason:
            print(f"line {line} not run: {reason}")
        if reason or language not in run_block:
            continue
        if first:
            run(line, ["bash", "-euo", "pipefail", "-c", first])
        run_block[language](line, body)
        count += 1
    print(f"{count} blocks run")
