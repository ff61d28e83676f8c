"""start_job.py PEER FOLDER STEPS EVERY cpu|cuda: steps FOLDER/first.npy by diffusion (zero boundary, coefficient
1/4) as a user of that library writes it, and stores field and Laplacian every EVERY steps in FOLDER/out."""
import pathlib
import sys

import h5py
import numpy as np

COEFFICIENT = np.float32(0.25)


def laplacian_by(pad):
    def laplacian(u):
        p = pad(u, 1)
        return (p[1:-1, :-2] + p[1:-1, 2:]) + (p[:-2, 1:-1] + p[2:, 1:-1]) - 4 * u

    return laplacian


def stepping(u, steps, laplacian):
    for _ in range(steps):
        u = u + COEFFICIENT * laplacian(u)
    return u


def numpy_peer(_):
    laplacian = laplacian_by(np.pad)
    return np.asarray, lambda u, steps: stepping(u, steps, laplacian), laplacian, np.asarray


def cupy_peer(_):
    import cupy

    laplacian = laplacian_by(cupy.pad)
    return cupy.asarray, lambda u, steps: stepping(u, steps, laplacian), laplacian, cupy.asnumpy


def jax_peer(backend):
    import jax

    device = jax.devices("gpu" if backend == "cuda" else "cpu")[0]
    laplacian = jax.jit(laplacian_by(jax.numpy.pad))
    advance = jax.jit(lambda u, steps: jax.lax.fori_loop(
        0, steps, lambda _, u: u + COEFFICIENT * laplacian(u), u))  # fmt: skip
    return lambda u: jax.device_put(u, device), advance, laplacian, np.asarray


def numba_peer(_):
    import numba

    @numba.njit(parallel=True, cache=True)
    def step(p, q):
        for r in numba.prange(1, p.shape[0] - 1):
            for c in range(1, p.shape[1] - 1):
                s = (p[r, c - 1] + p[r, c + 1]) + (p[r - 1, c] + p[r + 1, c])
                q[r, c] = p[r, c] + COEFFICIENT * (s - np.float32(4) * p[r, c])

    def advance(u, steps):
        p, q = np.pad(u, 1), np.pad(u, 1)
        for _ in range(steps):
            step(p, q)
            p, q = q, p
        return p[1:-1, 1:-1]

    return np.asarray, advance, laplacian_by(np.pad), np.asarray


def run_py_pde(first, folder, steps, every):
    import pde

    grid = pde.CartesianGrid([[0, n] for n in first.shape], first.shape)
    bc = {"virtual_point": 0}
    equation = pde.PDE({"u": f"{COEFFICIENT} * laplace(u)"}, bc=bc)
    storage = pde.FileStorage(folder / "all.h5", write_mode="truncate")
    both = storage.tracker(every, transformation=lambda u: pde.FieldCollection([u, u.laplace(bc)]))
    equation.solve(pde.ScalarField(grid, first, dtype=np.float32), t_range=steps, dt=1, tracker=both,
                   solver="euler", backend="numba")  # fmt: skip


PEERS = {"numpy": numpy_peer, "numba": numba_peer, "jax": jax_peer, "cupy": cupy_peer}


def main(name, parent, steps, every, backend):
    first, folder = np.load(pathlib.Path(parent) / "first.npy"), pathlib.Path(parent) / "out"
    folder.mkdir()
    if name == "py-pde":
        return run_py_pde(first, folder, steps, every)
    put, advance, laplacian, get = PEERS[name](backend)
    u = put(first)
    for step in range(0, steps + 1, every):
        if step > 0:
            u = advance(u, every)
        with h5py.File(folder / f"{step:09d}.h5", "w") as file:
            file["field"], file["laplacian"] = get(u), get(laplacian(u))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
