// Collects and distributes values of a grid of which each rank has some whole rows.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/fields/digest.hpp"
#include "kernels/fields/found_value.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

/// Returns all values on all ranks. Exactly one rank passes each value; the others pass none for
/// it.
template <class T>
std::vector<T> values_of_ranks(Ranks& ranks, std::span<const std::optional<T>> own) {
  std::vector<std::uint64_t> bits;
  for (const std::optional<T>& value : own) bits.push_back(value ? as_bits(*value) : 0);
  ranks.reduce(Reduction::any_bit, bits);
  std::vector<T> found;
  for (const std::uint64_t of_value : bits)
    found.push_back(std::bit_cast<T>(
        static_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(of_value)));
  return found;
}

/// The smallest of the ranks' indices; none if no rank has one.
inline std::optional<std::int64_t> first_on_ranks(Ranks& ranks, std::optional<std::int64_t> here) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  const std::uint64_t first =
      ranks.reduce(Reduction::least, here ? static_cast<std::uint64_t>(*here) : none);
  return first == none ? std::nullopt : std::optional(static_cast<std::int64_t>(first));
}

/// Like found_value_at, for a state or field spread over ranks. `own(index)` returns the value at
/// `index` on the rank that owns it, and none on the others.
template <class T, class Own>
FoundValue<T> found_value_of_ranks(Ranks& ranks, std::int64_t index, Shape shape, const Own& own) {
  FoundValue<T> found{.index = index};
  std::vector<std::optional<T>> around;
  for (const std::int64_t at : indices_around(index, shape)) around.push_back(own(at));
  std::ranges::copy(values_of_ranks<T>(ranks, around), found.around.begin());
  return found;
}

/// The index of the first value of a field that is not finite; the same on all ranks.
template <class T>
std::optional<std::int64_t> first_not_finite(Ranks& ranks, RowRange rows, std::int64_t columns,
                                             std::span<const T> values) {
  auto here = first_not_finite(values);
  if (here) *here += rows.first * columns;
  return first_on_ranks(ranks, here);
}

/// Returns on the first rank the whole field, from the rows of all ranks; empty on the others.
template <class T>
std::vector<T> gather_rows(Ranks& ranks, std::span<const T> values) {
  const auto all = gather(ranks, std::as_bytes(values));
  std::vector<T> whole;
  for (const std::vector<std::byte>& part : all) {
    const std::size_t before = whole.size();
    whole.resize(before + part.size() / sizeof(T));
    std::ranges::copy(part, std::as_writable_bytes(std::span(whole).subspan(before)).begin());
  }
  return whole;
}

/// Sends to each rank its rows of the whole grid's values, which the first rank has.
template <class T>
void scatter_rows(Ranks& ranks, std::span<const T> whole, RowRange rows, std::int64_t columns,
                  std::span<T> mine) {
  constexpr int tag = 4;
  std::vector<std::uint64_t> first(ranks.count()), count(ranks.count());
  first[ranks.rank()] = static_cast<std::uint64_t>(rows.first * columns);
  count[ranks.rank()] = static_cast<std::uint64_t>(rows.count * columns);
  ranks.reduce(Reduction::sum, first);
  ranks.reduce(Reduction::sum, count);
  if (!ranks.is_first()) {
    const Ranks::Message received{0, tag, std::as_writable_bytes(mine)};
    return ranks.exchange({}, {&received, 1});
  }
  std::vector<Ranks::Message> sent;
  for (int rank = 1; rank < ranks.count(); ++rank) {
    const auto part = std::as_bytes(whole.subspan(first[rank], count[rank]));
    // The const_cast is safe: MPI only reads these values.
    sent.push_back({rank, tag, {const_cast<std::byte*>(part.data()), part.size()}});
  }
  std::ranges::copy(whole.subspan(first[0], count[0]), mine.begin());
  ranks.exchange(sent, {});
}

}  // namespace lapl
