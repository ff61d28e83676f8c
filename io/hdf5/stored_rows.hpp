// One rank's part of a file's values, in the form in which the file has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "io/hdf5/file_writer.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {

struct StoredRows {
  std::vector<FieldView> fields = {};  ///< this rank's rows of each field
  /// Packed chunks by field and by ContiguousValues::first: those whose first row this rank has.
  std::map<std::pair<std::size_t, std::uint64_t>, std::vector<std::byte>> chunks = {};

  /// Sets `fields`, rounded and in the precision of the plan. Throws IoError.
  void convert(const FilePlan& plan, const std::vector<FieldView>& values);
  /// Collective: gets the rows of this rank's last chunks that the ranks after it have. `ends` has
  /// for each rank the row after its last one.
  void fetch_tails(Ranks& ranks, const FilePlan& plan, std::span<const std::uint64_t> ends);
  /// Sets `chunks`. Throws IoError.
  void pack_chunks(const FilePlan& plan);
  /// Collective: the sizes of all chunks, on all ranks.
  PackedSizes sizes(Ranks& ranks, const FilePlan& plan) const;

 private:
  std::vector<FieldValues> converted_ = {};         // what `fields` shows, if it is no other's
  std::vector<std::vector<std::byte>> tails_ = {};  // of each field
  std::uint64_t first_row_ = 0, end_row_ = 0;
};

}  // namespace lapl
