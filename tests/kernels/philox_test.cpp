// The noise of rates: Philox's known answers, and the distribution of the draws.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "kernels/cpu/row_loops.hpp"
#include "kernels/stages/noise.hpp"
#include "kernels/stages/tree_at.hpp"
#include "tests/kernels/usable_loops.hpp"

using namespace lapl;

// Random123, kat_vectors: philox4x32 10.
TEST_CASE("Philox4x32-10 has the answers of Random123") {
  const auto check = [](std::array<DrawWord, 4> counter, std::array<DrawWord, 2> key,
                        std::array<DrawWord, 4> expected) {
    const PhiloxBlock found =
        philox({{counter[0], counter[1], counter[2], counter[3]}}, key[0], key[1]);
    for (std::size_t i = 0; i < 4; ++i) CHECK(found.of[i] == expected[i]);
  };
  constexpr DrawWord ones = 0xffffffff;
  check({0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  check({ones, ones, ones, ones}, {ones, ones}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  check({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0},
        {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

// Each mean has the expected value within four standard deviations of such a mean.
TEST_CASE_TEMPLATE("draws are normal, and independent of those of other cells, steps and uses", T,
                   float, double) {
  constexpr int count = 1 << 18;
  std::array<double, 5> powers{};
  double beside = 0, later = 0, other_use = 0;
  int within = 0;
  for (int cell = 0; cell < count; ++cell) {
    const auto draw = [&](unsigned long long at, DrawWord step, DrawWord use) {
      return static_cast<double>(draw_in_cell<T>(at, {step, 0, 11, use}));
    };
    const double z = draw(cell, 5, 0);
    for (int power = 1; power < 5; ++power) powers[power] += std::pow(z, power) / count;
    within += std::abs(z) < 1 ? 1 : 0;
    beside += z * draw(cell + 1, 5, 0) / count;
    later += z * draw(cell, 6, 0) / count;
    other_use += z * draw(cell, 5, 1) / count;
  }
  const double root = std::sqrt(double(count));
  CHECK(std::abs(powers[1]) < 4 / root);
  CHECK(std::abs(powers[2] - 1) < 4 * std::sqrt(2) / root);
  CHECK(std::abs(powers[3]) < 4 * std::sqrt(15) / root);
  CHECK(std::abs(powers[4] - 3) < 4 * std::sqrt(96) / root);
  CHECK(std::abs(beside) < 4 / root);
  CHECK(std::abs(later) < 4 / root);
  CHECK(std::abs(other_use) < 4 / root);
  const double expected = std::erf(std::sqrt(0.5));
  CHECK(std::abs(within / double(count) - expected) <
        4 * std::sqrt(expected * (1 - expected)) / root);
}

TEST_CASE_TEMPLATE("a row of draws has the bits of each cell's draw, also where the index carries",
                   T, float, double) {
  constexpr unsigned long long row = 0x4fffffff0ull;
  const DrawWords words{7, 1, 3, 9};
  for (const unsigned long long first_column : {0ull, 0x300000000ull, 0x2fffffff0ull}) {
    std::vector<std::uint64_t> cells;
    std::vector<T> expected;
    for (std::uint64_t column = first_column; column < first_column + 100; ++column) {
      cells.push_back(row + column);
      expected.push_back(draw_in_cell<T>(row + column, words));
      CHECK(draw_in_row<T>(low_word(row), high_word(row), low_word(column), high_word(column),
                           words) == expected.back());
    }
    for (const RowLoops<T>* loops : test::usable_loops<RowLoops<T>>()) {
      std::vector<T> found(cells.size());
      loops->draw(cells.data(), words, found.data(), 100);
      CHECK(found == expected);
    }
  }
}

TEST_CASE("noises and steps share no words, also where seeds have more than 32 bits") {
  std::set<std::array<DrawWord, 4>> known;
  std::size_t count = 0;
  for (const std::uint64_t seed : {0ull, 1ull, 2ull, 1ull << 32, 2ull << 32, 1ull << 53, ~0ull})
    for (const int use : {0, 1, 2, 3, 4097, 1 << 21})
      for (const std::int64_t step : {0ll, 1ll, 1ll << 32, 3ll << 32, (1ll << 44) - 1}) {
        if (use == 1 << 21 && seed >> 32 != 0) continue;  // a long seed has fewer uses
        const DrawWords words =
            noise_words({.operation = Operation::noise, .seed = seed, .index = use}, step);
        known.insert({words.step_low, words.step_high, words.key_low, words.key_high});
        ++count;
      }
  CHECK(known.size() == count);
}

TEST_CASE("the smallest and the largest word give finite numbers") {
  for (const float u : {0x1p-33f, 1.f}) CHECK(std::isfinite(square_root(-2 * logarithm(u))));
  CHECK(square_root(-2 * logarithm(1.f)) == 0);
}
