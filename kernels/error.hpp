// Exceptions, one type for each exit code. Only app/ catches them.
#pragma once

#ifndef __CUDACC__
#include <fmt/format.h>
#endif

#include <stdexcept>
#include <string>
#include <utility>

namespace lapl {

/// An error with a message, or with a format string of fmt and its values.
struct FormattedError : std::runtime_error {
  explicit FormattedError(const std::string& message) : std::runtime_error(message) {}
#ifndef __CUDACC__  // nvcc cannot read fmt's headers
  template <class... Values>
  requires(sizeof...(Values) > 0) explicit FormattedError(fmt::format_string<Values...> format,
                                                          Values&&... values)
      : std::runtime_error(fmt::format(format, std::forward<Values>(values)...)) {}
#endif
};

/// A mistake in the config or on the command line (exit code 2).
struct ConfigError : FormattedError {
  using FormattedError::FormattedError;
};

/// The solution has a value that is not finite, the step is unstable, or a repetition of steps gave
/// other bits (exit code 3).
struct NumericalError : FormattedError {
  using FormattedError::FormattedError;
};

/// A value of the state, or of a derived output, is not finite (exit code 3).
struct NotFiniteError : NumericalError {
  using NumericalError::NumericalError;
};

/// A file could not be read or written (exit code 4).
struct IoError : FormattedError {
  using FormattedError::FormattedError;
};

/// A device is missing or failed, or memory does not suffice (exit code 5).
struct DeviceError : FormattedError {
  using FormattedError::FormattedError;
};

/// The engine cannot step this problem on this device, but another engine may (exit code 5).
struct EngineUnsuitable : DeviceError {
  using DeviceError::DeviceError;
};

/// No checkpoint can be used (exit code 6).
struct CheckpointError : FormattedError {
  using FormattedError::FormattedError;
};

}  // namespace lapl
