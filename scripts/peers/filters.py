"""Correlations with zero edges."""
import json
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np

from . import common

# (input shape, window shape); inputs of one row are float64.
CASES = {
    "cuda": [((1000, 2000), (3, 3)), ((200, 200), (13, 13)), ((4096, 4096), (3, 3)),
             ((4096, 4096), (13, 13)), ((4096, 4096), (31, 31)), ((1, 1000000), (1, 5))],
    "cpu": [((2000, 2000), (3, 3)), ((2000, 2000), (13, 13)), ((2000, 2000), (31, 31)),
            ((1, 1000000), (1, 5))],
}  # fmt: skip


def measure(call, wait=lambda: None, queued=1, get=lambda result: result):
    """Result and seconds of a call, `queued` of which are started together."""
    result = [get(call())]
    call()

    def calls():
        for _ in range(queued):
            call()

    return result, common.median_seconds(calls, wait=wait) / queued


def with_torch(image, weights, backend):
    import torch

    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    x, w = (torch.from_numpy(a)[None, None].to(backend) for a in (image, weights))
    pad = (weights.shape[0] // 2, weights.shape[1] // 2)
    gpu = backend == "cuda"
    with torch.no_grad():
        return measure(lambda: torch.nn.functional.conv2d(x, w, padding=pad),
                       torch.cuda.synchronize if gpu else lambda: None, 50 if gpu else 1,
                       lambda result: result[0, 0].cpu().numpy())  # fmt: skip


def with_cupy(image, weights, backend):
    import cupy
    from cupyx.scipy import ndimage

    x, w = cupy.asarray(image), cupy.asarray(weights)
    return measure(lambda: ndimage.correlate(x, w, mode="constant"),
                   cupy.cuda.Device().synchronize, 50, cupy.asnumpy)  # fmt: skip


def with_scipy(image, weights, backend):
    from scipy import ndimage

    return measure(lambda: ndimage.correlate(image, weights, mode="constant"))


def with_opencv(image, weights, backend):
    import cv2

    if image.dtype != np.float32:
        raise common.Unsuitable("float32 alone")
    return measure(lambda: cv2.filter2D(image, -1, weights, borderType=cv2.BORDER_CONSTANT))


def with_numpy(image, weights, backend):
    if image.shape[0] != 1:
        raise common.Unsuitable("one-dimensional filters alone")
    return measure(lambda: np.convolve(image[0], weights[0, ::-1], "same")[None])


PEERS = {  # name: (function, backends)
    "numpy": (with_numpy, ["cpu"]),
    "scipy": (with_scipy, ["cpu"]),
    "opencv": (with_opencv, ["cpu"]),
    "torch": (with_torch, ["cpu", "cuda"]),
    "cupy": (with_cupy, ["cuda"]),
}


def with_lapl(program, image, weights, backend, folder):
    with h5py.File(folder / "in.h5", "w") as file:
        file["image"], file["weights"] = image, weights
    config = folder / "filter.yaml"
    config.write_text(
        "input: {path: in.h5, dataset: /image}\noutput: {path: out.h5}\n"
        "filter: {kind: correlate, kernel: {path: in.h5, dataset: /weights}, edge: constant}\n"
        f"compute: {{precision: {image.dtype}, backend: {backend}}}\n"
    )
    subprocess.run([program, "filter", config, "--overwrite", "--quiet"], check=True)
    with h5py.File(folder / "out.h5") as file:
        return file["filtered"][()]


def cases(options, backend):
    speed = pathlib.Path(options.lapl).parent / "lapl_filter_speed"
    if not speed.exists():
        print("\nfilters: build the target lapl_filter_speed first")
        return
    measured = subprocess.run([speed, backend, "--json"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout  # fmt: skip
    lines = [json.loads(line) for line in measured.splitlines()]
    random = np.random.default_rng(1)
    for shape, window in CASES[backend]:
        precision = np.float64 if shape[0] == 1 else np.float32
        image, weights = (random.random(size).astype(precision) for size in (shape, window))
        with tempfile.TemporaryDirectory() as folder:
            expected = with_lapl(options.lapl, image, weights, backend, pathlib.Path(folder))
        methods = [(line["method"], line["microseconds"] / 1e6) for line in lines
                   if (*line["shape"], *line["window"]) == (*shape, *window)
                   and not line["rank_one"]]  # fmt: skip
        # The possible rounding error of all terms, as in lapl bench; values are from 0 to 1.
        gate = (16 + weights.size) * np.finfo(precision).eps * weights.sum()
        yield common.Case(f"{window[0]} x {window[1]} on {shape[0]} x {shape[1]}, "
                          f"{np.dtype(precision).name}", image.size, methods, [expected], gate,
                          [image, weights, backend])  # fmt: skip
