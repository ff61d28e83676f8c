// Lines of values as complex transforms, for engine "spectral". Two lines, x and y, share one
// transform Z of x + i*y. The transforms of odd lines are imaginary, so those of x and y are the
// two parts of Z. For other lines the symmetry X[-p] = conj X[p] of the transform X of a real line
// separates the two.
//
//   modes     L        a line's n values in the transform, from j = 0   modes p of x and y
//   odd       2n + 2   0 x0 ... xn-1 0 -xn-1 ... -x0                    -Im, Re Z[p + 1]
//   mixed     2n + 1   0 x0 -x1 x2 ... and back, negated                -Im, Re Z[n - p]
//   even      n        x0 x2 x4 ... x5 x3 x1                            2 Re(e^(-i phi) X[p])
//   periodic  n        x0 ... xn-1                                      Re X[p], Im X[n - p]
//
// mixed: sin((i + 1) * theta) for theta = pi * (2p + 1)/(2n + 1) is (-1)^i * sin((i + 1) * phi)
// with phi = pi - theta = 2 * pi * (n - p)/(2n + 1). even: phi = pi * p/(2n) (Makhoul, IEEE Trans.
// Acoustics, Speech and Signal Processing 28 (1980)). periodic: Re X[p] if 2p <= n, else Im X[n -
// p].
//
// L is the length of the transform. Forward and then backward, it multiplies values by L.
#pragma once

#include "kernels/spectral/spectral_modes.hpp"

namespace lapl {

/// The values of two lines at one index, or a complex number x + i*y.
struct alignas(16) LinePair {
  double x, y;
};

/// Maps between the values, transforms and modes of two lines. `read(index)` returns a LinePair.
struct SpectralLine {
  using Kind = AxisModes::Kind;
  AxisModes modes;

  LAPL_HOST_DEVICE bool is_odd() const {
    return modes.kind == Kind::odd || modes.kind == Kind::mixed;
  }
  /// Number of complex values in a transform.
  LAPL_HOST_DEVICE std::int64_t length() const {
    return modes.kind == Kind::odd     ? 2 * modes.size + 2
           : modes.kind == Kind::mixed ? 2 * modes.size + 1
                                       : modes.size;
  }

  /// Value j of the forward transform's input; `read` returns values of the lines.
  template <class Read>
  LAPL_HOST_DEVICE LinePair input(std::int64_t j, const Read& read) const {
    const std::int64_t n = modes.size;
    if (modes.kind == Kind::periodic) return read(j);
    if (modes.kind == Kind::even) return read(2 * j < n ? 2 * j : 2 * (n - j) - 1);
    const bool back = 2 * j > length();
    const std::int64_t i = (back ? length() - j : j) - 1;
    if (i < 0 || i == n) return {0, 0};
    const LinePair value = read(modes.turned ? n - 1 - i : i);
    return back != alternates(i) ? LinePair{-value.x, -value.y} : value;
  }

  /// Mode p of both lines; `read` returns output of the forward transform, sums of values times
  /// e^(-i ...).
  template <class Read>
  LAPL_HOST_DEVICE LinePair mode(std::int64_t p, const Read& read) const {
    const std::int64_t n = modes.size;
    if (is_odd()) {
      const LinePair z = read(modes.kind == Kind::odd ? p + 1 : n - p);
      return {-z.y, z.x};
    }
    const LinePair z = read(p), w = read(p == 0 ? 0 : n - p);
    const LinePair real = {(z.x + w.x) / 2, (z.y + w.y) / 2};
    const LinePair imaginary = {(z.y - w.y) / 2, (w.x - z.x) / 2};
    if (modes.kind == Kind::periodic)
      return 2 * p <= n ? real : LinePair{-imaginary.x, -imaginary.y};
    const double c = 2 * std::cos(phi(p)), s = 2 * std::sin(phi(p));
    return {c * real.x + s * imaginary.x, c * real.y + s * imaginary.y};
  }

  /// Value k of the backward transform's input; `read` returns modes of the lines.
  template <class Read>
  LAPL_HOST_DEVICE LinePair spectrum(std::int64_t k, const Read& read) const {
    const std::int64_t n = modes.size;
    if (is_odd()) {
      const bool back = 2 * k > length();
      const std::int64_t q = back ? length() - k : k;
      if (q == 0 || q > n) return {0, 0};
      const LinePair value = read(modes.kind == Kind::odd ? q - 1 : n - q);
      return back ? LinePair{-value.x, -value.y} : value;
    }
    if (modes.kind == Kind::periodic) {
      const bool back = 2 * k > n;
      const std::int64_t p = back ? n - k : k;
      const LinePair real = read(p);
      if (p == 0 || 2 * p == n) return real;
      LinePair imaginary = read(n - p);
      if (back) imaginary = {-imaginary.x, -imaginary.y};
      return {real.x - imaginary.y, imaginary.x + real.y};
    }
    const LinePair here = read(k), there = k == 0 ? LinePair{0, 0} : read(n - k);
    const double c = std::cos(phi(k)) / 2, s = std::sin(phi(k)) / 2;
    const double real = here.x + there.y, imaginary = here.y - there.x;
    return {c * real - s * imaginary, s * real + c * imaginary};
  }

  /// Value i of both lines; `read` returns output of the backward transform, sums of values times
  /// e^(+i ...).
  template <class Read>
  LAPL_HOST_DEVICE LinePair output(std::int64_t i, const Read& read) const {
    const std::int64_t n = modes.size;
    if (modes.kind == Kind::periodic) return read(i);
    if (modes.kind == Kind::even) return read(i % 2 == 0 ? i / 2 : n - 1 - i / 2);
    if (modes.turned) i = n - 1 - i;
    const LinePair z = read(i + 1);
    return alternates(i) ? LinePair{-z.y, z.x} : LinePair{z.y, -z.x};
  }

 private:
  LAPL_HOST_DEVICE bool alternates(std::int64_t i) const {
    return modes.kind == Kind::mixed && i % 2 == 1;
  }
  LAPL_HOST_DEVICE double phi(std::int64_t p) const {
    return std::numbers::pi / 2 * static_cast<double>(p) / static_cast<double>(modes.size);
  }
};

}  // namespace lapl
