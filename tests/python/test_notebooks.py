"""The notebooks run, without a kernel: the source of their cells, one after the other."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs/notebooks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook_runs(path):
    names = {}
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "notebooks are stored without outputs"
            exec(compile("".join(cell["source"]), path.name, "exec"), names)
    assert "lapl" in names
