#include "app/view/plot/colormap.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "kernels/error.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

// Every eighth entry of the 256 of viridis and inferno, perceptually uniform maps by N. Smith, S.
// van der Walt and E. Firing, in the public domain (CC0): https://bids.github.io/colormap/. Linear
// interpolation differs from the full tables by two levels of 255 at most.
constexpr Rgb viridis[] = {0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453781, 0x424086,
                           0x3e4989, 0x3b528b, 0x375b8d, 0x33638d, 0x2f6b8e, 0x2c728e, 0x297a8e,
                           0x26828e, 0x23898e, 0x21918c, 0x1f978b, 0x1f9f88, 0x21a685, 0x27ad81,
                           0x31b57b, 0x3dbc74, 0x4cc26c, 0x5cc863, 0x6ece58, 0x81d34d, 0x95d840,
                           0xaadc32, 0xc0df25, 0xd5e21a, 0xeae51a, 0xfde725};
constexpr Rgb inferno[] = {0x000004, 0x040312, 0x0b0724, 0x150b37, 0x210c4a, 0x2f0a5b, 0x3d0965,
                           0x4a0c6b, 0x57106e, 0x64156e, 0x71196e, 0x7d1e6d, 0x8a226a, 0x972766,
                           0xa32c61, 0xb0315b, 0xbc3754, 0xc63d4d, 0xd04545, 0xda4e3c, 0xe35933,
                           0xeb6429, 0xf1711f, 0xf67e14, 0xf98c0a, 0xfb9b06, 0xfcaa0f, 0xfbba1f,
                           0xf9c932, 0xf5d949, 0xf2e865, 0xf3f586, 0xfcffa4};
constexpr Rgb gray[] = {0x000000, 0xffffff};
// Made for lapl: blue below, red above, equally light at equal distances from a white middle.
constexpr Rgb diverging[] = {0x0b2f5f, 0x1f5fa5, 0x4c92c8, 0x98c5e2, 0xf7f7f7,
                             0xf3b095, 0xd9685a, 0xae2434, 0x650a20};

constexpr NamedColormap maps[] = {
    {"viridis", "blue to yellow, perceptually uniform", viridis},
    {"inferno", "black over red to yellow, perceptually uniform", inferno},
    {"gray", "black to white", gray},
    {"diverging", "blue below zero, white, red above", diverging}};

Rgb mix(Rgb from, Rgb to, double fraction) {
  Rgb mixed = 0;
  for (const int shift : {16, 8, 0}) {
    const double a = from >> shift & 255, b = to >> shift & 255;
    mixed |= static_cast<Rgb>(std::lround(a + (b - a) * fraction)) << shift;
  }
  return mixed;
}

}  // namespace

Colormap::Colormap(std::span<const Rgb> points) {
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const double place =
        static_cast<double>(i * (points.size() - 1)) / static_cast<double>(table_.size() - 1);
    const std::size_t before = std::min(static_cast<std::size_t>(place), points.size() - 2);
    table_[i] = mix(points[before], points[before + 1], place - static_cast<double>(before));
  }
}

Rgb Colormap::color(double fraction) const {
  if (std::isnan(fraction)) return missing_color;
  const double last = static_cast<double>(table_.size() - 1);
  return table_[static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * last + 0.5)];
}

std::span<const NamedColormap> colormaps() { return maps; }

Colormap colormap_named(const std::string& name) {
  for (const NamedColormap& map : maps)
    if (name == map.name) return Colormap(map.points);
  throw ConfigError("colormap {}: unknown (known: {})", name, fmt::join(names_in(maps), ", "));
}

}  // namespace lapl
