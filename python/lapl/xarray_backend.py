"""``xarray.open_dataset`` of a run folder: reads its fields.nc, by h5netcdf or netCDF4."""

import importlib.util
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from .errors import needs


class _Values(BackendArray):
    """Values that are read when they are asked for; the run's temporary folder lives as long."""

    def __init__(self, variable: xr.Variable, keep: object) -> None:
        self.shape, self.dtype = variable.shape, variable.dtype
        self._variable, self._keep = variable, keep

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def _read(self, key: tuple[Any, ...]) -> np.ndarray[Any, Any]:
        return np.asarray(self._variable[key].values)


class RunBackend(BackendEntrypoint):
    """A run folder of lapl as a Dataset of its outputs."""

    description = "Open run folders of lapl"

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """True for a run folder."""
        return isinstance(filename_or_obj, (str, os.PathLike)) and Path(filename_or_obj, "run.json").is_file()

    def open_dataset(self, filename_or_obj: Any, *, drop_variables: str | Iterable[str] | None = None,
                     keep: object = None) -> xr.Dataset:
        """The outputs along time; `keep` lives as long as the values can be read."""
        file = Path(filename_or_obj, "fields.nc")
        if not file.is_file():
            raise FileNotFoundError(f"{file}: the run has no output yet")
        engine = "netcdf4" if importlib.util.find_spec("netCDF4") else needs("h5netcdf", "a run's fields").__name__
        stored = xr.open_dataset(file, engine=engine, drop_variables=drop_variables, cache=False, chunks=None)
        kept = {name: xr.Variable(variable.dims, indexing.LazilyIndexedArray(_Values(variable, keep)),
                                  variable.attrs, variable.encoding)
                for name, variable in stored.data_vars.variables.items()}
        result = xr.Dataset(kept, stored.coords, stored.attrs)
        result.set_close(stored.close)
        return result
