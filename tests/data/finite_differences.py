"""Finite differences, faces and schemes in NumPy, written after docs/formulas.md and docs/numerics.md."""
import numpy as np
from numpy import where


class Grid:
    """A grid of nodes at x = column h, y = row h; fields are arrays of its shape."""

    def __init__(self, rows, columns, h=1.0):
        self.shape, self.h = (rows, columns), h
        self.y, self.x = h * np.arange(rows)[:, None], h * np.arange(columns)[None, :]
        # Positions that include one node beyond each face.
        self.beyond_y, self.beyond_x = h * np.arange(-1, rows + 1)[:, None], h * np.arange(-1, columns + 1)[None, :]

    def random(self, count=1, seed=3966789):
        return np.random.default_rng(seed).random((count, *self.shape))

    # A condition returns the value at the node beyond a face. Its arguments: the value at the node inside, x and y of the
    # node beyond, x and y of the face between the two.

    @staticmethod
    def value(g):
        return lambda inside, x, y, *_: g(x, y) + 0 * inside

    def derivative(self, q):
        return lambda inside, *places: inside + self.h * q(*places[2:])

    def mixed(self, v, f):
        """The condition (outside - inside) / h + f (outside + inside) / 2 = v."""
        near, far = 1 / self.h - f / 2, 1 / self.h + f / 2
        return lambda inside, *places: (near * inside + v(*places[2:])) / far

    def ghosts(self, u, rows, columns):
        """u with the nodes just outside: columns first, so corners follow by the condition of the rows. Each axis is PERIODIC
        or has a condition for its first and its last side."""
        h, (n, m) = self.h, self.shape
        if columns is PERIODIC:
            u = np.hstack([u[:, -1:], u, u[:, :1]])
        else:
            first, last, y = *columns, self.y
            u = np.hstack([first(u[:, :1], -h, y, -h / 2, y), u, last(u[:, -1:], m * h, y, (m - 0.5) * h, y)])
        if rows is PERIODIC:
            return np.vstack([u[-1:], u, u[:1]])
        first, last, x = *rows, self.beyond_x
        return np.vstack([first(u[:1], x, -h, x, -h / 2), u, last(u[-1:], x, n * h, x, (n - 0.5) * h)])

    # Operators on arrays that `ghosts` returns.

    def laplacian(self, e):
        return (e[1:-1, :-2] + e[1:-1, 2:] + e[:-2, 1:-1] + e[2:, 1:-1] - 4 * e[1:-1, 1:-1]) / self.h**2

    def d_dx(self, e):
        return (e[1:-1, 2:] - e[1:-1, :-2]) / (2 * self.h)

    def d_dy(self, e):
        return (e[2:, 1:-1] - e[:-2, 1:-1]) / (2 * self.h)

    def d2_dx2(self, e):
        return (e[1:-1, 2:] - 2 * e[1:-1, 1:-1] + e[1:-1, :-2]) / self.h**2

    def d2_dy2(self, e):
        return (e[2:, 1:-1] - 2 * e[1:-1, 1:-1] + e[:-2, 1:-1]) / self.h**2

    def d2_dxdy(self, e):
        return (e[2:, 2:] - e[2:, :-2] - e[:-2, 2:] + e[:-2, :-2]) / (4 * self.h**2)

    def gradient_squared(self, e):
        return self.d_dx(e) ** 2 + self.d_dy(e) ** 2

    def flux_divergence(self, D, e):
        """divergence(D * gradient(e)): fluxes through the faces between nodes, with D as the mean of both."""
        across = (D[1:-1, 1:] + D[1:-1, :-1]) / 2 * np.diff(e[1:-1], axis=1)
        along = (D[1:, 1:-1] + D[:-1, 1:-1]) / 2 * np.diff(e[:, 1:-1], axis=0)
        return (np.diff(across, axis=1) + np.diff(along, axis=0)) / self.h**2

    def upwind(self, cx, cy, e):
        x, y = np.diff(e[1:-1], axis=1), np.diff(e[:, 1:-1], axis=0)
        return (cx * where(cx > 0, x[:, :-1], x[:, 1:]) + cy * where(cy > 0, y[:-1], y[1:])) / self.h


PERIODIC = "periodic"


def EVEN(inside, *_):
    return inside


def ZERO(inside, *_):
    return 0 * inside


# Schemes for du/dt = f(u, t); u is an array of fields.


def euler(f, u, dt, steps):
    for n in range(steps):
        u = u + dt * f(u, n * dt)
    return u


def heun(f, u, dt, steps):
    for n in range(steps):
        slope = f(u, n * dt)
        u = u + dt / 2 * (slope + f(u + dt * slope, n * dt + dt))
    return u


def midpoint(f, u, dt, steps):
    for n in range(steps):
        u = u + dt * f(u + dt / 2 * f(u, n * dt), n * dt + dt / 2)
    return u


def ssprk3(f, u, dt, steps):
    for n in range(steps):
        v = u + dt * f(u, n * dt)
        w = 3 / 4 * u + 1 / 4 * (v + dt * f(v, n * dt + dt))
        u = 1 / 3 * u + 2 / 3 * (w + dt * f(w, n * dt + dt / 2))
    return u


def rk4(f, u, dt, steps):
    for n in range(steps):
        t = n * dt
        k1 = f(u, t)
        k2 = f(u + dt / 2 * k1, t + dt / 2)
        k3 = f(u + dt / 2 * k2, t + dt / 2)
        k4 = f(u + dt * k3, t + dt)
        u = u + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return u


def bs23(f, u, dt, steps):
    for n in range(steps):
        t = n * dt
        k1 = f(u, t)
        k2 = f(u + dt / 2 * k1, t + dt / 2)
        k3 = f(u + dt * 3 / 4 * k2, t + dt * 3 / 4)
        u = u + dt * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
    return u


def dopri5(f, u, dt, steps):
    times = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1]
    rows = [[], [1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9],
            [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
            [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
            [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]]
    for n in range(steps):
        rates = []
        for time, row in zip(times, rows):
            rates.append(f(u + dt * sum((a * k for a, k in zip(row, rates)), 0 * u), (n + time) * dt))
        u = u + dt * sum(b * k for b, k in zip(rows[-1], rates))
    return u


def rkl2(f, u, dt, steps, stages):
    """Meyer, Balsara and Aslam (2014), written as in the paper; each stage's time by the same recurrence."""
    b = [1 / 3] * 3 + [(j * j + j - 2) / (2 * j * (j + 1)) for j in range(3, stages + 1)]
    w = 4 / (stages**2 + stages - 2)
    for n in range(steps):
        first = f(u, n * dt)
        y, times = [u, u + b[1] * w * dt * first], [0, b[1] * w]
        for j in range(2, stages + 1):
            mu, nu = (2 * j - 1) / j * b[j] / b[j - 1], -(j - 1) / j * b[j] / b[j - 2]
            gamma = -(1 - b[j - 1]) * mu * w
            y.append(mu * y[-1] + nu * y[-2] + (1 - mu - nu) * u + mu * w * dt * f(y[-1], (n + times[-1]) * dt)
                     + gamma * dt * first)
            times.append(mu * times[-1] + nu * times[-2] + mu * w + gamma)
        u = y[-1]
    return u


def imex(f, jacobian, u, dt, steps, reactions=lambda u, t: 0 * u):
    """f(u, t) are the rates, jacobian(u)[i][j] the derivatives of their reactions; reactions(u, t) are those that read t."""
    gamma = 1 - np.sqrt(1 / 2)
    for n in range(steps):
        matrix = np.moveaxis(np.eye(len(u))[:, :, None, None] - gamma * dt * np.array(jacobian(u)), (0, 1), (2, 3))

        def solve(right):
            return np.moveaxis(np.linalg.solve(matrix, np.moveaxis(right, 0, 2)[..., None])[..., 0], 2, 0)

        start, middle, end = n * dt, (n + gamma) * dt, (n + 1) * dt
        k = solve(f(u, start) + reactions(u, middle) - reactions(u, start))
        y = u + gamma * dt * k
        u = y + dt / (2 * gamma) * solve(f(y, middle) - 2 * gamma * k
                                         + 2 * gamma**2 * (reactions(y, end) - reactions(y, middle)))
    return u


def leapfrog(f, u, dt, steps):
    """Steps each field in turn with the newest values of all; the rates of those after the first read fields before."""
    for n in range(steps):
        for field in range(len(u)):
            u[field] += dt * f(u, (n + (0 if len(u) == 1 else 0.5 if field == 0 else 1)) * dt)[field]
    return u
