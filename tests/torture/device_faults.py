"""Failing calls of the CUDA runtime and of cuFFT (tests/cuda/device_faults.cpp, linked into a second lapl)."""
import json
import pathlib

from harness import AUTO_RESUME, RUN, Skipped, Torture, Trial, sample
from run_folders import expect

# Uses every GPU operation of a run: initial field, engine, filters, Laplacian, capture. All checkpoints are kept. A
# direct filter gives the same bits without a GPU.
CONFIG = """\
grid: {{shape: [60, 70]}}
equation: {{coefficient: 0.25}}
time: {{steps: 60}}
compute: {{engine: {engine}}}
output: {{directory: out, every: 20, fields: [field, laplacian]}}
checkpoint: {{every: 15, keep: 99}}
filters: [{{name: smooth, kernel: gaussian, sigma: 1, method: direct}}]
limits: {{check_finite_every: 10}}
"""
WITHOUT_THE_DEVICE = ("--backend", "cpu", "--set", "compute.engine=auto")
ENGINES = ("resident", "streaming", "tile", "auto", "spectral")


def checkpoint_digests(torture: Torture, run: pathlib.Path) -> dict[str, str]:
    """The state digest of every checkpoint, each read and verified."""
    digests = {}
    for file in sorted(run.glob("checkpoints/step-*.h5")):
        ended = torture.run(run, "inspect", "--json", str(file))
        expect(ended.code == 0, f"{file.name} is not valid: {ended}")
        digests[file.name] = json.loads(ended.out)["digest"]
    return digests


def trial(torture: Torture, faulty: Torture, config: str, good: dict[str, str], at: int, for_ever: bool) -> Trial:
    """`good`: the digests of the uninterrupted run's checkpoints."""
    def run(folder: pathlib.Path) -> None:
        (folder / "c.yaml").write_text(config)
        ended = faulty.run_program(folder, *RUN, environment={
            "LAPL_DEVICE_FAULT_AT": str(at), "LAPL_DEVICE_FAULT_FOR_EVER": str(int(for_ever))})
        # A call that fails after the run is complete is reported and has no other effect.
        if ended.code == 0:
            torture.check_complete(folder / "out", config)
        else:
            expect(ended.code == 5, str(ended))
            expect("error:" in ended.err, f"no reason is given: {ended}")
        stored = checkpoint_digests(torture, folder / "out")
        for name, digest in stored.items():
            expect(good.get(name) == digest, f"{name} has digest {digest}, not {good.get(name)}")
        # If the device remains lost, the run continues on the CPU, provided that there is a checkpoint and the CPU
        # gives the same bits.
        without = for_ever and stored and "engine: spectral" not in config
        torture.check_resumes(folder, config, *AUTO_RESUME, *(WITHOUT_THE_DEVICE if without else ()))

    return Trial(f"call {at}{' and every later one' if for_ever else ''} of {config.split('engine: ')[1][:9]}", run)


def calls_of(faulty: Torture, config: str) -> int:
    """The number of calls of an undisturbed run."""
    folder = faulty.new_folder()
    (folder / "c.yaml").write_text(config)
    ended = faulty.run_program(folder, *RUN, environment={"LAPL_DEVICE_FAULT_COUNT": str(folder / "calls")})
    expect(ended.code == 0, f"the run without faults: {ended}")
    calls = int((folder / "calls").read_text())
    expect(calls > 20, f"only {calls} calls were seen")
    return calls


def at_every_call(torture: Torture, count: int | None) -> list[Trial]:
    program = torture.program.parent / "lapl_device_faults"
    if not program.exists():
        raise Skipped("CUDA was not compiled in")
    torture = Torture(torture.program, "cuda", torture.scratch, torture.problem)
    if "no CUDA device" in torture.run_program(torture.scratch, "bench", "--backend", "cuda", "--shape", "8", "8").err:
        raise Skipped("no CUDA device was found")
    faulty = Torture(program, "cuda", torture.scratch, torture.problem)
    trials = []
    for engine in ENGINES:
        config = CONFIG.format(engine=engine)
        good = checkpoint_digests(torture, torture.reference(config).folder)
        trials += [trial(torture, faulty, config, good, at, for_ever)
                   for at in range(1, calls_of(faulty, config) + 1) for for_ever in (False, True)]
    return sample(trials, count)
