#!/usr/bin/env python3
"""Reads a run folder with other people's software and compares what each of them sees.

    check_readers.py RUN_DIR

h5py, xarray (netcdf4 and, where installed, h5netcdf), ncdump and h5dump must agree to the bit on
every field of every step file and of the index, whatever the current folder. Exit status 0 where
they do, 1 where not, 77 (skipped) where the packages or programs are missing.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import netCDF4  # noqa: F401, the engine behind xarray
    import numpy as np
    import xarray as xr
except ImportError as error:
    print(f"skipped: {error} (packages python3-h5py python3-netcdf4 python3-xarray)")
    sys.exit(77)

failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def same(a, b):
    """Equal values, NaN being equal to NaN, of the same type and shape."""
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=True)


def engines():
    try:
        import h5netcdf  # noqa: F401
        return ["netcdf4", "h5netcdf"]
    except ImportError:
        return ["netcdf4"]


def field_names(file):
    return [name for name, item in file.items()
            if isinstance(item, h5py.Dataset) and item.ndim == 3]


def ncdump_values(path, name, dtype):
    text = subprocess.run(["ncdump", "-p", "9,17", "-v", name, str(path)], check=True,
                          capture_output=True, text=True).stdout
    data = re.search(rf"\n\s*{name} =(.*?);", text[text.index("data:"):], re.S).group(1)
    words = data.replace(",", " ").split()
    return np.array([dtype.type(word.removesuffix("f")) for word in words], dtype)  # NaNf


def h5dump_values(path, name, dtype, folder):
    out = os.path.join(folder, "values.bin")
    subprocess.run(["h5dump", "-d", f"/{name}", "-b", "LE", "-o", out, str(path)], check=True,
                   capture_output=True)
    return np.fromfile(out, dtype.newbyteorder("<"))


def check_file(path, scratch):
    """One step file or the index: every reader against h5py. Returns h5py's steps and fields."""
    with h5py.File(path, "r") as file:
        names = field_names(file)
        held = {name: file[name][...] for name in names + ["time", "step", "y", "x"]}
        expect(names, f"{path}: has fields")
        for name in names:
            scales = [dimension[0].name for dimension in file[name].dims]
            expect(scales == ["/time", "/y", "/x"], f"{path}: scales of {name} are {scales}")
            if "VTKHDF" in file:
                image = file[f"VTKHDF/PointData/{name}"][...]
                expect(same(image.ravel(), held[name].ravel()), f"{path}: {name} as VTKHDF")
    for engine in engines():
        with xr.open_dataset(path, engine=engine) as dataset:
            for name, values in held.items():
                expect(same(dataset[name].values, values), f"{path}: {name} by xarray, {engine}")
            for name in names:
                expect(dataset[name].dims == ("time", "y", "x"), f"{path}: dimensions of {name}")
            expect(dataset["time"].attrs.get("units") == "s", f"{path}: unit of time, {engine}")
    for name in names:
        flat = held[name].ravel()
        expect(same(ncdump_values(path, name, flat.dtype), flat), f"{path}: {name} by ncdump")
        expect(same(h5dump_values(path, name, flat.dtype, scratch), flat),
               f"{path}: {name} by h5dump")
    return held, names


def check_run(run, scratch):
    steps = sorted((run / "fields").glob("step-*.nc"))
    expect(steps, f"{run}: has step files")
    index, names = check_file(run / "fields.nc", scratch)
    expect(len(index["step"]) == len(steps), f"{run}: the index has one record a step file")
    for record, path in enumerate(steps):
        held, held_names = check_file(path, scratch)
        expect(f"step-{held['step'][0]:09d}.nc" == path.name, f"{path}: step is {held['step']}")
        for name in ("step", "time"):
            expect(index[name][record] == held[name][0], f"{path}: {name} in the index")
        for name in names:
            values = index[name][record]
            if name in held_names:
                expect(same(values, held[name][0]), f"{path}: {name} in the index")
            else:
                expect(np.isnan(values).all(), f"{path}: {name} is missing, so NaN in the index")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for program in ("ncdump", "h5dump"):
        if shutil.which(program) is None:
            print(f"skipped: no {program} (packages netcdf-bin hdf5-tools)")
            sys.exit(77)
    run = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        for folder in (run, run.parent, pathlib.Path("/")):
            os.chdir(folder)
            check_run(run, scratch)
        os.chdir("/")
    print(f"{run}: {len(failures)} disagreements, engines {', '.join(engines())}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
