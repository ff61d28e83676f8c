#include "io/hdf5/checkpoint.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/checkpoint_layout.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/fields/digest.hpp"
#include "solver/dataset_names.hpp"

namespace lapl {
namespace {

/// The values of one field in a state of `fields` fields.
FieldView field_part(FieldView state, std::size_t field, std::size_t fields) {
  const std::size_t cells = value_count(state) / fields;
  return std::visit([&](auto all) { return FieldView(all.subspan(field * cells, cells)); }, state);
}

constexpr const char* other_precision = "its fields are not all of the same precision";

/// Appends a field to a state. Throws IoError where their precisions differ.
void append(FieldValues& state, FieldValues field) {
  if (std::visit([](const auto& held) { return held.empty(); }, state)) {
    state = std::move(field);
  } else if (state.index() != field.index()) {
    throw IoError(other_precision);
  } else {
    std::visit(
        [&]<class Values>(Values& held) {
          const Values& more = std::get<Values>(field);
          held.reserve(held.size() + more.size());
          std::ranges::copy(more, std::back_inserter(held));
        },
        state);
  }
}

void write_hdf5(const std::filesystem::path& scratch, const CheckpointHeader& header,
                Precision precision) {
  Hdf5File file = create_hdf5_file(scratch, Hdf5Format::checkpoint);
  write_checkpoint_header(file, header);
  for (const std::string& name : header.fields)
    lay_out_contiguous_field(file, name, header.shape, precision).close("close dataset " + name);
  file.close("close the HDF5 file");
}

/// Equal for two headers only if their files differ in nothing but step, time, state digest,
/// mark of the list of outputs and the values of the fields.
std::string layout_key(const CheckpointHeader& header, Precision precision) {
  return fmt::format("{} {} {}\n{}\n{} {}\n{} {}\n{}\n{}", shape_text(header.shape),
                     header.shape.axes, enum_name(precision), fmt::join(header.fields, " "),
                     as_bits(header.time_step), as_bits(header.coefficient),
                     header.equation_digest.has_value(), header.equation_digest.value_or(0),
                     fmt::join(header.missing_outputs, " "), header.config) +
         fmt::format("\n{} {}", header.time.has_value(), header.step_state.size());
}

/// An upper bound of the bytes for everything but the values.
std::uint64_t expected_rest(const CheckpointHeader& header) {
  return header.config.size() + (std::uint64_t{1} << 20);
}

/// Calls use(dataset, name, layout) for each field.
template <class Use>
void for_fields(hid_t file, const CheckpointHeader& header, const Use& use) {
  for (const std::string& name : header.fields) {
    const Hdf5Dataset dataset = open_checkpoint_field(file, header, name);
    use(dataset, name, field_layout(dataset, name, header.shape.axes));
  }
}

void require_digest(const CheckpointHeader& header, std::uint64_t digest) {
  if (digest != header.state_digest)
    throw IoError("state digest is {:#018x}, but the header says {:#018x}", digest,
                  header.state_digest);
}

Checkpoint read_whole(hid_t file) {
  Checkpoint checkpoint{read_checkpoint_header(file), {}};
  for_fields(file, checkpoint.header,
             [&](hid_t dataset, const std::string& name, const DatasetLayout& layout) {
               append(checkpoint.values, read_values(dataset, name, layout, 0));
             });
  require_digest(checkpoint.header, field_digest(checkpoint.values));
  return checkpoint;
}

Checkpoint scan(hid_t file, const std::function<void(FieldView piece)>& use_values) {
  Checkpoint checkpoint{read_checkpoint_header(file), {}};
  std::uint64_t digest = 0;
  std::int64_t before = 0;  // number of values in earlier fields
  for_fields(file, checkpoint.header,
             [&](hid_t dataset, const std::string& name, const DatasetLayout& layout) {
               for_pieces(dataset, name, layout, [&](std::int64_t first, FieldView piece) {
                 digest += field_digest(piece, static_cast<std::uint64_t>(before + first));
                 use_values(piece);
               });
               const FieldValues none = read_rows(dataset, name, layout, {});
               if (before > 0 && none.index() != checkpoint.values.index())
                 throw IoError(other_precision);
               checkpoint.values = none;
               before += layout.shape.cells();
             });
  require_digest(checkpoint.header, digest);
  return checkpoint;
}

}  // namespace

void begin_checkpoint(FileWriter& writer, const std::filesystem::path& path, std::size_t fields,
                      FieldView values) {
  std::vector<FieldView> by_field;
  for (std::size_t i = 0; i < fields; ++i) by_field.push_back(field_part(values, i, fields));
  writer.begin(path, std::move(by_field));
}
void write_checkpoint(FileWriter& writer, Ranks& ranks, const std::filesystem::path& path,
                      const CheckpointHeader& header, RowRange rows, FieldView values) {
  const Precision precision = value_precision(values);
  const OutputListMark list = header.output_list.value_or(OutputListMark());
  const std::array<std::uint64_t, 2> words = {list.bytes, list.digest};
  const std::uint64_t time = as_bits(header.time.value_or(0));
  FilePlan plan{.shape = header.shape, .expected_bytes = expected_rest(header)};
  RankedValues ranked{
      .rows = rows,
      .changing = {{dataset_name(CheckpointPart::step), std::as_bytes(std::span(&header.step, 1))},
                   {dataset_name(CheckpointPart::state_digest),
                    std::as_bytes(std::span(&header.state_digest, 1))},
                   {dataset_name(CheckpointPart::output_list), std::as_bytes(std::span(words))}}};
  if (header.time)
    ranked.changing.push_back(
        {dataset_name(CheckpointPart::time_bits), std::as_bytes(std::span(&time, 1))});
  if (!header.step_state.empty())
    ranked.changing.push_back(
        {dataset_name(CheckpointPart::step_state), std::as_bytes(std::span(header.step_state))});
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    plan.fields.emplace_back(header.fields[i], precision);
    ranked.fields.push_back(field_part(values, i, header.fields.size()));
  }
  plan.write_hdf5 = [&](const std::filesystem::path& scratch, const PackedSizes&) {
    write_hdf5(scratch, header, precision);
  };
  writer.write(ranks, path, plan, ranked, layout_key(header, precision));
}

Checkpoint read_checkpoint(const std::filesystem::path& path) try {
  const Hdf5Session session;
  verify_seal(path);
  const auto read = [&] { return read_whole(open_hdf5_file(path)); };
  rehearse(path, read);
  return naming_file(path, read);
} catch (const IoError& error) {
  throw CheckpointError(error.what());
}

Checkpoint scan_checkpoint(const std::filesystem::path& path,
                           const std::function<void(FieldView piece)>& use_values) try {
  const Hdf5Session session;
  verify_seal(path);
  const auto read = [&] { return scan(open_hdf5_file(path), use_values); };
  rehearse(path, read);
  return naming_file(path, read);
} catch (const IoError& error) {
  throw CheckpointError(error.what());
}

FieldValues read_checkpoint_rows(const std::filesystem::path& path, RowRange rows) try {
  const Hdf5Session session;
  return naming_file(path, [&] {
    const Hdf5File file = open_hdf5_file(path);
    FieldValues values;
    for_fields(file, read_checkpoint_header(file),
               [&](hid_t dataset, const std::string& name, const DatasetLayout& layout) {
                 append(values, read_rows(dataset, name, layout, rows));
               });
    return values;
  });
} catch (const IoError& error) {
  throw CheckpointError(error.what());
}

std::string checkpoint_file_name(std::int64_t step) { return step_file_name(step, ".h5"); }

std::int64_t step_of_checkpoint(const std::string& name) { return step_of_file_name(name, ".h5"); }

std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths = list_step_files(folder, ".h5");
  std::ranges::reverse(paths);
  return paths;
}

}  // namespace lapl
