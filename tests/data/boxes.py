"""Equations and initial fields on one and three axes, like those of equations.py on two."""
from types import SimpleNamespace

import numpy as np
from finite_differences import PERIODIC, euler, heun, rk4
from numpy import cos, exp, pi, sin, where


class Box:
    """A grid of nodes at (z, y, x) = (k, j, i) times the spacings, or at x alone; fields are arrays of its shape."""

    def __init__(self, *shape, spacing=None):
        self.shape, self.h = shape, spacing or [1.0] * len(shape)
        self.along = [h * np.arange(n) for n, h in zip(shape, self.h)]
        self.__dict__.update(vars(self.place(self.along)))

    def place(self, along):
        """Arrays z, y, x of the positions along each axis."""
        axes = len(self.shape)
        return SimpleNamespace(**{"zyx"[3 - axes + axis]: np.reshape(at, [-1 if a == axis else 1 for a in range(axes)])
                                  for axis, at in enumerate(along)})

    def random(self, seed=3966789):
        return np.random.default_rng(seed).random(self.shape)

    def ghosts(self, u, *faces):
        """u with the nodes just outside: along columns first, then rows, then planes. A face is called with (inside,
        spacing, place of the node outside, place of the face)."""
        along = list(self.along)
        for axis in reversed(range(u.ndim)):
            h, last = self.h[axis], len(self.along[axis]) - 1
            inside = np.take(u, [0], axis), np.take(u, [-1], axis)
            if faces[axis] is PERIODIC:
                outside = inside[::-1]
            else:
                def place(index):
                    return self.place(along[:axis] + [[index * h]] + along[axis + 1:])
                outside = [condition(near, h, place(index), place(face)) for condition, near, index, face in
                           zip(faces[axis], inside, (-1, last + 1), (-0.5, last + 0.5))]
            u = np.concatenate([outside[0], u, outside[1]], axis)
            along[axis] = h * np.arange(-1, last + 2)
        return u

    def with_fluxes(self, formula, rows):
        """A coefficient: at the last planes and columns, where fluxes flow in, it has its value at the face."""
        def at_face(inside, h, place, face):
            return 2 * formula(face) - inside

        return self.ghosts(formula(self), (EVEN[0], at_face), rows, (EVEN[1], at_face))

    # Operators on arrays that `ghosts` returns; axis -1 is x.

    def beside(self, e, **by):
        """e at neighbouring nodes: beside(e, x=1) is one node on along x."""
        steps = [by.get(name, 0) for name in "zyx"[-e.ndim:]]
        return e[tuple(slice(1 + step, n - 1 + step) for step, n in zip(steps, e.shape))]

    def spacing(self, name):
        return self.h["zyx".index(name) - 3]

    def first(self, e, a):
        return (self.beside(e, **{a: 1}) - self.beside(e, **{a: -1})) / (2 * self.spacing(a))

    def second(self, e, a):
        return (self.beside(e, **{a: 1}) - 2 * self.beside(e) + self.beside(e, **{a: -1})) / self.spacing(a) ** 2

    def mixed(self, e, a, b):
        corner = {(i, j): self.beside(e, **{a: i, b: j}) for i in (-1, 1) for j in (-1, 1)}
        return ((corner[1, 1] - corner[1, -1] - corner[-1, 1] + corner[-1, -1])
                / (4 * self.spacing(a) * self.spacing(b)))

    def names(self):
        return "zyx"[-len(self.shape):]

    def laplacian(self, e):
        return sum(self.second(e, a) for a in self.names())

    def gradient_squared(self, e):
        return sum(self.first(e, a) ** 2 for a in self.names())

    def flux_divergence(self, D, e):
        total = 0
        for a in self.names():
            right, left = ((self.beside(D) + self.beside(D, **{a: by})) / 2 * (self.beside(e, **{a: by}) - self.beside(e))
                           for by in (1, -1))
            total = total + (right + left) / self.spacing(a) ** 2
        return total

    def upwind(self, speeds, e):
        """First-order upwind differences; speeds along x come first."""
        total = 0
        for a, c in zip("xyz", speeds):
            back, on = self.beside(e) - self.beside(e, **{a: -1}), self.beside(e, **{a: 1}) - self.beside(e)
            total = total + c * where(c > 0, back, on) / self.spacing(a)
        return total

    def advect(self, speeds, e, *faces):
        """Fluxes with van Leer's slopes. Speeds have ghosts, as e; the slopes have these faces."""
        total = 0
        for a, c in zip("xyz", speeds):
            back, on = self.beside(e) - self.beside(e, **{a: -1}), self.beside(e, **{a: 1}) - self.beside(e)
            alike = back * on > 0
            slope = where(alike, 2 * back * on / where(alike, back + on, 1), 0)
            slope, c = self.ghosts(slope, *faces), c + 0 * e

            def flux(first, last):
                mean = (self.beside(c, **{a: first}) + self.beside(c, **{a: last})) / 2
                return mean * where(mean > 0, self.beside(e + slope / 2, **{a: first}), self.beside(e - slope / 2, **{a: last}))

            total = total + (flux(0, 1) - flux(-1, 0)) / self.spacing(a)
        return total


def value(g):
    return lambda inside, h, outside, face: g(outside) + 0 * inside


def derivative(q):
    return lambda inside, h, outside, face: inside + h * q(face)


def mixed(v, f):
    return lambda inside, h, outside, face: ((1 / h - f / 2) * inside + v(face)) / (1 / h + f / 2)


ZERO, EVEN = [value(lambda p: 0)] * 2, [derivative(lambda p: 0)] * 2
FACES = {"zero": ZERO, "insulated": EVEN, "periodic": PERIODIC}


def diffusion(name, shape, words, spacing=None, D=None, dt=None, steps=50):
    """Built-in diffusion, with faces given by name."""
    names = ["planes", "rows", "columns"][-len(shape):]

    def made():
        grid = Box(*shape, spacing=spacing)
        step = lambda state, t: np.array([D * grid.laplacian(grid.ghosts(state[0], *(FACES[w] for w in words)))])
        return {"field": euler(step, np.array([grid.random()]), dt, steps)}

    number = (f"{{kind: diffusion, diffusivity: {D}}}\ntime: {{step: {dt}, steps: {steps}}}" if spacing
              else f"{{kind: diffusion, coefficient: {D * dt}}}\ntime: {{steps: {steps}}}")
    made.__name__ = name
    made.__doc__ = (f"grid: {{shape: {list(shape)}, spacing: {spacing or 1}}}\nequation: {number}\n"
                    f"boundary: {{{', '.join(f'{n}: {w}' for n, w in zip(names, words))}}}\n"
                    "initial: {kind: formula, formula: random}\n")
    return made


def box_conditions():
    """
    grid: {shape: [12, 10, 14], spacing: [0.5, 1, 0.25]}
    parameters: {D: 0.3, s: {formula: "exp(-(z - 2)^2 - (y - 4)^2 / 4 - (x - 1)^2)"}}
    equation:
      kind: formula
      field: D * laplacian(field) + s
    boundary:
      planes: {first: {value: 0.1 * x * y + sin(t)}, last: {derivative: 0.2 * cos(t) + 0.1 * x}}
      rows: {first: {mixed: {value: 0.3 * z, factor: 0.4}}, last: insulated}
      columns: {first: {derivative: 0.1 * z - 0.05 * y}, last: {value: 0.5}}
    initial: {kind: formula, formula: random}
    time: {step: 0.02, steps: 50, scheme: rk4}
    """
    grid = Box(12, 10, 14, spacing=[0.5, 1.0, 0.25])
    s = exp(-((grid.z - 2) ** 2) - (grid.y - 4) ** 2 / 4 - (grid.x - 1) ** 2)

    def rate(state, t):
        planes = value(lambda p: 0.1 * p.x * p.y + sin(t)), derivative(lambda p: 0.2 * cos(t) + 0.1 * p.x)
        rows = mixed(lambda p: 0.3 * p.z, 0.4), derivative(lambda p: 0)
        columns = derivative(lambda p: 0.1 * p.z - 0.05 * p.y), value(lambda p: 0.5)
        return np.array([0.3 * grid.laplacian(grid.ghosts(state[0], planes, rows, columns)) + s])

    return {"field": rk4(rate, np.array([grid.random()]), dt=0.02, steps=50)}


def box_operators():
    """
    grid: {shape: [7, 9, 8], spacing: [1, 0.5, 0.8]}
    fields: [u]
    parameters: {D: {formula: 0.2 + 0.1 * sin(x + z) * cos(y)}}
    equation:
      kind: formula
      u: divergence(D * gradient(u)) + 0.05 * d2_dxdz(u) - 0.04 * d2_dydz(u + 0.1 * x * y * z) + 0.03 * d2_dz2(u^2)
        - 0.1 * u * d_dz(u) - upwind(0.3, -0.2 * cos(t), 0.1 + u, u) - 0.02 * gradient_squared(u)
    boundary:
      planes: {first: {value: 0.2 * x - 0.1 * y}, last: {mixed: {value: 0.5, factor: 1}}}
      rows: periodic
      columns: {first: insulated, last: {derivative: 0.1 * sin(t)}}
    initial: {kind: formula, formula: random}
    time: {step: 0.02, steps: 50, scheme: rk4}
    """
    grid = Box(7, 9, 8, spacing=[1.0, 0.5, 0.8])
    D = grid.with_fluxes(lambda p: 0.2 + 0.1 * sin(p.x + p.z) * cos(p.y), PERIODIC)
    # Beyond a periodic face, y is that of the node at the opposite end.
    y = 0.5 * np.array([8, *range(9), 0])[None, :, None]
    z, x = np.arange(-1, 8)[:, None, None], 0.8 * np.arange(-1, 9)[None, None, :]

    def rate(state, t):
        planes = value(lambda p: 0.2 * p.x - 0.1 * p.y), mixed(lambda p: 0.5, 1)
        columns = derivative(lambda p: 0), derivative(lambda p: 0.1 * sin(t))
        inside = state[0]
        u = grid.ghosts(inside, planes, PERIODIC, columns)
        # Boundary conditions, too, take y from the opposite end.
        u[0, [0, -1]] = u[0, [-2, 1]]
        return np.array([grid.flux_divergence(D, u) + 0.05 * grid.mixed(u, "x", "z")
                         - 0.04 * grid.mixed(u + 0.1 * x * y * z, "y", "z") + 0.03 * grid.second(u**2, "z")
                         - 0.1 * inside * grid.first(u, "z")
                         - grid.upwind((0.3, -0.2 * cos(t), 0.1 + inside), u) - 0.02 * grid.gradient_squared(u)])

    return {"u": rk4(rate, np.array([grid.random()]), dt=0.02, steps=50)}


def plane_transport():
    """
    grid: {shape: [15, 18], spacing: [0.5, 0.7]}
    fields: [u, v]
    parameters: {c: {formula: sin(x) - 0.3 * cos(y)}}
    equation:
      kind: formula
      u: -advect(c, 0.4 * u - 0.5 * x * cos(t), u - 0.02 * laplacian(u))
      v: -advect(-0.3, 0.2, 2 * v^2) - 0.1 * advect(d_dy(u), -v, u * v)
    boundary:
      rows: {first: {value: 0.5 + 0.1 * x}, last: {derivative: 0.1 * sin(t)}}
      columns: periodic
    initial:
      u: {kind: formula, formula: random}
      v: {kind: formula, formula: "where(x < 4, 1, 0.2) + 0.1 * random"}
    time: {step: 0.02, steps: 50, scheme: heun}
    """
    grid = Box(15, 18, spacing=[0.5, 0.7])
    even = EVEN, PERIODIC
    c = grid.ghosts(sin(grid.x) - 0.3 * cos(grid.y), *even)
    x = 0.7 * np.array([17, *range(18), 0])[None, :]

    def rate(state, t):
        faces = (value(lambda p: 0.5 + 0.1 * p.x), derivative(lambda p: 0.1 * sin(t))), PERIODIC
        u, v = (grid.ghosts(field, *faces) for field in state)
        # The condition along the rows, too, takes x from the opposite end of the columns.
        for field in u, v:
            field[:, [0, -1]] = field[:, [-2, 1]]
        carried = grid.ghosts(state[0] - 0.02 * grid.laplacian(u), *even)
        slope = grid.ghosts(grid.first(u, "y"), *even)
        return np.array([-grid.advect((c, 0.4 * u - 0.5 * x * cos(t)), carried, *even),
                         -grid.advect((-0.3, 0.2), 2 * v**2, *even) - 0.1 * grid.advect((slope, -v), u * v, *even)])

    u, v = np.random.default_rng(3966789).random((2, 15, 18))
    return dict(zip("uv", heun(rate, np.array([u, where(grid.x < 4, 1, 0.2) + 0.1 * v]), dt=0.02, steps=50)))


def box_transport():
    """
    grid: {shape: [7, 9, 8], spacing: [1, 0.5, 0.8]}
    fields: [u]
    parameters: {c: {formula: 0.2 + 0.3 * sin(x + z) * cos(y)}}
    equation:
      kind: formula
      u: -advect(c, 0.2 * sin(t), u - 0.4, u)
    boundary:
      planes: {first: {value: 0.2 * x - 0.1 * y}, last: {mixed: {value: 0.5, factor: 1}}}
      rows: insulated
      columns: {first: insulated, last: {derivative: 0.1 * sin(t)}}
    initial: {kind: formula, formula: random}
    time: {step: 0.05, steps: 50, scheme: rk4}
    """
    grid = Box(7, 9, 8, spacing=[1.0, 0.5, 0.8])
    even = [EVEN] * 3
    c = grid.with_fluxes(lambda p: 0.2 + 0.3 * sin(p.x + p.z) * cos(p.y), EVEN)

    def rate(state, t):
        planes = value(lambda p: 0.2 * p.x - 0.1 * p.y), mixed(lambda p: 0.5, 1)
        u = grid.ghosts(state[0], planes, EVEN, (derivative(lambda p: 0), derivative(lambda p: 0.1 * sin(t))))
        return np.array([-grid.advect((c, 0.2 * sin(t), u - 0.4), u, *even)])

    return {"u": rk4(rate, np.array([grid.random()]), dt=0.05, steps=50)}


def line_front():
    """
    grid: {shape: [61], spacing: 0.5}
    fields: [u]
    equation:
      kind: formula
      u: 0.7 * laplacian(u) + u * (1 - u) - 0.3 * d_dx(u^2) + 0.1 * d2_dx2(u^3) - upwind(0.2, u)
    boundary:
      columns: {first: {value: 1 + 0.1 * sin(t)}, last: {mixed: {value: 0.1, factor: 0.3}}}
    initial: {kind: formula, formula: exp(-x) + 0.1 * random}
    time: {step: 0.05, steps: 80, scheme: rk4}
    """
    grid = Box(61, spacing=[0.5])

    def rate(state, t):
        inside = state[0]
        u = grid.ghosts(inside, (value(lambda p: 1 + 0.1 * sin(t)), mixed(lambda p: 0.1, 0.3)))
        return np.array([0.7 * grid.laplacian(u) + inside * (1 - inside) - 0.3 * grid.first(u**2, "x")
                         + 0.1 * grid.second(u**3, "x") - grid.upwind((0.2,), u)])

    return {"u": rk4(rate, np.array([exp(-grid.x) + 0.1 * grid.random()]), dt=0.05, steps=80)}


def fractal(shape, crop, percentile):
    """The fractal field of docs/numerics.md."""
    noise = np.random.default_rng(3966789).random(shape, dtype=np.float32)
    waves = np.meshgrid(*(np.fft.fftfreq(n, 1 / n) for n in shape), indexing="ij")
    radius = 1 + np.sqrt(sum(k**2 for k in waves))
    field = np.real(np.fft.ifftn(np.fft.fftn(noise.astype(float)) * radius**-1.7))
    away = np.meshgrid(*(np.arange(n) - n // 2 for n in shape), indexing="ij")
    unit = shape[-2] if len(shape) > 1 else shape[0]
    if crop:
        field[1 + np.sqrt(sum(d**2 for d in away)) >= crop * unit] = 0
    if percentile:
        field[~(field > np.percentile(field, percentile))] = 0
    return {"field": field}


def box_fractal():
    """
    grid: {shape: [13, 18, 11]}
    equation: {coefficient: 0.1}
    time: {steps: 0}
    initial: {kind: fractal, percentile: null}
    """
    return fractal((13, 18, 11), 0.45, None)


def box_fractal_threshold():
    """
    grid: {shape: [10, 11, 16]}
    equation: {coefficient: 0.1}
    time: {steps: 0}
    initial: {kind: fractal, crop_radius: 0.7}
    """
    return fractal((10, 11, 16), 0.7, 70)


def line_fractal():
    """
    grid: {shape: [129]}
    equation: {coefficient: 0.1}
    time: {steps: 0}
    initial: {kind: fractal}
    """
    return fractal((129,), 0.45, 70)


def box_gaussian():
    """
    grid: {shape: [9, 11, 10]}
    equation: {coefficient: 0.1}
    time: {steps: 0}
    initial: {kind: gaussian, amplitude: 2, center: [0.25, 0.5, 1], width: 0.2}
    """
    z, y, x = np.meshgrid(np.arange(9) - 2, np.arange(11) - 5, np.arange(10) - 9, indexing="ij")
    return {"field": 2 * exp(-(x**2 + y**2 + z**2) / (2 * 2.2**2))}


def box_checkerboard():
    """
    grid: {shape: [7, 8, 9]}
    equation: {coefficient: 0.1}
    time: {steps: 0}
    initial: {kind: checkerboard, amplitude: 3, tile: 2}
    """
    return {"field": 3.0 * (-1) ** (np.indices((7, 8, 9)) // 2).sum(axis=0)}


def box_sine():
    """
    grid: {shape: [7, 8, 9]}
    equation: {coefficient: 0.1}
    boundary: {planes: insulated, rows: zero, columns: periodic}
    time: {steps: 0}
    initial: {kind: sine, amplitude: 2, mode: [3, 2, 4]}
    """
    z, y, x = np.indices((7, 8, 9))
    return {"field": 2 * cos((z + 0.5) * pi * 3 / 7) * sin((y + 1) * pi * 2 / 9) * cos(x * 2 * pi * 4 / 9)}


SPACING = [0.5, 1.0, 0.25]
EQUATIONS = [
    *(diffusion(f"box_{word}", (12, 10, 14), [word] * 3, SPACING, 0.3, 0.05) for word in FACES),
    diffusion("box_mixture", (12, 10, 14), ["insulated", "periodic", "zero"], SPACING, 0.3, 0.05),
    diffusion("cube", (9, 7, 8), ["zero", "insulated", "periodic"], None, 0.16, 1),
    diffusion("plate_unequal", (12, 15), ["periodic", "insulated"], [0.5, 0.25], 0.3, 0.05),
    diffusion("line", (31,), ["insulated"], None, 0.4, 1),
    box_conditions, box_operators, plane_transport, box_transport, line_front,
    box_fractal, box_fractal_threshold, line_fractal, box_gaussian, box_checkerboard, box_sine,
]
