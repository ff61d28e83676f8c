#!/usr/bin/env python3
"""Reads a run's files and what lapl export made of them with other people's software.

    check_readers.py READER FOLDER

FOLDER is what tests/readers/make_files makes; READER is one of those at the end of this file.
Each reader's values must be those of the reference to the bit, whatever the current folder: h5py for
the HDF5 files, the .npy files for VTK and ParaView. Exit status 0 where they are, 1 where not, 77
(skipped) where the reader is not installed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

TIMES = [0, 2.5, 5, 6.25]  # times of the outputs of make_files
failures = []
compared = 0


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def expect(condition, what):
    global compared
    compared += 1
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def same(a, b):
    """True for equal type, shape and values; NaN equals NaN."""
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=True)


def hdf5_files(folder):
    """The index, every step file, and the exported files."""
    files = []
    for run in ("run", "packed", "cube", "flat", "line"):
        steps = sorted(folder.glob(f"{run}/fields/step-*.nc"))
        expect(len(steps) == 4, f"{folder}/{run}: has four step files")
        files += [folder / run / "fields.nc", *steps]
    return files + [folder / f"{name}.nc" for name in ("all", "one", "row", "cube", "flat", "line")]


def held_by(path):
    """The names of the fields (every dataset of the root group) and their axes, as h5py reads them."""
    with h5py.File(path, "r") as file:
        names = [name for name, item in file.items()
                 if isinstance(item, h5py.Dataset) and item.ndim > 1]
        expect(names, f"{path}: has fields")
        axes = ["time", *[name for name in ("z", "y", "x") if name in file]]
        return names, {name: file[name][...] for name in names + ["step"] + axes}, tuple(axes)


def check_h5py(folder):
    """Checks the reference itself: axes, VTKHDF, and that all files agree."""
    for path in hdf5_files(folder):
        names, held, axes = held_by(path)
        with h5py.File(path, "r") as file:
            spacing = file.attrs["lapl_grid_spacing"] * np.ones(len(axes) - 1)
            for axis, step in zip(axes[1:], spacing):
                expect(np.array_equal(held[axis], step * np.arange(len(held[axis]))), f"{path}: {axis}")
            for name in names:
                scales = [dimension[0].name for dimension in file[name].dims]
                expect(scales == [f"/{axis}" for axis in axes], f"{path}: scales of {name} are {scales}")
                if "VTKHDF" in file:
                    image = file[f"VTKHDF/PointData/{name}"][...]
                    expect(same(image.ravel(), held[name].ravel()), f"{path}: {name} as VTKHDF")
                real = path.name != "fields.nc"
                expect(file[name].is_virtual != real, f"{path}: {name} holds its values")
            if len(held["time"]) > 1 and "VTKHDF" in file:
                steps = file["VTKHDF/Steps"]
                expect(steps.attrs["NSteps"] == len(held["time"]), f"{path}: NSteps")
                expect(same(steps["Values"][...], held["time"]), f"{path}: Values")
        if path.parent.parent.name == "packed" and path.name != "fields.nc":
            with h5py.File(path, "r") as file:
                expect(file["field"].compression == "gzip" and file["field"].shuffle, f"{path}: is compressed")
    for run, exported, count in (("run", "all", 2), ("packed", "all", 2), ("cube", "cube", 3), ("line", "line", 1)):
        _, index, axes = held_by(folder / run / "fields.nc")
        _, series, _ = held_by(folder / f"{exported}.nc")
        expect(len(axes) == 1 + count, f"{run}: has {count} axes and time")
        for name, values in index.items():
            expect(same(series[name], values), f"{run}: {name} exported and in the index")
        for record, path in enumerate(sorted(folder.glob(f"{run}/fields/step-*.nc"))):
            names, held, _ = held_by(path)
            expect(f"step-{held['step'][0]:09d}.nc" == path.name, f"{path}: step is {held['step']}")
            for name in names + ["step", "time"]:
                expect(same(index[name][record], held[name][0]), f"{path}: {name} in the index")


def check_numpy(folder):
    _, series, _ = held_by(folder / "all.nc")
    for run in ("row", "cube", "flat", "line"):
        _, held, _ = held_by(folder / f"{run}.nc")
        expect(same(np.load(folder / f"{run}-field.npy"), held["field"]), f"{run}-field.npy")
        raw = np.fromfile(folder / f"{run}-field.raw", held["field"].dtype.newbyteorder("<"))
        expect(same(raw.reshape(held["field"].shape), held["field"]), f"{run}-field.raw")
        if run == "cube":
            table = np.genfromtxt(folder / "cube-field.csv", delimiter=",", names=True)
            values = held["field"][-1]
            expect(table.dtype.names[2:] == ("plane", "row", "column", "field"), "cube-field.csv: head")
            at = tuple(table[axis].astype(int) for axis in ("plane", "row", "column"))
            expect(np.array_equal(table["field"].astype("f4"), values[at]) and len(table) == values.size,
                   "cube-field.csv")
    for name in ("field", "laplacian"):
        values = series[name]
        expect(same(np.load(folder / f"{name}.npy"), values), f"{name}.npy")
        raw = np.fromfile(folder / f"{name}.raw", values.dtype.newbyteorder("<"))
        expect(same(raw.reshape(values.shape), values), f"{name}.raw")
        expect(same(np.load(folder / f"{name}-one.npy"), values[-1]), f"{name}-one.npy")
    table = np.genfromtxt(folder / "field.csv", delimiter=",", names=True)
    expect(np.array_equal(table["field"].astype("f4"), series["field"].ravel()), "field.csv")
    expect(np.array_equal(table["column"].reshape(series["field"].shape)[0, 0],
                          series["x"] / (series["x"][1] - series["x"][0])), "columns of field.csv")


def check_sweep(folder, engine, name, keys):
    """Each member's file has its values; the exported files have each member at its place, else NaN."""
    for path in (folder / f"{name}.nc", folder / name / "linked.nc"):
        with xarray.open_dataset(path, engine=engine) as whole:
            found = 0
            over = "time" if name == "sweep" else "output"
            expect(whole.field.dims == (*keys, over, "y", "x"), f"{path}: dimensions {whole.field.dims}")
            for member in sorted(folder.glob(f"{name}/*/fields.nc")):
                with xarray.open_dataset(member, engine=engine) as run:
                    at = {key: run[key].item() for key in keys}
                    expect(set(keys) <= set(run.field.coords), f"{member}: coordinates {list(run.field.coords)}")
                    chosen = whole.sel({"boundary": at["boundary"]}).sel({keys[1]: at[keys[1]]})
                    expect(same(chosen.field.values, run.field.values), f"{path}: {at}")
                    expect(np.array_equal(chosen.time.values, run.time.values), f"{path}: times of {at}")
                    expect(np.array_equal(chosen.step.values, run.step.values), f"{path}: steps of {at}")
                    expect(chosen.status.item() == "complete", f"{path}: status of {at}")
                    found += 1
            expect(found == 4, f"{name}: {found} members with outputs")
            missing = whole.field.isnull().all(dim=(over, "y", "x")).sum().item()
            expect(missing == (2 if name == "sweep" else 0), f"{path}: {missing} members are missing")


def check_xarray(engine):
    def check(folder):
        check_sweep(folder, engine, "sweep", ("boundary", "value"))
        check_sweep(folder, engine, "uneven", ("boundary", "coefficient"))
        for path in hdf5_files(folder):
            names, held, axes = held_by(path)
            with xarray.open_dataset(path, engine=engine) as dataset:
                for name, values in held.items():
                    expect(same(dataset[name].values, values), f"{path}: {name} by xarray")
                for name in names:
                    expect(dataset[name].dims == axes, f"{path}: axes of {name}")
                if names:
                    expect("step" in dataset[names[0]].coords, f"{path}: step as a coordinate")
                named = "cube" in str(path.relative_to(folder))  # no other run names units
                for name, unit in (("time", "s"), ("x", "m"), ("step", None), (names[0], "K")):
                    found = dataset[name].attrs.get("units")
                    expect(found == (unit if named else None), f"{path}: {name} in {found}")
                words = (names[0], None) if not named else ("temperature", "air_temperature")
                found = dataset[names[0]].attrs
                expect((found["long_name"], found.get("standard_name")) == words, f"{path}: {found}")
    return check


def check_ncdump(folder):
    for path in hdf5_files(folder):
        names, held, _ = held_by(path)
        for name in names:
            text = subprocess.run(["ncdump", "-p", "9,17", "-v", name, str(path)], check=True,
                                  capture_output=True, text=True).stdout
            data = re.search(rf"\n\s*{name} =(.*?);", text[text.index("data:"):], re.S).group(1)
            flat = held[name].ravel()
            # ncdump writes a NaN of float32 as NaNf
            words = [word.removesuffix("f") for word in data.replace(",", " ").split()]
            expect(same(np.array([flat.dtype.type(word) for word in words], flat.dtype), flat),
                   f"{path}: {name}")


def check_h5dump(folder):
    out = folder / "values.bin"
    for path in hdf5_files(folder):
        names, held, _ = held_by(path)
        for name in names:
            subprocess.run(["h5dump", "-d", f"/{name}", "-b", "LE", "-o", str(out), str(path)],
                           check=True, capture_output=True)
            flat = held[name].ravel()
            expect(same(np.fromfile(out, flat.dtype.newbyteorder("<")), flat), f"{path}: {name}")


def expect_image(image, folder, record, names, what, spacing=(0.5, 0.5)):
    """Compares a vtkImageData with the .npy files."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    for name in names:
        values = np.load(folder / f"{name}.npy")[record]
        array = image.GetPointData().GetArray(name.split("-")[-1])
        expect(array is not None, f"{what}: has {name}")
        if array is not None:
            expect(same(vtk_to_numpy(array), values.ravel()), f"{what}: {name}, record {record}")
        nodes = (*reversed(values.shape), 1, 1)[:3]
        expect(image.GetDimensions() == nodes, f"{what}: {image.GetDimensions()} nodes, not {nodes}")
    expect(image.GetSpacing()[:len(spacing)] == spacing, f"{what}: spacing {image.GetSpacing()}")
    expect(image.GetOrigin() == (0, 0, 0), f"{what}: origin {image.GetOrigin()}")


def check_vtk(folder):
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
    from vtkmodules.vtkIOHDF import vtkHDFReader
    version = vtkVersion()
    if (version.GetVTKMajorVersion(), version.GetVTKMinorVersion()) < (9, 3):
        skip(f"VTK {version.GetVTKVersion()} reads no flat VTKHDF images, 9.3 does")

    def images(path):
        reader = vtkHDFReader()
        expect(reader.CanReadFile(str(path)), f"{path}: VTK can read it")
        reader.SetFileName(str(path))
        reader.UpdateInformation()
        times = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
        for time in times or [None]:
            if time is None:
                reader.Update()
            else:
                reader.UpdateTimeStep(time)
            yield time, reader.GetOutputDataObject(0)

    both = ["field", "laplacian"]
    even, cube = (0.5, 0.5), (0.5, 0.5, 1)
    runs = {"run": ("all", both, even), "packed": ("all", both, even), "row": ("row", ["row-field"], even),
            "cube": ("cube", ["cube-field"], cube), "flat": ("flat", ["flat-field"], (0.5, 0.5, 0.5)),
            "line": ("line", ["line-field"], (0.5,))}
    for run, (name, fields, spacing) in runs.items():
        for record, path in enumerate(sorted(folder.glob(f"{run}/fields/step-*.nc"))):
            for _, image in images(path):
                expect_image(image, folder, record, fields, path, spacing)
        times = []
        for record, (time, image) in enumerate(images(folder / f"{name}.nc")):
            times.append(time)
            expect_image(image, folder, record, fields, f"{name}.nc", spacing)
        expect(times == TIMES, f"{name}.nc: times {times}")
    for record, (_, image) in enumerate(images(folder / "cube.vtkhdf")):
        expect_image(image, folder, record, ["cube-field"], "cube.vtkhdf", cube)
    for _, image in images(folder / "one.nc"):
        expect_image(image, folder, -1, both, "one.nc")


def check_paraview(folder):
    from paraview import servermanager, simple
    readers = [(simple.NetCDFReader(FileName=[str(folder / name)]), name, ["field", "laplacian"])
               for name in ("run/fields.nc", "all.nc")]
    readers += [(simple.NetCDFReader(FileName=[str(folder / name)]), name, ["cube-field"])
                for name in ("cube/fields.nc", "cube.nc")]
    for name in ("field", "laplacian", "row-field", "cube-field", "flat-field", "line-field"):
        path = str(folder / f"{name}.xdmf")  # absolute, because Xdmf3 treats a bare name as a folder
        readers += [(simple.XDMFReader(FileNames=[path]), path, [name]),
                    (simple.Xdmf3ReaderT(FileName=[path]), f"{path} by Xdmf3", [name])]
    for reader, what, names in readers:
        reader.UpdatePipelineInformation()
        times = list(reader.TimestepValues)
        expect(times == TIMES, f"{what}: times {times}")
        for record, time in enumerate(times):
            reader.UpdatePipeline(time)
            spacing = (0.5, 0.5, 1) if "cube" in what else (0.5, 0.5)
            image = servermanager.Fetch(reader)
            if image.IsA("vtkMultiBlockDataSet"):
                image = image.GetBlock(0)
            expect_image(image, folder, record, names, f"ParaView, {what}", spacing)


# For each reader its modules, its programs, and their packages.
readers = {
    "h5py": (check_h5py, ["h5py"], [], "python3-h5py"),
    "numpy": (check_numpy, ["h5py"], [], "python3-h5py"),
    "netcdf4": (check_xarray("netcdf4"), ["h5py", "xarray", "netCDF4"], [],
                "python3-h5py python3-xarray python3-netcdf4"),
    "h5netcdf": (check_xarray("h5netcdf"), ["h5py", "xarray", "h5netcdf"], [],
                 "python3-h5py python3-xarray python3-h5netcdf"),
    "ncdump": (check_ncdump, ["h5py"], ["ncdump"], "python3-h5py netcdf-bin"),
    "h5dump": (check_h5dump, ["h5py"], ["h5dump"], "python3-h5py hdf5-tools"),
    "vtk": (check_vtk, ["vtkmodules.vtkIOHDF"], [], "python3-vtk9, or pip's vtk"),
    "paraview": (check_paraview, ["paraview"], [], "paraview python3-paraview"),
}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in readers:
        sys.exit(__doc__)
    check, modules, programs, packages = readers[sys.argv[1]]
    try:
        for module in ["numpy", *modules]:
            globals()[{"numpy": "np"}.get(module, module)] = __import__(module)
    except ImportError as error:
        skip(f"{error} ({packages})")
    for program in programs:
        if shutil.which(program) is None:
            skip(f"no {program} ({packages})")
    folder = pathlib.Path(sys.argv[2]).resolve()
    for current in (folder / "run", pathlib.Path("/")):
        os.chdir(current)
        check(folder)
    print(f"{sys.argv[1]}: {compared} comparisons, {len(failures)} disagreements")
    sys.exit(1 if failures or compared == 0 else 0)


if __name__ == "__main__":
    main()
