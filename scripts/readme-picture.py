#!/usr/bin/python3
"""readme-picture.py RUN_DIR OUT.png: the picture of the README, from the outputs of a tutorial run.

Needs h5py, xarray, netCDF4 and matplotlib (Debian: python3-NAME).
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import xarray as xr

run = xr.open_dataset(f"{sys.argv[1]}/fields.nc")
first, last, laplacian = run.field[0], run.field[-1], run.laplacian[-1]
# With coefficient 1/4 a checkerboard of single cells does not decay (docs/numerics.md): averaged out.
laplacian = laplacian.coarsen(y=8, x=8).mean()
low, high = laplacian.quantile([0.02, 0.98]).values
limit = max(-low, high)

figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
panels = (
    (first, dict(cmap="viridis"), f"field, step {int(run.step[0])}"),
    (last, dict(cmap="viridis"), f"field, step {int(run.step[-1])}"),
    (laplacian, dict(cmap="RdBu_r", vmin=-limit, vmax=limit), f"Laplacian, step {int(run.step[-1])}, mean of 8 x 8 cells"),
)
for axis, (values, options, title) in zip(axes, panels):
    picture = axis.imshow(values, origin="lower", extent=(0, 2000, 0, 2000), **options)
    axis.set_title(title)
    axis.set_xlabel("x")
    axis.set_ylabel("y")
    figure.colorbar(picture, ax=axis, shrink=0.8)
figure.savefig(sys.argv[2], dpi=80)
