"""A config as the program reads it: dictionaries become JSON, which is YAML, and arrays files."""

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import needs

Config = Mapping[str, Any] | str | os.PathLike[str]


def _remove(path: str, process: int) -> None:
    if os.getpid() == process:  # a fork leaves the folder to its parent
        shutil.rmtree(path, ignore_errors=True)


class Scratch:
    """A temporary folder that lives as long as this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="lapl-"))
        self.close = weakref.finalize(self, _remove, str(self.path), os.getpid())

    def save(self, name: str, value: Any) -> str:
        """Saves an array as .npy; returns its path. Axes of a DataArray take the order z, y, x."""
        np = needs("numpy", "an array in a config")
        dims = getattr(value, "dims", ())
        if dims and set(dims) <= {"z", "y", "x"}:
            value = value.transpose(*(dim for dim in ("z", "y", "x") if dim in dims))
        array = np.asarray(value)
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            raise TypeError(f"{name}: found an array of {array.dtype} (expected real numbers of at most 64 bits)")
        path = self.path / f"{len(list(self.path.iterdir()))}-{name}.npy"
        np.save(path, array.astype("u1") if array.dtype.kind == "b" else array)
        return str(path)


def _array(value: Any, where: tuple[str, ...], scratch: Scratch) -> Any:
    """The words for an array at this place of a config."""
    name = ".".join(where)
    if getattr(value, "ndim", 1) == 0:
        return value.item()
    if where[-1] in ("hdf5", "path"):
        return scratch.save(name, value)
    if where[-1] == "kernel":
        return {"path": scratch.save(name, value)}
    if where[0] == "parameters" or where == ("grid", "mask"):
        return {"hdf5": scratch.save(name, value)}
    if where[0] == "initial":
        return {"kind": "hdf5", "path": scratch.save(name, value)}
    return needs("numpy", "an array in a config").asarray(value).tolist()


def plain(value: Any, where: tuple[str, ...], scratch: Scratch) -> Any:
    """The value as JSON has it."""
    if isinstance(value, Mapping):
        return {str(key): plain(each, (*where, *str(key).split(".")), scratch) for key, each in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(each, where, scratch) for each in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "__array__"):
        return _array(value, where, scratch)
    raise TypeError(f"{'.'.join(where)}: found a {type(value).__name__} (expected a number, a text, a list, "
                    "a dictionary or an array)")


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON in the program's spelling; NaN is left to the program, which names its place."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def settings_words(settings: Mapping[str, Any], scratch: Scratch) -> list[str]:
    """--set for each setting; a dictionary is a section, so each of its entries is set."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= {f"{name}.{key}": each for key, each in value.items()} if isinstance(value, Mapping) else {name: value}
    return [word for name, value in flat.items()
            for word in ("--set", f"{name}={json_text(plain(value, tuple(name.split('.')), scratch))}")]


def given(config: Config, settings: Mapping[str, Any], scratch: Scratch) -> tuple[list[str], str | None]:
    """The words for a config and its settings, and the text for standard input, which `-` names."""
    words = settings_words(settings, scratch)
    if isinstance(config, Mapping):
        return ["-", *words], json_text(plain(config, (), scratch), indent=1)
    if isinstance(config, str) and ("\n" in config or config.lstrip().startswith("{")):
        return ["-", *words], config
    if isinstance(config, (str, os.PathLike)):
        return [os.fspath(config), *words], None
    raise TypeError(f"config: found a {type(config).__name__} (expected a dictionary, a text or the path of a file)")
