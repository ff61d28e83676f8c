"""Writes tests/data/inputs: one array in the formats of other programs (README.md has the versions)."""
import pathlib

import h5py
import hdf5plugin
import netCDF4
import numpy as np
import tifffile
from scipy.io import netcdf_file

folder = pathlib.Path(__file__).parent / "inputs"
folder.mkdir(exist_ok=True)
numbers = (np.arange(48).reshape(6, 8) * 1000).astype(np.uint16)
stack = np.arange(4 * 6 * 8, dtype=np.uint16).reshape(4, 6, 8)


def tiff(name, values, **options):
    tifffile.imwrite(folder / f"{name}.tif", values, software=False, **options)


tiff("plain", numbers)
tiff("big-endian", numbers, byteorder=">", bigtiff=True)
tiff("lzw", numbers, compression="lzw", predictor=True)
tiff("tiles", numbers, tile=(16, 16), compression="deflate")
tiff("bytes", (numbers // 256).astype(np.uint8), compression="packbits")
tiff("signed", numbers.view(np.int16))
tiff("single", numbers.astype(np.float32) / 7)
tiff("half", numbers.astype(np.float16) / 9)
tiff("stack", stack, photometric="minisblack")
tiff("rgb", np.zeros((6, 8, 3), np.uint8))
tiff("bits", np.zeros((6, 8), bool))
with tifffile.TiffWriter(folder / "unequal.tif") as writer:
    writer.write(numbers, software=False)
    writer.write(numbers[:3], software=False)
text = "ImageJ=1.53\nimages=4\nslices=4\n"  # as ImageJ writes stacks of more than 4 GiB
tiff("imagej", stack[0], description=text, metadata=None)

for name, kind in (("classic", "NETCDF3_CLASSIC"), ("offset", "NETCDF3_64BIT_OFFSET"), ("data", "NETCDF3_64BIT_DATA")):
    with netCDF4.Dataset(folder / f"{name}.nc", "w", format=kind) as file:
        for dimension, size in (("time", None), ("y", 6), ("x", 8)):
            file.createDimension(dimension, size)
        time = file.createVariable("time", "f8", ("time",))
        packed = file.createVariable("packed", "i2", ("time", "y", "x"))
        packed.setncatts({"_Unsigned": "true", "scale_factor": 0.5})
        packed.set_auto_maskandscale(False)
        single = file.createVariable("single", "f4", ("y", "x"))
        part = file.createVariable("part", "i4", ("y", "x"))
        label = file.createVariable("label", "S1", ("x",))
        packed[0:3] = numbers.view(np.int16) + np.arange(3, dtype=np.int16)[:, None, None]
        time[:] = [0, 0.5, 1]
        single[:] = numbers / 3
        part[0:5] = np.arange(40).reshape(5, 8)  # the last row keeps the fill value
        label[:] = np.array(list("abcdefgh"), "S1")
with netcdf_file(folder / "scipy.nc", "w") as file:
    file.createDimension("y", 6)
    file.createDimension("x", 8)
    file.createVariable("field", "f8", ("y", "x"))[:] = numbers

np.savez(folder / "stored.npz", field=numbers, stack=stack)
np.savez_compressed(folder / "deflated.npz", field=np.asfortranarray(numbers, dtype=">f8"), stack=stack)

with h5py.File(folder / "h5py.h5", "w") as file:
    file["boolean"] = numbers > 24000
    file.create_dataset("lzf", data=numbers, compression="lzf")
    file.create_dataset("blosc", data=numbers, chunks=(6, 8), **hdf5plugin.Blosc())
    file.create_dataset("unknown", data=numbers, chunks=(6, 8), **hdf5plugin.LZ4())
