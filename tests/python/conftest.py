import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))
for module in ("numpy", "xarray", "pandas", "h5py"):
    if not __import__("importlib.util").util.find_spec(module):
        pytest.exit(f"skipped: Python has no {module} (package python3-{module})", returncode=77)

if folder := os.environ.get("LAPL_SIMULATION_FOLDER"):  # of the module that the build has made
    __import__("lapl").__path__.append(folder)


@pytest.fixture(autouse=True)
def in_empty_folder(tmp_path, monkeypatch):
    """Each test has a folder of its own, and temporary folders below it."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    assert "LAPL_PROGRAM" in os.environ, "LAPL_PROGRAM must name the program"


@pytest.fixture
def heat():
    """Diffusion of a sine on a periodic grid: each step multiplies it by a known factor."""
    return {"grid": {"shape": [8, 32]}, "boundary": "periodic", "parameters": {"D": 0.5},
            "equation": {"u": "D * laplacian(u)"}, "initial": {"u": "sin(2 * pi * x / 32)"},
            "time": {"step": 0.1, "steps": 20}, "output": {"every": 10},
            "compute": {"backend": "cpu", "precision": "float64"}}
