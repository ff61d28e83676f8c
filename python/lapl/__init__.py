"""lapl in Python: runs the program of this name and opens what it stores.

``lapl.run`` takes a config and gives a ``Run``, whose fields are an ``xarray.Dataset``. Every number is the program's.
"""

from .errors import (
    CheckpointError,
    ConfigError,
    DeviceError,
    FileError,
    Interrupted,
    LaplError,
    LaplWarning,
    NumericalError,
    Stopped,
)
from .jobs import Simulation, bench, covariance, filter, plan, sweep, validate
from .program import program
from .run import Run, Shown, run

__all__ = [
    "CheckpointError", "ConfigError", "DeviceError", "FileError", "Interrupted", "LaplError", "LaplWarning",
    "NumericalError", "Run", "Shown", "Simulation", "Stopped", "bench", "covariance", "filter", "plan", "program",
    "run", "sweep", "validate",
]
