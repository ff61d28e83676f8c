"""The runs under attack: one field, and an equation in formulas with everything that an output can hold."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Problem:
    """The configs of one problem. {{ and }} in `split` stand for one brace."""
    small: str  # two outputs between first and last, checkpoints mostly at other steps; takes an instant
    long: str  # about half a second, long enough to be killed or stopped midway
    split: str  # 200 steps in {precision}, from the field in the file {start}
    other: str  # another problem with the shape and steps of `small`


SMALL = """\
grid: {shape: [20, 30]}
equation: {coefficient: 0.25}
time: {steps: 60}
output: {directory: out, every: 20}
checkpoint: {every: 15, keep: 2}
"""
ONE_FIELD = Problem(
    small=SMALL,
    long="""\
grid: {shape: [60, 70]}
boundary: {rows: periodic, columns: insulated}
equation: {coefficient: 0.25}
time: {steps: 30000}
output: {directory: out, every: 7000}
checkpoint: {every: 500}
""",
    # Starts from a stored field, because that is the same on every backend.
    split="""\
grid: {{shape: [61, 83]}}
boundary: {{rows: zero, columns: insulated}}
initial: {{kind: hdf5, path: "{start}"}}
equation: {{coefficient: 0.25}}
compute: {{precision: {precision}}}
time: {{steps: 200}}
output: {{directory: out, every: 40}}
checkpoint: {{every: 40}}
""",
    other=SMALL.replace("0.25", "0.2"))

GRAY_SCOTT = """\
grid: {shape: [20, 30]}
fields: [u, v]
parameters: {Du: 0.16, Dv: 0.08, F: {formula: 0.03 + 0.0005 * x}, k: 0.06}
equation:
  kind: formula
  u: Du * laplacian(u) - u * v^2 + F * (1 - u)
  v: Dv * laplacian(v) + u * v^2 - (F + k) * v
boundary: {rows: periodic, columns: {first: {u: {value: 0.9 + 0.1 * sin(t)}, v: insulated}, last: insulated}}
initial:
  u: {kind: uniform, value: 1}
  v: {kind: formula, formula: "where((x - 15)^2 + (y - 10)^2 < 30, 0.25, 0) + 0.02 * random"}
time: {step: 1, steps: 60}
output:
  directory: out
  every: 20
  fields: [u, v, slope]
  derived: {slope: {formula: gradient_squared(u)}}
  integrals: {reaction: u * v^2}
  probes: {every: 7, at: {middle: [10, 15]}}
checkpoint: {every: 15, keep: 2}
"""


def gray_scott(shape: str, steps: int, output: int, checkpoint: str) -> str:
    return GRAY_SCOTT.replace("[20, 30]", shape).replace("steps: 60", f"steps: {steps}").replace(
        "every: 20", f"every: {output}").replace("every: 15, keep: 2", checkpoint)


TWO_FIELDS = Problem(
    small=GRAY_SCOTT,
    long=gray_scott("[60, 70]", 50000, 12000, "every: 900"),
    split=gray_scott("[61, 264]", 200, 40, "every: 40").replace("{", "{{").replace("}", "}}") +
    "compute: {{precision: {precision}}}\n",
    other=GRAY_SCOTT.replace("0.16", "0.12"))


def by_error(shape: str, scheme: str, until: str, output: int, checkpoint: str) -> str:
    return gray_scott(shape, 60, 20, checkpoint).replace(
        "{step: 1, steps: 60}", f"{{scheme: {scheme}, step: auto, {until}}}").replace(
        "every: 20", f"every: {{time: {output}}}")


SMALL_BY_ERROR = by_error("[20, 30]", "bs23, tolerance: 7e-4", "end: 60", 20, "every: 15, keep: 2")
BY_ERROR = Problem(
    small=SMALL_BY_ERROR,
    long=by_error("[60, 70]", "bs23, tolerance: 1e-3", "end: 2500", 600, "every: 60"),
    # A part of this run ends at a step. If it ended at a time, it would shorten its last steps.
    split=by_error("[61, 264]", "dopri5, tolerance: 1e-3", "steps: 200", 60, "every: 40").replace("{", "{{").replace(
        "}", "}}") + "compute: {{precision: {precision}}}\n",
    other=SMALL_BY_ERROR.replace("0.02 *", "0.02001 *"))  # it takes as many steps to each output


def masked(shape: str, steps: int, output: int, checkpoint: str) -> str:
    return gray_scott(shape, steps, output, checkpoint).replace(
        f"{{shape: {shape}}}", f"{{shape: {shape}, mask: {{formula: \"sin(x * y) + sin(x / 3) < 0.9\"}}}}").replace(
        "boundary: {rows", "boundary: {mask: {u: insulated, v: {value: 0.04 - 0.02 * cos(t)}}, rows").replace(
        "(F + k) * v", "(F + k) * v + 0.001 * noise")


MASKED = Problem(
    small=masked("[20, 30]", 60, 20, "every: 15, keep: 2"),
    long=masked("[60, 70]", 40000, 9000, "every: 900"),
    split=masked("[61, 264]", 200, 40, "every: 40").replace("{", "{{").replace("}", "}}") +
    "compute: {{precision: {precision}}}\n",
    other=masked("[20, 30]", 60, 20, "every: 15, keep: 2").replace("0.9", "0.8"))


def reaching(text: str) -> str:
    """With terms that read far, fluxes, and values that are replaced after each step."""
    return text.replace("equation:\n", "kernels: {near: {kernel: gaussian, size: 7, sigma: 1.5}}\nequation:\n").replace(
        "- u * v^2", "- u * v^2 + 0.01 * (convolve(near, u) - shift(u, 3, -2)) - 0.1 * flux(u^2 / 2, 0.1 * u, abs(u), weno5)"
    ).replace("+ u * v^2", "+ u * v^2 - advect(0.1, 0.05 * u, v, weno5)").replace(
        "boundary: {rows", "  after: {v: \"clamp(v, 0, 1)\"}\nboundary: {rows").replace(
        "{step: 1,", "{step: 0.5,")


REACHING = Problem(
    small=reaching(TWO_FIELDS.small),
    long=reaching(gray_scott("[60, 70]", 20000, 4500, "every: 450")),
    split=reaching(TWO_FIELDS.split.replace("{{", "{").replace("}}", "}").replace("{precision}", "@")).replace(
        "{", "{{").replace("}", "}}").replace("@", "{precision}"),
    other=reaching(TWO_FIELDS.other))


def by(scheme: str) -> Problem:
    return Problem(
        small=SMALL_BY_ERROR.replace("bs23", scheme),
        long=BY_ERROR.long.replace("bs23", scheme),
        split=BY_ERROR.split.replace("dopri5", scheme),
        other=BY_ERROR.other.replace("bs23", scheme))


EXACT = by("etdrk2")  # engine spectral takes these steps
IMPLICIT = by("imex")
SOLVED = by("sdirk2")


def volume(text: str) -> str:
    return text.replace("boundary: {rows", "boundary: {planes: {first: insulated, last: {derivative: 0.01 * cos(t)}}, rows"
                        ).replace("(y - 10)^2", "(y - 10)^2 + (z - 3)^2").replace("[10, 15]", "[3, 10, 15]")


THREE_AXES = Problem(
    small=volume(gray_scott("[6, 20, 30]", 60, 20, "every: 15, keep: 2")),
    long=volume(gray_scott("[14, 21, 30]", 8000, 2000, "every: 160")),
    split=volume(gray_scott("[7, 40, 136]", 200, 40, "every: 40")).replace("{", "{{").replace("}", "}}") +
    "compute: {{precision: {precision}}}\n",
    other=volume(GRAY_SCOTT.replace("0.16", "0.12").replace("[20, 30]", "[6, 20, 30]")))


# Compressed outputs differ in size, so each is laid out by itself.
COMPRESSED = Problem(*(text.replace("directory: out,", "directory: out, compression: 4, round: 1.0e-3,")
                       for text in dataclasses.astuple(ONE_FIELD)))
