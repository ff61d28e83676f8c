// Vectors of doubles that several threads go through, with the same results on any number of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/machine/background.hpp"
#include "kernels/machine/host_buffer.hpp"

namespace lapl {

// The fewest values for which starting a thread pays.
inline constexpr std::int64_t worth_a_thread = 1 << 16;

// Calls work(i) for each index of the values on several threads.
template <class Work>
void for_each_value(std::int64_t values, const Work& work) {
  in_pieces(values, worth_a_thread, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) work(i);
  });
}

// A number for each block of values, computed on several threads. The blocks do not depend on the
// number of threads, and so the results that are combined from them do not either.
template <class OfBlock>
std::vector<double> by_block(std::int64_t values, const OfBlock& of_block) {
  const std::int64_t blocks = values / worth_a_thread + 1;
  std::vector<double> results(blocks);
  in_pieces(blocks, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block)
      results[block] = of_block(values * block / blocks, values * (block + 1) / blocks);
  });
  return results;
}

inline constexpr auto no_work_before = [](std::int64_t, std::int64_t) {};

// The dot product; calls before(first, last) for each block before it reads the block.
template <class Before = decltype(no_work_before)>
double dot(std::span<const double> a, std::span<const double> b,
           const Before& before = no_work_before) {
  const auto sums = by_block(std::ssize(a), [&](std::int64_t first, std::int64_t last) {
    before(first, last);
    constexpr std::int64_t lanes = 16;  // independent sums, so that additions overlap
    std::array<double, lanes> partial{};
    for (; first + lanes <= last; first += lanes)
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        partial[lane] += a[first + lane] * b[first + lane];
    for (; first < last; ++first) partial[0] += a[first] * b[first];
    return std::accumulate(partial.begin(), partial.end(), 0.0);
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

inline double largest(std::span<const double> values) {
  return std::ranges::max(by_block(std::ssize(values), [&](std::int64_t first, std::int64_t last) {
    double most = 0;
    for (std::int64_t i = first; i < last; ++i) most = std::max(most, std::abs(values[i]));
    return most;
  }));
}

// The index of the first value that is not finite, or the number of values if all are; calls
// before(first, last) for each block before it reads the block.
template <class Before = decltype(no_work_before)>
std::int64_t first_not_finite(std::span<const double> values,
                              const Before& before = no_work_before) {
  const auto wrong = by_block(std::ssize(values), [&](std::int64_t first, std::int64_t last) {
    before(first, last);
    while (first < last && std::isfinite(values[first])) ++first;
    return static_cast<double>(first < last ? first : std::ssize(values));
  });
  return static_cast<std::int64_t>(std::ranges::min(wrong));
}

// Vectors with one value for each field and cell, in a HostBuffer that `threads` threads share.
class Vectors {
 public:
  Vectors(int count, std::int64_t values, int threads)
      : values_(values), memory_(count * values, threads) {}
  std::span<double> operator[](std::int64_t index) {
    return {memory_.data() + index * values_, static_cast<std::size_t>(values_)};
  }

 private:
  std::int64_t values_;
  HostBuffer<double> memory_;
};

}  // namespace lapl
