#include "io/hdf5/checkpoint_layout.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <sstream>
#include <vector>

#include "io/hdf5/axes.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "kernels/fields/digest.hpp"
#include "solver/dataset_names.hpp"
#include "solver/step_control.hpp"
#include "solver/times.hpp"

namespace lapl {
namespace {

constexpr std::size_t most_fields = 64;
constexpr std::size_t most_outputs = std::size_t{1} << 24;

template <class T>
T read_one(hid_t file, const std::string& name) {
  const std::vector<T> values = read_array<T>(file, name, 1);
  if (values.size() != 1) throw IoError("dataset " + name + " is empty");
  return values[0];
}

std::vector<std::string> split_lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

OutputListMark read_output_list_mark(hid_t file) {
  const auto words = read_array<std::uint64_t>(file, dataset_name(CheckpointPart::output_list), 2);
  if (words.size() != 2) throw IoError("dataset output_list has {} values, not 2", words.size());
  return {words[0], words[1]};
}

// The outputs in a file of an earlier version: names, one per line, and digests.
std::vector<std::pair<std::string, std::uint64_t>> read_outputs(hid_t file) {
  const std::vector<std::string> names =
      split_lines(read_text(file, dataset_name(CheckpointPart::output_names), longest_text));
  const auto digests =
      read_array<std::uint64_t>(file, dataset_name(CheckpointPart::output_digests), most_outputs);
  if (names.size() != digests.size())
    throw IoError("has {} output names, but {} digests", names.size(), digests.size());
  std::vector<std::pair<std::string, std::uint64_t>> outputs;
  for (std::size_t i = 0; i < names.size(); ++i) outputs.emplace_back(names[i], digests[i]);
  return outputs;
}

}  // namespace

double header_time(const CheckpointHeader& header) {
  if (header.time) return *header.time;
  const auto steps = StepState::of_words(header.step_state);
  return steps ? steps->clock.time(header.step) : decimal_multiple(header.time_step, header.step);
}

void write_checkpoint_header(hid_t file, const CheckpointHeader& header) {
  using enum CheckpointPart;
  const auto write = [&](CheckpointPart part, const auto& values) {
    write_array(file, dataset_name(part), values)
        .close(std::string("close dataset ") + dataset_name(part));
  };
  write_format(file, "checkpoint");
  write_text(file, dataset_name(config), header.config);
  write(shape, header.shape.extents());
  if (header.fields != CheckpointHeader().fields)
    write_text(file, dataset_name(fields), fmt::format("{}\n", fmt::join(header.fields, "\n")));
  write(step, std::vector{header.step});
  if (header.time) write(time_bits, std::vector{as_bits(*header.time)});
  write(time_step_bits, std::vector{as_bits(header.time_step)});
  write(coefficient_bits, std::vector{as_bits(header.coefficient)});
  write(state_digest, std::vector{header.state_digest});
  if (header.equation_digest) write(equation_digest, std::vector{*header.equation_digest});
  const OutputListMark list = header.output_list.value_or(OutputListMark());
  write(output_list, std::vector{list.bytes, list.digest});
  write(missing_outputs, header.missing_outputs);
  if (!header.step_state.empty()) write(step_state, header.step_state);
}

CheckpointHeader read_checkpoint_header(hid_t file) {
  const std::string format = read_format(file);
  if (format != "checkpoint")
    throw IoError(format.empty() ? "is not a file of lapl"
                                 : fmt::format("is a {} file of lapl, not a checkpoint", format));
  using enum CheckpointPart;
  const auto has = [&](CheckpointPart part) {
    return H5Lexists(file, dataset_name(part), H5P_DEFAULT) > 0;
  };
  const auto word = [&](CheckpointPart part) {
    return read_one<std::uint64_t>(file, dataset_name(part));
  };
  const auto real = [&](CheckpointPart part) { return std::bit_cast<double>(word(part)); };
  CheckpointHeader header;
  header.config = read_text(file, dataset_name(config), longest_text);
  const auto extents = read_array<std::int64_t>(file, dataset_name(shape), 3);
  if (extents.empty() || std::ranges::min(extents) < 1)
    throw IoError("dataset shape is not one to three numbers from 1 on");
  header.shape = Shape::of(extents);
  if (has(fields)) header.fields = split_lines(read_text(file, dataset_name(fields), longest_text));
  if (header.fields.empty() || header.fields.size() > most_fields)
    throw IoError("names {} fields (expected 1 to {})", header.fields.size(), most_fields);
  header.step = read_one<std::int64_t>(file, dataset_name(step));
  if (header.step < 0) throw IoError("dataset step is negative");
  if (has(time_bits)) header.time = real(time_bits);
  header.time_step = real(time_step_bits);
  header.coefficient = real(coefficient_bits);
  header.state_digest = word(state_digest);
  if (has(equation_digest)) header.equation_digest = word(equation_digest);
  if (has(output_list))
    header.output_list = read_output_list_mark(file);
  else
    header.outputs = read_outputs(file);
  if (has(step_state))
    header.step_state = read_array<std::uint64_t>(file, dataset_name(step_state), 64);
  // Files of earlier versions lack it: there a run ended at the first output that was not stored.
  if (has(missing_outputs))
    header.missing_outputs =
        read_array<std::int64_t>(file, dataset_name(missing_outputs), most_outputs);
  return header;
}

Hdf5Dataset open_checkpoint_field(hid_t file, const CheckpointHeader& header,
                                  const std::string& name) {
  Hdf5Dataset dataset = open_own_dataset(file, name);
  const Shape shape = header.shape;
  const DatasetLayout layout = field_layout(dataset, name, shape.axes);
  if (layout.axes != shape.axes)
    throw IoError("dataset {} has {} axes, not {}", name, layout.axes, shape.axes);
  if (layout.shape != shape)
    throw IoError("dataset {} is {}, but shape says {}", name, shape_text(layout.shape),
                  shape_text(shape));
  const Hdf5Type type(H5Dget_type(dataset), "read the type of dataset " + name);
  if (layout.precision == Precision::float64 && H5Tequal(type, stored_type<double>()) <= 0)
    throw IoError("dataset {} is neither float32 nor float64", name);
  return dataset;
}

}  // namespace lapl
