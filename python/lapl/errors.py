"""The exceptions: one for each exit code of the program (docs/troubleshooting.md)."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .run import Run


class LaplWarning(UserWarning):
    """A warning that the program printed."""


class _OfRun(BaseException):
    def __init__(self, text: str, run: Run | None = None) -> None:
        super().__init__(text)
        self.run = run  #: the run so far, where it had begun


class LaplError(_OfRun, Exception):
    """The program failed; the text is its own. Exit code 1: a mistake of the program itself."""
    code = 1


class ConfigError(LaplError, ValueError):
    """The mistakes of a config or of options, all of them (exit code 2)."""
    code = 2


class NumericalError(LaplError, ArithmeticError):
    """An unstable run, or values that are not finite (exit code 3)."""
    code = 3


class FileError(LaplError, OSError):
    """A file that cannot be read or written (exit code 4)."""
    code = 4


class DeviceError(LaplError, RuntimeError):
    """A device that is missing or fails, or too little memory (exit code 5)."""
    code = 5


class CheckpointError(LaplError):
    """No checkpoint can be used (exit code 6)."""
    code = 6


class Stopped(LaplError):
    """The run stopped early, with a checkpoint (exit code 75); ``run.resume()`` goes on."""
    code = 75


class Interrupted(_OfRun, KeyboardInterrupt):
    """Ctrl-C stopped the program: a run with a checkpoint, so that ``run.resume()`` goes on."""


def error_for(code: int, text: str, run: Run | None = None) -> LaplError:
    """The exception for an exit code; negative: the number of the signal that ended the program."""
    if code < 0:
        return LaplError(f"lapl was ended by signal {-code}", run)
    return next((kind for kind in LaplError.__subclasses__() if kind.code == code), LaplError)(text, run)


def needs(module: str, what: str) -> Any:
    """Imports a module; where it is missing, says which it is and what needs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        name = (error.name or module).partition(".")[0]
        raise ModuleNotFoundError(f"{what} needs the Python package {name} (pip install {name}, "
                                  f"or Debian's python3-{name})", name=name) from error
