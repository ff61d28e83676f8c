#include "app/view/plot/colormap.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "kernels/error.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

// Equally spaced entries of published tables of 256, or 510, perceptually uniform colours. Linear
// interpolation differs from the tables by three levels of 255 at most, by six in cividis. Sources:
// viridis, inferno, magma, plasma: N. Smith, S. van der Walt, E. Firing (public domain, CC0),
// https://bids.github.io/colormap/. cividis: J. Nunez, C. Anderton, R. Renslow, PLOS ONE 13 (2018)
// e0199239. mako, rocket: M. Waskom, seaborn. batlow, vik: F. Crameri, Scientific colour maps,
// doi:10.5281/zenodo.1243862. twilight: B. Bechtold (CC0), https://github.com/bastibe/twilight.
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
constexpr Rgb magma[] = {0x000004, 0x0a0822, 0x1d1147, 0x36106b, 0x50127c, 0x691c81,
                         0x822681, 0x9c2e7f, 0xb6367a, 0xcf4070, 0xe65164, 0xf46a5c,
                         0xfb8861, 0xfea571, 0xfec287, 0xfde0a1, 0xfcfdbf};
constexpr Rgb plasma[] = {0x0d0887, 0x220690, 0x310597, 0x3f049c, 0x4c02a1, 0x5901a5, 0x6600a7,
                          0x7201a8, 0x7e03a8, 0x8909a5, 0x9511a1, 0x9f1a9c, 0xa92395, 0xb32c8e,
                          0xbc3587, 0xc43e7f, 0xcc4678, 0xd25071, 0xd9596a, 0xdf6263, 0xe56b5d,
                          0xeb7556, 0xf07f4f, 0xf48a48, 0xf89441, 0xfb9f3a, 0xfdab33, 0xfeb72d,
                          0xfdc328, 0xfcd025, 0xf9dd25, 0xf5eb27, 0xf0f921};
constexpr Rgb cividis[] = {0x00224e, 0x00285b, 0x002e6a, 0x053371, 0x1a386f, 0x273e6e, 0x32436d,
                           0x3b496c, 0x434e6c, 0x4b546c, 0x535a6d, 0x5a5f6e, 0x61656f, 0x686a71,
                           0x6f7073, 0x767676, 0x7c7c78, 0x838179, 0x8b8778, 0x928d78, 0x9a9376,
                           0xa29975, 0xaaa073, 0xb3a670, 0xbbad6d, 0xc3b369, 0xccba64, 0xd4c15f,
                           0xddc858, 0xe6d051, 0xefd748, 0xf8df3c, 0xfee838};
constexpr Rgb mako[] = {0x0b0405, 0x140910, 0x1c101c, 0x241628, 0x2b1c35, 0x312142, 0x37284f,
                        0x3b2e5d, 0x3e356a, 0x403c79, 0x414386, 0x3f4c91, 0x3b5698, 0x385f9c,
                        0x36699f, 0x3572a1, 0x357aa2, 0x3483a5, 0x348ca7, 0x3495a9, 0x359eaa,
                        0x37a7ac, 0x3bb0ad, 0x41b8ad, 0x4ac1ad, 0x55caad, 0x68d1ad, 0x7fd7af,
                        0x96ddb5, 0xabe2be, 0xbee8ca, 0xceeed7, 0xdef5e5};
constexpr Rgb rocket[] = {0x03051a, 0x180f29, 0x30173a, 0x481c48, 0x611f53, 0x7b1f59,
                          0x961c5b, 0xb11758, 0xca1a50, 0xde2e44, 0xec4b3e, 0xf26a48,
                          0xf4865e, 0xf6a178, 0xf6bb97, 0xf8d3ba, 0xfaebdd};
constexpr Rgb batlow[] = {0x011959, 0x0d315d, 0x114360, 0x175262, 0x226061, 0x356a59,
                          0x4d734d, 0x667b3e, 0x828232, 0xa0892b, 0xbf9035, 0xdc954c,
                          0xf19d6c, 0xfca891, 0xfdb4b4, 0xfcbfd6, 0xfaccfa};
constexpr Rgb vik[] = {0x001261, 0x021f69, 0x022b71, 0x023779, 0x034481, 0x055189, 0x0c5e92,
                       0x1b6d9c, 0x2f7ca6, 0x478cb1, 0x609dbc, 0x79adc7, 0x92bdd2, 0xacccdd,
                       0xc5dbe6, 0xdde6e9, 0xece6e1, 0xeedacf, 0xe9cbb9, 0xe3bba4, 0xdcab8f,
                       0xd69c7b, 0xcf8d67, 0xc97f55, 0xc37242, 0xbd6431, 0xb3531f, 0xa5400f,
                       0x942f06, 0x832106, 0x741506, 0x670a07, 0x590008};
constexpr Rgb twilight[] = {0xe2d9e2, 0xd6d7dd, 0xc2ced4, 0xabc2cc, 0x94b4c6, 0x80a5c3, 0x7297c1,
                            0x6887be, 0x6276ba, 0x5f64b5, 0x5e51ad, 0x5d3da1, 0x592a8f, 0x511b77,
                            0x45135d, 0x381145, 0x301436, 0x3a113a, 0x4a1342, 0x5f174a, 0x741e4f,
                            0x872750, 0x983550, 0xa64550, 0xb25652, 0xbb6958, 0xc27c63, 0xc78f72,
                            0xcca288, 0xd1b5a2, 0xd8c6bd, 0xded3d4, 0xe2d9e2};
constexpr Rgb gray[] = {0x000000, 0xffffff};
// Made for lapl: blue below, red above, equally light at equal distances from a white middle.
constexpr Rgb diverging[] = {0x0b2f5f, 0x1f5fa5, 0x4c92c8, 0x98c5e2, 0xf7f7f7,
                             0xf3b095, 0xd9685a, 0xae2434, 0x650a20};

constexpr NamedColormap maps[] = {
    {"viridis", "blue to yellow, perceptually uniform", viridis},
    {"inferno", "black over red to yellow, perceptually uniform", inferno},
    {"magma", "black over purple to pale yellow, perceptually uniform", magma},
    {"plasma", "blue over purple to yellow, perceptually uniform", plasma},
    {"cividis", "blue over gray to yellow, uniform also for colour-blind readers", cividis},
    {"mako", "black over blue to pale green, perceptually uniform", mako},
    {"rocket", "black over red to pale rose, perceptually uniform", rocket},
    {"batlow", "blue over green and orange to pink, perceptually uniform", batlow},
    {"gray", "black to white", gray},
    {"diverging", "blue below zero, white, red above", diverging, true},
    {"vik", "blue below zero, white, brown above, perceptually uniform", vik, true},
    {"twilight", "cyclic, for angles: white, blue, black, red, white; perceptually uniform",
     twilight}};

Rgb mix(Rgb from, Rgb to, double fraction) {
  Rgb mixed = 0;
  for (const int shift : {16, 8, 0}) {
    const double a = from >> shift & 255, b = to >> shift & 255;
    mixed |= static_cast<Rgb>(std::lround(a + (b - a) * fraction)) << shift;
  }
  return mixed;
}

}  // namespace

Colormap::Colormap(const NamedColormap& map) : diverging_(map.diverging) {
  const std::span<const Rgb> points = map.points;
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
    if (name == map.name) return Colormap(map);
  throw ConfigError("colormap {}: unknown (known: {})", name, fmt::join(names_in(maps), ", "));
}

}  // namespace lapl
