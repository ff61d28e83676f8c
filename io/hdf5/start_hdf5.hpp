#pragma once

namespace lapl {

/// Starts HDF5 now, before a run has threads and little memory. Throws std::bad_alloc where memory
/// does not suffice.
void start_hdf5();

}  // namespace lapl
