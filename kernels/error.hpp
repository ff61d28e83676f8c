// What can go wrong, one type for each exit code. Thrown anywhere, caught in app/ alone.
#pragma once

#include <stdexcept>
#include <string>

namespace lapl {

/// A mistake in the config or on the command line (exit code 2).
struct ConfigError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The solution holds a value that is not finite, the step is unstable, or steps taken again ended
/// with other bits (exit code 3).
struct NumericalError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file could not be read or written (exit code 4).
struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The device is missing or failed, or memory does not suffice (exit code 5).
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An engine that cannot step a grid of this shape on this device, where another one may; the
/// device itself has not failed (exit code 5).
struct EngineUnsuitable : DeviceError {
  using DeviceError::DeviceError;
};

/// No checkpoint that can be used (exit code 6).
struct CheckpointError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace lapl
