#include "io/hdf5/file_layout.hpp"

#include <fcntl.h>

#include <algorithm>

#include "io/durable/temporary_file.hpp"
#include "io/hdf5/field_dataset.hpp"

namespace lapl {
namespace {

/// Where HDF5 has room for values.
std::vector<PlacedRun> find_runs(hid_t file, const FilePlan& plan) {
  std::vector<PlacedRun> runs;
  for (std::size_t field = 0; field < plan.fields.size(); ++field)
    for (std::size_t record = 0; record < plan.records; ++record)
      for (const ValueRun& run : runs_of(file, plan.fields[field].name, record, plan.shape,
                                         size_of(plan.fields[field].precision)))
        runs.push_back({field, record, run});
  std::ranges::sort(runs, {}, [](const PlacedRun& placed) { return placed.run.offset; });
  std::uint64_t end = 0;
  for (const auto& [field, record, run] : runs) {
    if (run.offset < end) throw IoError("HDF5 has put values over each other");
    end = run.offset + run.size + run.padding;
  }
  return runs;
}

std::vector<std::uint64_t> find_values(hid_t file, const NamedValues& values) {
  std::vector<std::uint64_t> offsets;
  for (const auto& [name, bytes] : values) {
    const Hdf5Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "open dataset " + name);
    const haddr_t address = H5Dget_offset(dataset);
    if (address == HADDR_UNDEF || H5Dget_storage_size(dataset) != bytes.size())
      throw IoError("dataset " + name + " does not lie in one piece, as lapl writes it");
    offsets.push_back(address);
  }
  return offsets;
}

void read_rest(const PosixFile& written, const std::string& label, FileLayout& layout) {
  layout.size = written.size();
  std::uint64_t values_before = 0;
  auto changing = layout.changing;
  for_each_part(
      layout,
      [&](std::uint64_t offset, std::uint64_t size) {
        const std::size_t before = layout.rest.size();
        layout.rest.resize(before + size);
        written.seek(offset);
        if (written.read(std::span(layout.rest).subspan(before)) < size)
          throw IoError(label + ": became shorter while it was read");
        for (std::size_t i = 0; i < changing.size(); ++i)
          if (changing[i] >= offset && changing[i] < offset + size)
            layout.changing[i] = changing[i] - values_before;
      },
      [&](const PlacedRun& placed) { values_before += placed.run.size + placed.run.padding; });
}

}  // namespace

void FileLayout::put(const NamedValues& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    std::ranges::copy(values[i].second, rest.begin() + static_cast<std::ptrdiff_t>(changing[i]));
}

LaidOut lay_out(const std::filesystem::path& path, const std::string& label, const FilePlan& plan,
                const NamedValues& changing) {
  const Hdf5Session session;
  LaidOut laid_out;
  FileLayout& layout = laid_out.layout;
  const auto memory =
      write_scratch(path, label, plan.expected_bytes, [&](const std::filesystem::path& scratch) {
        naming_file(label, [&] {
          plan.write_hdf5(scratch);
          const Hdf5File file = reopen_hdf5_file(scratch);
          layout.runs = find_runs(file, plan);
          layout.changing = find_values(file, changing);
        });
      });
  laid_out.in_memory = memory.has_value();
  if (memory)
    read_rest(*memory, label, layout);
  else
    read_rest(PosixFile(path, O_RDONLY, label), label, layout);
  return laid_out;
}

}  // namespace lapl
