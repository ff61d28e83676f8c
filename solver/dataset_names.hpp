// The names of lapl's own datasets and groups in its files. Writers and readers use them, and so
// does the check of the names of fields: no field can have a name that a file needs.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace lapl {

/// Names in the root of outputs, index files (fields.nc) and exported files, besides the fields.
enum class OutputPart { time, step, x, y, z, mask, provenance, vtkhdf };
inline constexpr std::array<const char*, 8> output_parts = {"time", "step", "x",          "y",
                                                            "z",    "mask", "provenance", "VTKHDF"};

/// Names in the root of checkpoints, besides the fields. Only earlier versions wrote the last two.
enum class CheckpointPart {
  config,
  shape,
  fields,
  step,
  time_bits,
  time_step_bits,
  coefficient_bits,
  state_digest,
  equation_digest,
  output_list,
  missing_outputs,
  step_state,
  output_names,
  output_digests
};
inline constexpr std::array<const char*, 14> checkpoint_parts = {
    "config",          "shape",          "fields",           "step",
    "time_bits",       "time_step_bits", "coefficient_bits", "state_digest",
    "equation_digest", "output_list",    "missing_outputs",  "step_state",
    "output_names",    "output_digests"};

constexpr const char* dataset_name(OutputPart part) {
  return output_parts[static_cast<std::size_t>(part)];
}
constexpr const char* dataset_name(CheckpointPart part) {
  return checkpoint_parts[static_cast<std::size_t>(part)];
}
static_assert(std::string_view(dataset_name(OutputPart::vtkhdf)) == "VTKHDF");
static_assert(std::string_view(dataset_name(CheckpointPart::output_digests)) == "output_digests");

}  // namespace lapl
