"""Problems for steps by error: their equations, and their rates as users of NumPy write them."""
from typing import Callable, NamedTuple

import numpy as np


class Differences:
    """Central differences for a spacing of 1, and two arrays for intermediate results."""

    def __init__(self, shape, periodic):
        self.before, self.after = (-1, 0) if periodic else (0, -1)  # neighbours beyond first and last
        self.a, self.b = np.empty(shape), np.empty(shape)

    def laplacian(self, factor, f, out):
        np.add(f[:-2], f[2:], out=out[1:-1])
        np.add(f[self.before], f[1], out=out[0])
        np.add(f[-2], f[self.after], out=out[-1])
        out[:, 1:] += f[:, :-1]
        out[:, :-1] += f[:, 1:]
        out[:, 0] += f[:, self.before]
        out[:, -1] += f[:, self.after]
        out -= np.multiply(f, 4, out=self.b)
        out *= factor

    def subtract_slope(self, f, axis, out):
        f, out, slope = (np.moveaxis(array, axis, 0) for array in (f, out, self.b))
        np.subtract(f[2:], f[:-2], out=slope[1:-1])
        np.subtract(f[1], f[self.before], out=slope[0])
        np.subtract(f[self.after], f[-2], out=slope[-1])
        slope *= 0.5
        out -= slope


def gray_scott(d, fields, rates, Du, Dv, F, k):
    (u, v), (du, dv) = fields, rates
    d.laplacian(Du, u, du)
    d.laplacian(Dv, v, dv)
    np.multiply(v, v, out=d.a)
    d.a *= u
    du -= d.a
    dv += d.a
    np.subtract(1, u, out=d.a)
    d.a *= F
    du += d.a
    dv -= np.multiply(v, F + k, out=d.a)


def dam_break(d, fields, rates, g, nu):
    (h, p, q), (dh, dp, dq) = fields, rates
    for field, rate in zip(fields, rates):
        d.laplacian(nu, field, rate)
    for momentum, rate, axis in ((p, dp, 1), (q, dq, 0)):
        d.subtract_slope(momentum, axis, dh)
        np.multiply(momentum, momentum, out=d.a)
        d.a /= h
        np.multiply(h, h, out=d.b)
        d.b *= g / 2
        d.a += d.b
        d.subtract_slope(d.a, axis, rate)
    np.multiply(p, q, out=d.a)
    d.a /= h
    d.subtract_slope(d.a, 0, dp)
    d.subtract_slope(d.a, 1, dq)


def brusselator(d, fields, rates, a, b, Du, Dv):
    (u, v), (du, dv) = fields, rates
    d.laplacian(Du, u, du)
    d.laplacian(Dv, v, dv)
    np.multiply(u, u, out=d.a)
    d.a *= v
    du += d.a
    dv -= d.a
    du += a
    du -= np.multiply(u, b + 1, out=d.a)
    dv += np.multiply(u, b, out=d.a)


def fitzhugh_nagumo(d, fields, rates, D, a, epsilon, g):
    (u, v), (du, dv) = fields, rates
    d.laplacian(D, u, du)
    np.subtract(1, u, out=d.a)
    d.a *= u
    d.a *= np.subtract(u, a, out=d.b)
    du += d.a
    du -= v
    np.multiply(u, 0.5 * epsilon, out=dv)
    dv -= np.multiply(v, epsilon * g, out=d.a)


def cahn_hilliard(d, fields, rates, g):
    (u,), (du,) = fields, rates
    d.laplacian(-g, u, d.a)
    d.a -= u
    d.a += u**3
    d.laplacian(1, d.a.copy(), du)


def swift_hohenberg(d, fields, rates, r, q):
    (u,), (du,) = fields, rates
    d.laplacian(q, u, d.a)
    d.a += u
    bent = d.a.copy()
    d.laplacian(-q, bent, du)
    du -= bent
    du += r * u - u**3


def kuramoto_sivashinsky(d, fields, rates, g):
    (u,), (du,) = fields, rates
    d.laplacian(g, u, d.a)
    d.a += u
    d.laplacian(-1, d.a.copy(), du)
    for axis in (0, 1):
        slope = np.zeros_like(u)
        d.subtract_slope(u, axis, slope)
        du -= 0.5 * slope**2


class Problem(NamedTuple):
    title: str
    rates: Callable
    end: float
    parameters: dict
    equations: dict
    initial: list
    boundary: str = "periodic"
    about: float = 0  # time.linear_about


SPOTS = "where(sin(x / 7) * sin(y / 9) > 0.8, 1, 0)"
PROBLEMS = [
    Problem("Gray-Scott", gray_scott, 1000, {"Du": 0.16, "Dv": 0.08, "F": 0.037, "k": 0.06},
            {"u": "Du * laplacian(u) - u * v^2 + F * (1 - u)",
             "v": "Dv * laplacian(v) + u * v^2 - (F + k) * v"},
            [f"1 - 0.5 * {SPOTS}", f"0.25 * {SPOTS} + 0.02 * random"]),
    Problem("dam break", dam_break, 400, {"g": 1, "nu": 0.5},
            {"h": "nu * laplacian(h) - d_dx(p) - d_dy(q)",
             "p": "nu * laplacian(p) - d_dx(p^2 / h + g / 2 * h^2) - d_dy(p * q / h)",
             "q": "nu * laplacian(q) - d_dx(p * q / h) - d_dy(q^2 / h + g / 2 * h^2)"},
            ["1 + where((x - 40)^2 + (y - 40)^2 < 900, 1, 0)", "0", "0"]),
    Problem("Brusselator", brusselator, 15, {"a": 4.5, "b": 7, "Du": 2, "Dv": 16},
            {"u": "Du * laplacian(u) + a - (b + 1) * u + u^2 * v",
             "v": "Dv * laplacian(v) + b * u - u^2 * v"},
            ["a + 0.1 * (random - 0.5)", "b / a"]),
    Problem("FitzHugh-Nagumo", fitzhugh_nagumo, 300, {"D": 1, "a": 0.1, "epsilon": 0.005, "g": 1},
            {"u": "D * laplacian(u) + u * (1 - u) * (u - a) - v",
             "v": "epsilon * (0.5 * u - g * v)"},
            ["where(x < 96, where(y < 96, 1, 0), 0)", "where(y < 80, 0, 0.1)"], "insulated"),
]  # fmt: skip

def robertson(d, fields, rates, D):
    (a, b, c), (da, db, dc) = fields, rates
    for field, rate in zip(fields, rates):
        d.laplacian(D, field, rate)
    np.multiply(b, c, out=d.a)
    d.a -= np.multiply(a, 0.04, out=d.b)
    da += d.a
    d.a *= 1e4
    db -= d.a
    np.multiply(b, b, out=d.a)
    dc += np.multiply(d.a, 0.3, out=d.b)
    db -= np.multiply(d.a, 3e3, out=d.b)


# The shortest waves are damped a thousand times faster than patterns change.
STIFF = [
    Problem("Cahn-Hilliard", cahn_hilliard, 100, {"g": 4},
            {"u": "laplacian(u^3 - u - g * laplacian(u))"}, ["0.2 * (random - 0.5)"]),
    Problem("Swift-Hohenberg", swift_hohenberg, 30, {"r": 0.3, "q": 6.5},
            {"u": "r * u - (u + q * laplacian(u)) - q * laplacian(u + q * laplacian(u)) - u^3"},
            ["0.2 * (random - 0.5)"]),
    Problem("Kuramoto-Sivashinsky", kuramoto_sivashinsky, 100, {"g": 4},
            {"u": "-laplacian(u + g * laplacian(u)) - 0.5 * gradient_squared(u)"},
            ["0.1 * (random - 0.5)"]),
]  # fmt: skip

# Robertson's reaction, with b in units of 1e-4: it reaches its balance ten thousand times faster
# than the others change.
REACTIONS = [
    Problem("Robertson's reaction with diffusion", robertson, 4, {"D": 0.1},
            {"a": "D * laplacian(a) - 0.04 * a + b * c",
             "b": "D * laplacian(b) + 400 * a - 1e4 * b * c - 3e3 * b^2",
             "c": "D * laplacian(c) + 0.3 * b^2"},
            ["0.5 + random", "0", "0"]),
]  # fmt: skip
