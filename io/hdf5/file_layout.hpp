// Where the bytes of a file lie that HDF5 has laid out without the values of its fields.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5/field_values.hpp"
#include "kernels/grid/grid.hpp"

namespace lapl {

/// A dataset of the grid's values that HDF5 makes room for.
struct LaidOutField {
  std::string name;
  Precision precision = Precision::float64;
};

/// Values of other datasets, by their names.
using NamedValues = std::vector<std::pair<std::string, std::span<const std::byte>>>;

/// Has HDF5 write a file at a scratch path.
using WriteHdf5 = std::function<void(const std::filesystem::path& scratch)>;

/// What HDF5 lays out.
struct FilePlan {
  Shape shape;
  std::vector<LaidOutField> fields = {};
  std::size_t records = 1;           ///< of each field
  std::uint64_t expected_bytes = 0;  ///< of all but the values, amply
  WriteHdf5 write_hdf5 = {};         ///< makes a dataset for each field, without values
};

/// Values of a field that lie in one piece.
struct PlacedRun {
  std::size_t field = 0, record = 0;
  ValueRun run;
};

struct FileLayout {
  std::uint64_t size = 0;               ///< without the seal
  std::vector<PlacedRun> runs;          ///< in the order of the file
  std::vector<std::byte> rest;          ///< what lies before, between and behind them
  std::vector<std::uint64_t> changing;  ///< where in the rest the values lie that were asked for

  /// Puts values, which are as long as those before, into the rest.
  void put(const NamedValues& values);
};

/// Calls rest(offset, size) and values(placed run) for what a file consists of, in its order.
template <class Rest, class Values>
void for_each_part(const FileLayout& layout, const Rest& rest, const Values& values) {
  std::uint64_t at = 0;
  for (const PlacedRun& placed : layout.runs) {
    const ValueRun& run = placed.run;
    if (run.offset > at) rest(at, run.offset - at);
    values(placed);
    at = run.offset + run.size + run.padding;
  }
  if (layout.size > at) rest(at, layout.size - at);
}

struct LaidOut {
  FileLayout layout;
  bool in_memory = true;  ///< else what HDF5 has written is at `path`
};

/// Has HDF5 lay out the file `path`, whose name in messages is `label`, in memory; at the path
/// where that has no room for it. `changing` names those values that FileLayout::put replaces.
/// Throws IoError.
LaidOut lay_out(const std::filesystem::path& path, const std::string& label, const FilePlan& plan,
                const NamedValues& changing);

}  // namespace lapl
