// Writes files as a run of one process does.
#pragma once

#include <filesystem>

#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/step_file.hpp"

namespace lapl {

inline void write_step_file(const std::filesystem::path& path, const StepRecord& record) {
  FileWriter writer;
  write_step_file(writer, only_rank(), path, record, RowRange::all(record.shape));
}

inline void write_checkpoint(const std::filesystem::path& path, const CheckpointHeader& header,
                             FieldView values) {
  FileWriter writer;
  write_checkpoint(writer, only_rank(), path, header, RowRange::all(header.shape), values);
}

}  // namespace lapl
