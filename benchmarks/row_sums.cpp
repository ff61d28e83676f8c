// Times two ways to sum the rows of a matrix product, s_j = sum over i, k of A_ik * B_kj: the whole
// product, and summing the rows of A first, which leaves a product of vector and matrix.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace {

using Matrix = std::vector<float>;  // size x size, row-major

// Computes the whole product, one row at a time.
std::vector<double> by_product(const Matrix& a, const Matrix& b, std::size_t size) {
  std::vector<double> sums(size, 0.);
#pragma omp parallel
  {
    std::vector<float> row(size);
    std::vector<double> own(size, 0.);
#pragma omp for
    for (std::size_t i = 0; i < size; ++i) {
      std::ranges::fill(row, 0.f);
      for (std::size_t k = 0; k < size; ++k)
        for (std::size_t j = 0; j < size; ++j) row[j] += a[i * size + k] * b[k * size + j];
      for (std::size_t j = 0; j < size; ++j) own[j] += static_cast<double>(row[j]);
    }
#pragma omp critical
    for (std::size_t j = 0; j < size; ++j) sums[j] += own[j];
  }
  return sums;
}

std::vector<double> by_algebra(const Matrix& a, const Matrix& b, std::size_t size) {
  std::vector<double> columns(size, 0.), sums(size, 0.);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t k = 0; k < size; ++k) columns[k] += static_cast<double>(a[i * size + k]);
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t j = 0; j < size; ++j)
      sums[j] += columns[k] * static_cast<double>(b[k * size + j]);
  return sums;
}

template <class Call>
double median_seconds(Call call) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    seconds.push_back(taken.count());
  }
  std::ranges::sort(seconds);
  return seconds[3];
}

}  // namespace

int main(int argc, char** argv) {
  const auto size = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 1000);
  Matrix a(size * size), b(size * size);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i * 2654435761u % 1000) / 1000 - 0.5f;
    b[i] = static_cast<float>(i * 40503u % 1000) / 1000 - 0.5f;
  }
  std::vector<double> product, algebra;
  const double slow = median_seconds([&] { product = by_product(a, b, size); });
  const double fast = median_seconds([&] { algebra = by_algebra(a, b, size); });
  double largest = 0;
  for (std::size_t j = 0; j < size; ++j)
    largest = std::max(largest, std::abs(product[j] - algebra[j]));
  const double n = static_cast<double>(size);
  if (!(largest < 1e-6 * n * n)) return fmt::print("the two differ by {}\n", largest), 1;
  fmt::print(
      "{0} x {0}: by the product {1:.3f} ms, rows first {2:.3f} ms, {3:.0f} times as fast; "
      "they differ by {4:.1e}\n",
      size, 1e3 * slow, 1e3 * fast, slow / fast, largest);
}
