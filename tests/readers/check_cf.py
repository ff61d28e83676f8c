#!/usr/bin/env python3
"""tests/readers/check_cf.py CHECKER LAPL: what compliance-checker (from PyPI) says of a run's files under CF 1.9.

docs/format.md says why they do not claim CF: time is not that of a calendar. Exit code 1 where it objects to more.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

EXPECTED = [r"time does not have correct time units", r"'time' should have standard_name='time', found: 'None'",
            r'Time coordinate variable "time" should have a string valued attribute "calendar"',
            r"Conventions (global attribute does not contain|field is not present)",
            r"dimensions are not in the recommended order T, Z, Y, X"]


def main() -> int:
    checker, program = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:])
    status = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "c.yaml").write_text("fields: {T: {unit: K, label: heat, standard_name: air_temperature}}\n"
                                       "grid: {shape: [20, 30], unit: m}\ninitial: {kind: gaussian}\nequation: {coefficient: 0.2}\n"
                                       "time: {steps: 40, unit: s}\noutput: {directory: out, every: 20}\n")
        subprocess.run([program, "run", "c.yaml", "--quiet"], cwd=folder, check=True)
        subprocess.run([program, "export", "out", "-o", "all.nc"], cwd=folder, check=True, capture_output=True)
        for file in ("out/fields.nc", "out/fields/step-000000020.nc", "all.nc"):
            subprocess.run([checker, "--test=cf:1.9", "--format=json", f"--output={folder}/report.json", file], cwd=folder,
                           capture_output=True)
            report = json.loads((folder / "report.json").read_text())["cf:1.9"]
            said = [message for level in ("high", "medium", "low") for result in report[level + "_priorities"]
                    for message in result["msgs"]]
            others = [message for message in said if not any(re.search(known, message) for known in EXPECTED)]
            for message in others:
                print(f"{file}: {message}")
            status |= bool(others) or not said  # fails if the checker printed nothing
    return status


if __name__ == "__main__":
    sys.exit(main())
