#include "io/hdf5/ranked_file.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <optional>

#include "io/durable/seal.hpp"
#include "io/durable/temporary_file.hpp"
#include "io/hdf5/field_dataset.hpp"

namespace lapl {
namespace {

/// A run of a field's values in the file.
struct PlacedRun {
  std::size_t field = 0;
  ValueRun run;
};

struct FileLayout {
  std::uint64_t size = 0;       ///< without the seal
  std::vector<PlacedRun> runs;  ///< in the order of the file
  std::vector<std::byte> rest;  ///< what lies before, between and behind them; on the first rank
};

/// Bytes of the file that one rank has.
struct Segment {
  int owner = 0;
  std::uint64_t offset = 0;
  std::uint64_t zeros = 0;                ///< behind the bytes
  std::span<const std::byte> bytes = {};  ///< on the owner
};

/// Calls `work`, which may fail on some ranks: then all throw what the first of these did.
template <class Work>
void on_all_ranks(Ranks& ranks, const std::string& label, const Work& work) {
  std::string problem;
  try {
    work();
  } catch (const IoError& error) {
    problem = error.what();
  } catch (const std::exception& error) {
    problem = label + ": " + error.what();
  }
  problem = first_text(ranks, problem);
  if (!problem.empty()) throw IoError(problem);
}

/// The row after each rank's last.
std::vector<std::uint64_t> ends_of_ranks(Ranks& ranks, RowRange rows) {
  std::vector<std::uint64_t> ends(ranks.count());
  if (rows.count > 0) ends[ranks.rank()] = static_cast<std::uint64_t>(rows.end());
  ranks.reduce(Reduction::sum, ends);
  for (std::size_t rank = 1; rank < ends.size(); ++rank)
    ends[rank] = std::max(ends[rank], ends[rank - 1]);
  return ends;
}

std::uint64_t bytes_of_rows(const RankedValues& values, std::size_t field, std::int64_t rows) {
  return static_cast<std::uint64_t>(rows * values.shape.columns) *
         size_of(precision_of(values.fields[field].second));
}

void check_rows(const std::string& label, const RankedValues& values,
                std::span<const std::uint64_t> ends, int rank) {
  const auto first = static_cast<std::int64_t>(rank == 0 ? 0 : ends[rank - 1]);
  const std::int64_t all = RowRange::all(values.shape).count;
  if ((values.rows.count > 0 && values.rows.first != first) ||
      static_cast<std::int64_t>(ends.back()) != all)
    throw IoError("{}: rank {} has rows from {} on after {}, and the ranks have {} of {}", label,
                  rank, values.rows.first, first, ends.back(), all);
  for (std::size_t field = 0; field < values.fields.size(); ++field)
    if (const auto& [name, held] = values.fields[field];
        bytes_of(held).size() != bytes_of_rows(values, field, values.rows.count))
      throw IoError("{}: field {} has {} values, but the rows of this rank have {}", label, name,
                    count_of(held), values.rows.count * values.shape.columns);
}

/// What HDF5 has written, and where it has room for values.
FileLayout read_layout(const std::filesystem::path& scratch, const RankedValues& values) {
  FileLayout layout;
  const Hdf5File file = reopen_hdf5_file(scratch);
  for (std::size_t field = 0; field < values.fields.size(); ++field) {
    const auto& [name, held] = values.fields[field];
    for (const ValueRun& run : runs_of(file, name, values.shape, size_of(precision_of(held))))
      layout.runs.push_back({field, run});
  }
  std::ranges::sort(layout.runs, {}, [](const PlacedRun& placed) { return placed.run.offset; });
  return layout;
}

void read_rest(const PosixFile& written, const std::string& label, FileLayout& layout) {
  layout.size = written.size();
  std::uint64_t at = 0;
  const auto read_up_to = [&](std::uint64_t end) {
    const std::size_t before = layout.rest.size();
    if (end < at) throw IoError(label + ": HDF5 has put values over each other");
    layout.rest.resize(before + (end - at));
    written.seek(at);
    if (written.read(std::span(layout.rest).subspan(before)) < end - at)
      throw IoError(label + ": became shorter while it was read");
  };
  for (const auto& [field, run] : layout.runs) {
    read_up_to(run.offset);
    at = run.offset + run.size + run.padding;
  }
  read_up_to(layout.size);
}

/// The first rank's size and runs, on all.
void broadcast(Ranks& ranks, FileLayout& layout) {
  std::array<std::uint64_t, 2> sizes = {layout.size, layout.runs.size()};
  ranks.broadcast(std::as_writable_bytes(std::span(sizes)));
  layout.size = sizes[0];
  layout.runs.resize(sizes[1]);
  ranks.broadcast(std::as_writable_bytes(std::span(layout.runs)));
}

/// All of the file, in order.
std::vector<Segment> segments_of(const FileLayout& layout, const RankedValues& values,
                                 std::span<const std::uint64_t> ends, int rank) {
  std::vector<Segment> segments;
  std::uint64_t at = 0;
  std::span<const std::byte> rest = layout.rest;
  const auto add_rest_up_to = [&](std::uint64_t end) {
    if (end == at) return;
    segments.push_back({.offset = at});
    if (rank != 0) return;
    segments.back().bytes = rest.first(end - at);
    rest = rest.subspan(end - at);
  };
  for (const auto& [field, run] : layout.runs) {
    add_rest_up_to(run.offset);
    const std::uint64_t row_bytes = bytes_of_rows(values, field, 1);
    const std::uint64_t own_first = bytes_of_rows(values, field, values.rows.first);
    const std::uint64_t end = run.first + run.size;
    for (std::uint64_t from = run.first, to = from; from < end; from = to) {
      const auto owner = std::ranges::upper_bound(ends, from / row_bytes) - ends.begin();
      to = std::min(end, ends[owner] * row_bytes);
      segments.push_back(
          {.owner = static_cast<int>(owner), .offset = run.offset + (from - run.first)});
      if (owner == rank)
        segments.back().bytes =
            bytes_of(values.fields[field].second).subspan(from - own_first, to - from);
    }
    segments.back().zeros = run.padding;
    at = run.offset + run.size + run.padding;
  }
  add_rest_up_to(layout.size);
  return segments;
}

void add_zeros(SealMaker& maker, std::uint64_t count) {
  static constexpr std::array<std::byte, 65536> zeros = {};
  for (; count > 0; count -= std::min<std::uint64_t>(count, zeros.size()))
    maker.add(std::span(zeros).first(std::min<std::uint64_t>(count, zeros.size())));
}

void hand_over(Ranks& ranks, SealMaker& maker, int from, int to) {
  constexpr int tag = 6;
  std::vector<std::byte> progress = maker.progress();
  if (ranks.rank() == from) {
    const Ranks::Message sent{to, tag, progress};
    ranks.exchange({&sent, 1}, {});
  } else if (ranks.rank() == to) {
    const Ranks::Message received{from, tag, progress};
    ranks.exchange({}, {&received, 1});
    maker.go_on_from(progress);
  }
}

/// The digest takes bytes in their order: ranks add theirs in turn. On the first rank.
SealBytes seal_of(Ranks& ranks, std::span<const Segment> segments) {
  SealMaker maker;
  int holder = 0;
  const auto pass_to = [&](int owner) {
    if (owner != holder) hand_over(ranks, maker, holder, owner);
    holder = owner;
  };
  for (const Segment& segment : segments) {
    pass_to(segment.owner);
    if (segment.owner != ranks.rank()) continue;
    maker.add(segment.bytes);
    add_zeros(maker, segment.zeros);
  }
  pass_to(0);
  return maker.seal();
}

}  // namespace

void write_ranked(Ranks& ranks, const std::filesystem::path& path, std::uint64_t expected_bytes,
                  const RankedValues& values,
                  const std::function<void(const std::filesystem::path& scratch)>& write_hdf5) {
  const std::string label = path.string();
  const std::vector<std::uint64_t> ends = ends_of_ranks(ranks, values.rows);
  FileLayout layout;
  std::optional<TemporaryFile> temporary;  // of the first rank
  std::optional<PosixFile> file;
  on_all_ranks(ranks, label, [&] {
    check_rows(label, values, ends, ranks.rank());
    if (!ranks.is_first()) return;
    temporary.emplace(path);
    ScratchFile scratch = write_scratch(*temporary, expected_bytes, [&](const auto& at) {
      const Hdf5Session session;
      naming_file(path, [&] {
        write_hdf5(at);
        layout = read_layout(at, values);
      });
    });
    read_rest(scratch.written(), label, layout);
    file.emplace(std::move(scratch.file));
  });
  broadcast(ranks, layout);
  const std::string name = broadcast_text(ranks, temporary ? temporary->path().string() : "");
  std::vector<Segment> segments;
  on_all_ranks(ranks, label, [&] {
    segments = segments_of(layout, values, ends, ranks.rank());
    if (!file) file.emplace(name, O_WRONLY, label);
    for (const Segment& segment : segments) file->write_at(segment.bytes, segment.offset);
    file->sync();
    if (!ranks.is_first()) file->close();
  });
  const SealBytes seal = seal_of(ranks, segments);
  on_all_ranks(ranks, label, [&] {
    if (!ranks.is_first()) return;
    file->write_at(seal, layout.size);
    temporary->commit(*file);
  });
}

}  // namespace lapl
