// Two lines in one complex transform, as in the spectral engine on a GPU. Here sums compute the
// transforms.
#include "kernels/cuda/ahead/spectral_lines.hpp"

#include <doctest/doctest.h>

#include <complex>

#include "tests/test_field.hpp"

using namespace lapl;

namespace {

using Line = std::vector<LinePair>;

Line transformed(const Line& line, int sign) {
  const auto size = static_cast<std::int64_t>(line.size());
  Line made(line.size());
  for (std::int64_t k = 0; k < size; ++k) {
    std::complex<double> sum = 0;
    for (std::int64_t j = 0; j < size; ++j) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(j * k % size);
      sum += std::complex(line[j].x, line[j].y) *
             std::polar(1.0, sign * turn / static_cast<double>(size));
    }
    made[k] = {sum.real(), sum.imag()};
  }
  return made;
}

template <class At>
Line make_line(std::int64_t size, const At& at) {
  Line line;
  for (std::int64_t i = 0; i < size; ++i) line.push_back(at(i));
  return line;
}

// Value i of a mode, scaled like its transform.
double mode_at(const AxisModes& modes, std::int64_t mode, std::int64_t i) {
  const double theta = std::numbers::pi * modes.half_turns(mode), at = static_cast<double>(i);
  if (modes.kind == AxisModes::Kind::even) return 2 * std::cos((at + 0.5) * theta);
  if (modes.kind == AxisModes::Kind::periodic)
    return 2 * mode <= modes.size ? std::cos(at * theta) : -std::sin(at * theta);
  return 2 * std::sin((modes.turned ? static_cast<double>(modes.size) - at : at + 1) * theta);
}

}  // namespace

TEST_CASE("pairs of lines have the modes of their faces, and transform back") {
  const Face<double> zero{0, 0}, insulated{0, 1}, neighbour{.neighbour = true};
  for (const std::int64_t size : {1, 2, 3, 4, 5, 8, 13, 30, 31})
    for (const auto& [first, last] : {std::pair{zero, zero},
                                      {zero, insulated},
                                      {insulated, zero},
                                      {insulated, insulated},
                                      {neighbour, neighbour}}) {
      const SpectralLine line{AxisModes({first, last}, size)};
      CAPTURE(size);
      CAPTURE(static_cast<int>(line.modes.kind));
      CAPTURE(line.modes.turned);
      const Shape shape = Shape::of(std::vector{size});
      const auto x = test::random_field<double>(shape, 1), y = test::random_field<double>(shape, 2);
      const auto in = [](const Line& values) {
        return [&](std::int64_t i) { return values.at(i); };
      };
      const Line values = make_line(size, [&](std::int64_t i) { return LinePair{x[i], y[i]}; });
      const Line forward = transformed(
          make_line(line.length(), [&](std::int64_t j) { return line.input(j, in(values)); }), -1);
      const Line modes = make_line(size, [&](std::int64_t p) { return line.mode(p, in(forward)); });
      for (std::int64_t p = 0; p < size; ++p) {
        LinePair sum = {0, 0};
        for (std::int64_t i = 0; i < size; ++i) {
          sum.x += x[i] * mode_at(line.modes, p, i);
          sum.y += y[i] * mode_at(line.modes, p, i);
        }
        CHECK(std::abs(modes[p].x - sum.x) < 1e-13);
        CHECK(std::abs(modes[p].y - sum.y) < 1e-13);
      }
      const Line backward = transformed(
          make_line(line.length(), [&](std::int64_t k) { return line.spectrum(k, in(modes)); }), 1);
      const auto scale = static_cast<double>(line.length());
      for (std::int64_t i = 0; i < size; ++i) {
        const LinePair value = line.output(i, in(backward));
        CHECK(std::abs(value.x / scale - x[i]) < 1e-14);
        CHECK(std::abs(value.y / scale - y[i]) < 1e-14);
      }
    }
}
