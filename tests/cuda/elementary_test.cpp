#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>

#include "tests/cuda/elementary_device.hpp"
#include "tests/cuda/need_cuda.hpp"

using namespace lapl;

TEST_CASE_TEMPLATE("elementary functions have the bits of the host on the device", T, float,
                   double) {
  test::need_cuda();
  // Half of the numbers have random bits (subnormal, huge, infinite, NaN), half ordinary sizes.
  using Bits = elementary::Bits<T>;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<T> ordinary(-20, 20);
  std::vector<T> x(400'000), y(x.size());
  for (auto* numbers : {&x, &y})
    for (T& number : *numbers)
      number = random() % 2 ? std::bit_cast<T>(static_cast<Bits>(random())) : ordinary(random);
  // powers need positive bases
  for (std::size_t i = 0; i < x.size(); i += 4) x[i] = std::abs(x[i]);

  const std::vector<T> device = test::elementary_on_device(x, y);
  for (std::size_t f = 0; f < test::elementary_functions.size(); ++f) {
    CAPTURE(f);
    std::size_t different = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      T host = 0;
      with_operation<T>(test::elementary_functions[f],
                        [&](auto of) { host = of(x[i], y[i], T(0)); });
      const T value = device[f * x.size() + i];
      different += std::isnan(host) ? !std::isnan(value)
                                    : std::bit_cast<Bits>(host) != std::bit_cast<Bits>(value);
    }
    CHECK(different == 0);
  }
}
