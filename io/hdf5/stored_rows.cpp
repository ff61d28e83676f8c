#include "io/hdf5/stored_rows.hpp"

#include <algorithm>

#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/packed_values.hpp"

namespace lapl {
namespace {

std::vector<ContiguousValues> field_chunks(const FilePlan& plan, std::size_t field) {
  return packed_chunks(plan.shape, byte_size(plan.fields[field].second));
}

std::uint64_t row_bytes(const FilePlan& plan, std::size_t field) {
  return static_cast<std::uint64_t>(plan.shape.columns) * byte_size(plan.fields[field].second);
}

}  // namespace

void StoredRows::convert(const FilePlan& plan, const std::vector<FieldView>& values) {
  for (std::size_t field = 0; field < values.size(); ++field) {
    const auto& [name, precision] = plan.fields[field];
    const std::optional<int> kept_bits = plan.form.kept_bits();
    if (!kept_bits && precision == value_precision(values[field])) {
      fields.push_back(values[field]);
      continue;
    }
    converted_.push_back(as_stored(values[field], precision, kept_bits, name));
    fields.push_back(as_view(converted_.back()));  // moving a vector leaves its values in place
  }
}

void StoredRows::fetch_tails(Ranks& ranks, const FilePlan& plan,
                             std::span<const std::uint64_t> ends) {
  constexpr int tag = 7;
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const auto first_row = [&](std::size_t of) { return of == 0 ? 0 : ends[of - 1]; };
  first_row_ = first_row(rank);
  end_row_ = ends[rank];
  tails_.resize(plan.fields.size());
  std::vector<Ranks::Message> sent, received;
  for (std::size_t field = 0; field < plan.fields.size(); ++field) {
    const std::uint64_t row = row_bytes(plan, field);
    for (const ContiguousValues& chunk : field_chunks(plan, field)) {
      const auto owner = static_cast<std::size_t>(
          std::ranges::upper_bound(ends, chunk.first / row) - ends.begin());
      const std::uint64_t end = chunk.first + chunk.size;
      if (owner == rank && end > end_row_ * row) {
        tails_[field].resize(end - end_row_ * row);
        std::span<std::byte> rest = tails_[field];
        for (std::size_t other = rank + 1; !rest.empty(); ++other) {
          const std::uint64_t size =
              std::min<std::uint64_t>(rest.size(), (ends[other] - first_row(other)) * row);
          if (size > 0) received.push_back({static_cast<int>(other), tag, rest.first(size)});
          rest = rest.subspan(size);
        }
      } else if (owner < rank && end > first_row_ * row && end_row_ > first_row_) {
        const auto own =
            field_bytes(fields[field]).first(std::min(end, end_row_ * row) - first_row_ * row);
        // Messages are of bytes that may be changed; those that are sent are not.
        sent.push_back(
            {static_cast<int>(owner), tag, {const_cast<std::byte*>(own.data()), own.size()}});
      }
    }
  }
  if (ranks.count() > 1) ranks.exchange(sent, received);
}

void StoredRows::pack_chunks(const FilePlan& plan) {
  std::vector<Unpacked> unpacked;
  std::vector<std::pair<std::size_t, std::uint64_t>> places;
  for (std::size_t field = 0; field < plan.fields.size(); ++field) {
    const std::uint64_t first = first_row_ * row_bytes(plan, field);
    const auto own = field_bytes(fields[field]);
    for (const ContiguousValues& chunk : field_chunks(plan, field)) {
      if (chunk.first < first || chunk.first >= first + own.size()) continue;
      const auto here = own.subspan(chunk.first - first);
      places.emplace_back(field, chunk.first);
      unpacked.push_back({byte_size(plan.fields[field].second),
                          {here.first(std::min<std::uint64_t>(here.size(), chunk.size))},
                          chunk.padding});
      if (here.size() < chunk.size) unpacked.back().parts.emplace_back(tails_[field]);
    }
  }
  std::vector<std::vector<std::byte>> packed = pack(unpacked, plan.form.compression);
  for (std::size_t i = 0; i < places.size(); ++i) chunks[places[i]] = std::move(packed[i]);
}

PackedSizes StoredRows::sizes(Ranks& ranks, const FilePlan& plan) const {
  PackedSizes sizes;
  for (std::size_t field = 0; field < plan.fields.size(); ++field) {
    std::vector<std::uint64_t>& of_field = sizes.emplace_back();
    for (const ContiguousValues& chunk : field_chunks(plan, field)) {
      const auto held = chunks.find({field, chunk.first});
      of_field.push_back(held == chunks.end() ? 0 : held->second.size());
    }
    ranks.reduce(Reduction::sum, of_field);
  }
  return sizes;
}

}  // namespace lapl
