// The record that is read of a dataset with a time axis.
#pragma once

#include <cstddef>
#include <optional>

namespace lapl {

/// One record: by its number from 0 on, the last one, or the one at a time.
struct RecordChoice {
  RecordChoice(std::size_t at = 0) : index(at) {}

  std::size_t index = 0;
  bool last = false;                ///< true: the last one
  std::optional<double> time = {};  ///< set: the one at this value of the time axis
};

}  // namespace lapl
