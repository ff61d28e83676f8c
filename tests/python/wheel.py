"""wheel.py [missing]: tries an installed wheel, which must name the libraries that are `missing`."""

import sys

import lapl
import numpy as np
import xarray

CONFIG = {"grid": {"shape": [16, 16]}, "boundary": "periodic", "equation": {"u": "laplacian(u)"},
          "initial": {"u": np.random.default_rng(1).random((16, 16))}, "time": {"step": 0.1, "steps": 20},
          "compute": {"backend": "cpu"}}
if sys.argv[1:] == ["missing"]:
    for use in (lapl.run, lapl.Simulation):
        try:
            use(CONFIG)
        except (lapl.LaplError, ImportError) as error:
            assert "lib" in str(error) and ".so" in str(error), error
            print(f"{type(error).__name__}: {error}")
        else:
            sys.exit(f"lapl.{use.__name__}: found every library (expected some to be missing)")
else:
    run, sim = lapl.run(CONFIG, output="run"), lapl.Simulation(CONFIG)
    sim.step(20)
    assert sim.digest == run.digest
    assert xarray.open_dataset("run").u.shape == (2, 16, 16)
    print(run.digest)
