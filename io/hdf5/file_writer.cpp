#include "io/hdf5/file_writer.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <future>
#include <numeric>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "io/durable/durable_file.hpp"
#include "io/durable/seal.hpp"
#include "io/durable/temporary_file.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/stored_rows.hpp"
#include "kernels/machine/background.hpp"

namespace lapl {
namespace {

/// Contiguous bytes of the file that one rank stores.
struct Segment {
  int owner = 0;
  std::uint64_t offset = 0;
  std::uint64_t zeros = 0;                ///< number of zeros after the bytes
  bool is_rest = false;                   ///< true if it has no values of fields
  std::span<const std::byte> bytes = {};  ///< empty on ranks other than the owner
};

/// Calls rest(offset, size) for bytes without field values and values(run), in the file's order.
template <class Rest, class Values>
void for_each_part(const FileLayout& layout, const Rest& rest, const Values& values) {
  std::uint64_t at = 0;
  for (const FileLayout::PlacedValues& placed : layout.runs) {
    const ContiguousValues& run = placed.run;
    if (run.offset > at) rest(at, run.offset - at);
    values(placed);
    at = run.offset + run.size + run.padding;
  }
  if (layout.size > at) rest(at, layout.size - at);
}

/// Finds where HDF5 has put the values of the fields, and the other values that differ between
/// files of this layout (`changing`).
FileLayout find_values(hid_t file, const FilePlan& plan, const NamedValues& changing) {
  FileLayout layout;
  for (std::size_t field = 0; field < plan.fields.size(); ++field)
    for (std::size_t record = 0; record < plan.records; ++record)
      for (const auto& [name, precision] = plan.fields[field];
           const ContiguousValues& run :
           contiguous_values(file, name, record, plan.shape, byte_size(precision)))
        layout.runs.push_back({field, record, run});
  std::ranges::sort(layout.runs, {},
                    [](const FileLayout::PlacedValues& placed) { return placed.run.offset; });
  std::uint64_t end = 0;
  for (const auto& [field, record, run] : layout.runs) {
    if (run.offset < end) throw IoError("HDF5 has put values over each other");
    end = run.offset + run.size + run.padding;
  }
  for (const auto& [name, bytes] : changing) {
    const Hdf5Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "open dataset " + name);
    layout.changing.push_back(H5Dget_offset(dataset));
    if (layout.changing.back() == HADDR_UNDEF || H5Dget_storage_size(dataset) != bytes.size())
      throw IoError("dataset " + name + " does not lie in one piece, as lapl writes it");
  }
  return layout;
}

void read_rest(const PosixFile& written, const std::string& label, FileLayout& layout) {
  layout.size = written.size();
  const std::vector<std::uint64_t> changing = layout.changing;  // positions in the file
  std::uint64_t values_before = 0;
  const auto read = [&](std::uint64_t offset, std::uint64_t size) {
    const std::size_t before = layout.rest.size();
    layout.rest.resize(before + size);
    written.seek(offset);
    if (written.read(std::span(layout.rest).subspan(before)) < size)
      throw IoError(label + ": became shorter while it was read");
    for (std::size_t i = 0; i < changing.size(); ++i)
      if (changing[i] >= offset) layout.changing[i] = changing[i] - values_before;
  };
  for_each_part(layout, read, [&](const FileLayout::PlacedValues& placed) {
    values_before += placed.run.size + placed.run.padding;
  });
}

/// Lets HDF5 lay the file out in memory and calls `use_layout` with its path. If the memory does
/// not suffice, uses the temporary file and removes it afterwards.
template <class UseLayout>
void lay_out_once(const TemporaryFile& temporary, const FilePlan& plan, const PackedSizes& sizes,
                  FileLayout& layout, const UseLayout& use_layout) {
  const std::string label = temporary.target().string();
  std::uint64_t bytes = plan.expected_bytes;  // HDF5 writes zeros in the place of packed chunks
  for (const auto& of_record : sizes)
    bytes = std::reduce(of_record.begin(), of_record.end(), bytes);
  const auto memory =
      write_scratch(temporary.path(), label, bytes, [&](const std::filesystem::path& scratch) {
        naming_file(label, [&] {
          plan.write_hdf5(scratch, sizes);
          use_layout(scratch);
        });
      });
  if (memory) return read_rest(*memory, label, layout);
  read_rest(PosixFile(temporary.path(), O_RDONLY, label), label, layout);
  std::error_code error;
  std::filesystem::remove(temporary.path(), error);
  if (error)
    throw IoError("{}: cannot remove {}: {}", label, temporary.path().filename().string(),
                  error.message());
}

FileLayout lay_out(const TemporaryFile& temporary, const FilePlan& plan, const PackedSizes& sizes,
                   const NamedValues& changing) {
  const Hdf5Session session;
  FileLayout layout, again;
  lay_out_once(temporary, plan, sizes, layout, [&](const std::filesystem::path& scratch) {
    layout = find_values(reopen_hdf5_file(scratch), plan, changing);
    again.runs = layout.runs;
  });
  lay_out_once(temporary, plan, sizes, again, [](const std::filesystem::path&) {});
  if (layout.size != again.size || layout.rest != again.rest)
    throw IoError(temporary.target().string() + ": HDF5 writes it otherwise when it does so again");
  return layout;
}

/// Copies the changing values into `rest`.
void put(const NamedValues& changing, FileLayout& layout) {
  for (std::size_t i = 0; i < changing.size(); ++i)
    std::ranges::copy(changing[i].second,
                      layout.rest.begin() + static_cast<std::ptrdiff_t>(layout.changing[i]));
}

/// Calls `work` on all ranks. If it fails on any, all throw the error of the first of these ranks.
template <class Work>
void on_all_ranks(Ranks& ranks, const std::string& label, const Work& work) {
  if (ranks.count() == 1) return work();
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

/// For each rank, the row after its last one.
std::vector<std::uint64_t> ends_of_ranks(Ranks& ranks, RowRange rows) {
  std::vector<std::uint64_t> ends(ranks.count());
  if (rows.count > 0) ends[ranks.rank()] = static_cast<std::uint64_t>(rows.end());
  ranks.reduce(Reduction::sum, ends);
  for (std::size_t rank = 1; rank < ends.size(); ++rank)
    ends[rank] = std::max(ends[rank], ends[rank - 1]);
  return ends;
}

std::uint64_t bytes_of_rows(const FilePlan& plan, std::size_t field, std::int64_t rows) {
  return static_cast<std::uint64_t>(rows * plan.shape.columns) *
         byte_size(plan.fields[field].second);
}

void check_rows(const std::string& label, const FilePlan& plan, const RankedValues& values,
                std::span<const std::uint64_t> ends, int rank) {
  const auto first = static_cast<std::int64_t>(rank == 0 ? 0 : ends[rank - 1]);
  const std::int64_t all = RowRange::all(plan.shape).count;
  if ((values.rows.count > 0 && values.rows.first != first) ||
      static_cast<std::int64_t>(ends.back()) != all)
    throw IoError("{}: rank {} has rows from {} on after {}, and the ranks have {} of {}", label,
                  rank, values.rows.first, first, ends.back(), all);
  for (std::size_t field = 0; field < plan.fields.size(); ++field)
    if (const FieldView held = values.fields[field];
        std::ssize(field_bytes(held)) !=
        values.rows.count * plan.shape.columns *
            static_cast<std::int64_t>(byte_size(value_precision(held))))
      throw IoError("{}: field {} has {} values, but {} {}", label, plan.fields[field].first,
                    value_count(held),
                    ends.size() == 1 ? "the grid has" : "the rows of this rank have",
                    values.rows.count * plan.shape.columns);
}

/// Sends the size and the runs from the first rank to all ranks.
void broadcast(Ranks& ranks, FileLayout& layout) {
  std::array<std::uint64_t, 2> sizes = {layout.size, layout.runs.size()};
  ranks.broadcast(std::as_writable_bytes(std::span(sizes)));
  layout.size = sizes[0];
  layout.runs.resize(sizes[1]);
  ranks.broadcast(std::as_writable_bytes(std::span(layout.runs)));
}

/// All parts of the file, in order.
std::vector<Segment> file_segments(const FilePlan& plan, const FileLayout& layout,
                                   const StoredRows& stored, RowRange rows,
                                   std::span<const std::uint64_t> ends, int rank) {
  std::vector<Segment> segments;
  std::span<const std::byte> rest = layout.rest;
  const auto add_rest = [&](std::uint64_t offset, std::uint64_t size) {
    segments.push_back({.offset = offset, .is_rest = true});
    if (rank != 0) return;
    segments.back().bytes = rest.first(size);
    rest = rest.subspan(size);
  };
  const auto add_values = [&](const FileLayout::PlacedValues& placed) {
    const ContiguousValues& run = placed.run;
    const std::uint64_t row_bytes = bytes_of_rows(plan, placed.field, 1);
    if (plan.form.compression > 0) {
      const auto owner = std::ranges::upper_bound(ends, run.first / row_bytes) - ends.begin();
      segments.push_back({.owner = static_cast<int>(owner), .offset = run.offset});
      if (owner == rank) segments.back().bytes = stored.chunks.at({placed.field, run.first});
      return;
    }
    const std::uint64_t own_first = bytes_of_rows(plan, placed.field, rows.first);
    const std::uint64_t end = run.first + run.size;
    for (std::uint64_t from = run.first, to = from; from < end; from = to) {
      const auto owner = std::ranges::upper_bound(ends, from / row_bytes) - ends.begin();
      to = std::min(end, ends[owner] * row_bytes);
      segments.push_back(
          {.owner = static_cast<int>(owner), .offset = run.offset + (from - run.first)});
      if (owner == rank)
        segments.back().bytes =
            field_bytes(stored.fields[placed.field]).subspan(from - own_first, to - from);
    }
    segments.back().zeros = run.padding;
  };
  for_each_part(layout, add_rest, add_values);
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

/// The seal's checksum needs the bytes in order, so the ranks add theirs in turn. The result is
/// valid on the first rank only.
SealBytes collective_seal(Ranks& ranks, std::span<const Segment> segments) {
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

void FileWriter::write(Ranks& ranks, const std::filesystem::path& path, const FilePlan& plan,
                       const RankedValues& values, const std::string& key) {
  constexpr std::size_t worth_keeping = std::size_t{32} << 20, worth_a_thread = 1 << 20;
  const std::string label = path.string();
  const std::vector<std::uint64_t> ends = ends_of_ranks(ranks, values.rows);
  std::unique_ptr<TemporaryFile> temporary;  // only on the first rank
  bool has_values = false;                   // true if begin() wrote the fields
  std::optional<PosixFile> file;
  StoredRows stored;
  on_all_ranks(ranks, label, [&] {
    check_rows(label, plan, values, ends, ranks.rank());
    naming_file(label, [&] { stored.convert(plan, values.fields); });
  });
  PackedSizes sizes;
  if (plan.form.compression > 0) {
    stored.fetch_tails(ranks, plan, ends);
    on_all_ranks(ranks, label, [&] { stored.pack_chunks(plan); });
    sizes = stored.sizes(ranks, plan);
  }
  on_all_ranks(ranks, label, [&] {
    if (!ranks.is_first()) return;
    if (begun_ && (begun_->temporary->target() != path || key_ != key)) begun_.reset();
    if (begun_) {
      begun_->writing.get();
      has_values = true;
      temporary = std::move(begun_->temporary);
      file.emplace(std::move(begun_->file));
      begun_.reset();
    } else {
      temporary = std::make_unique<TemporaryFile>(path);
    }
    if (key_.empty() || key_ != key || !sizes.empty()) {
      key_.clear();
      layout_ = lay_out(*temporary, plan, sizes, values.changing);
      if (sizes.empty()) key_ = key;
    }
    put(values.changing, layout_);
    if (!file) file.emplace(temporary->open(O_WRONLY | O_CREAT | O_EXCL));
  });
  broadcast(ranks, layout_);
  const std::string name = broadcast_text(ranks, temporary ? temporary->path().string() : "");
  std::vector<Segment> segments;
  std::future<SealBytes> sealing;
  on_all_ranks(ranks, label, [&] {
    segments = file_segments(plan, layout_, stored, values.rows, ends, ranks.rank());
    if (ranks.count() == 1 && layout_.size > worth_a_thread)
      sealing = in_background([&] { return collective_seal(ranks, segments); });
    if (!file) file.emplace(name, O_WRONLY, label);
    for (const Segment& segment : segments)
      if (!has_values || segment.is_rest) file->write_at(segment.bytes, segment.offset);
    if (ranks.count() > 1) file->sync();  // in parallel; a single rank syncs when it commits
    if (!ranks.is_first()) file->close();
  });
  const SealBytes seal = sealing.valid() ? sealing.get() : collective_seal(ranks, segments);
  on_all_ranks(ranks, label, [&] {
    if (!ranks.is_first()) return;
    file->write_at(seal, layout_.size);
    temporary->commit(*file);
  });
  if (layout_.rest.size() > worth_keeping) {
    key_.clear();
    layout_ = {};
  }
}

void FileWriter::begin(const std::filesystem::path& path, std::vector<FieldView> fields) {
  begun_.reset();
  std::error_code error;
  const auto room = std::filesystem::space(path.parent_path(), error).available;
  if (key_.empty() || error || room / 4 < layout_.size) return;
  try {
    auto temporary = std::make_unique<TemporaryFile>(path);
    PosixFile file = temporary->open(O_WRONLY | O_CREAT | O_EXCL);
    begun_.emplace(Begun{std::move(temporary), std::move(file), {}});
  } catch (const IoError&) {  // write() tries again, and reports it
    return;
  }
  begun_->writing = in_background([this, fields = std::move(fields)] {
    for (const auto& [field, record, run] : layout_.runs)
      begun_->file.write_at(field_bytes(fields.at(field)).subspan(run.first, run.size), run.offset);
  });
}

void write_records(const std::filesystem::path& path, const FilePlan& plan,
                   const NamedValues& changing,
                   const std::function<void(const PutRecord& put)>& make,
                   const PackedSizes& sizes) {
  const std::string label = path.string();
  TemporaryFile temporary(path);
  FileLayout layout = lay_out(temporary, plan, sizes, changing);
  PosixFile file = temporary.open(O_RDWR | O_CREAT | O_EXCL);
  std::vector<FileLayout::PlacedValues> runs = layout.runs;
  std::ranges::sort(runs, {}, [](const FileLayout::PlacedValues& placed) {
    return std::tuple(placed.field, placed.record, placed.run.first);
  });
  make([&](std::size_t field, std::size_t record, std::span<const std::byte> values) {
    const auto [first, last] =  // Clang 14 does not compile std::ranges::equal_range
        std::equal_range(runs.begin(), runs.end(), FileLayout::PlacedValues{field, record, {}},
                         [](const auto& a, const auto& b) {
                           return std::pair(a.field, a.record) < std::pair(b.field, b.record);
                         });
    std::uint64_t bytes = 0;
    for (auto placed = first; placed != last; ++placed) bytes += placed->run.size;
    if (values.size() != bytes)
      throw IoError("{}: a record of {} has {} bytes (expected {})", label,
                    plan.fields[field].first, values.size(), bytes);
    for (auto placed = first; placed != last; ++placed) {
      file.write_at(values.first(placed->run.size), placed->run.offset);
      values = values.subspan(placed->run.size);
    }
  });
  put(changing, layout);
  std::span<const std::byte> rest = layout.rest;
  const auto write_rest = [&](std::uint64_t offset, std::uint64_t size) {
    file.write_at(rest.first(size), offset);
    rest = rest.subspan(size);
  };
  // Writing only the last byte sets the file's size.
  const auto write_padding = [&](const FileLayout::PlacedValues& placed) {
    if (const ContiguousValues& run = placed.run; run.padding > 0)
      file.write_at(std::array{std::byte{0}}, run.offset + run.size + run.padding - 1);
  };
  for_each_part(layout, write_rest, write_padding);
  file.write_at(seal_of_file(file, label), layout.size);
  temporary.commit(file);
}

}  // namespace lapl
