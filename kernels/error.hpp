// What can go wrong, one type for each exit code. Thrown anywhere, caught in app/ alone.
#pragma once

#ifndef __CUDACC__
#include <fmt/format.h>
#endif

#include <stdexcept>
#include <string>
#include <utility>

namespace lapl {

/// A message, or one of fmt's formats and what goes into it.
struct FormattedError : std::runtime_error {
  explicit FormattedError(const std::string& message) : std::runtime_error(message) {}
#ifndef __CUDACC__  // which cannot read fmt's headers
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

/// The solution holds a value that is not finite, the step is unstable, or steps taken again ended
/// with other bits (exit code 3).
struct NumericalError : FormattedError {
  using FormattedError::FormattedError;
};

/// The same of a value of the state, or of what is made of it, that is not finite.
struct NotFiniteError : NumericalError {
  using NumericalError::NumericalError;
};

/// A file could not be read or written (exit code 4).
struct IoError : FormattedError {
  using FormattedError::FormattedError;
};

/// The device is missing or failed, or memory does not suffice (exit code 5).
struct DeviceError : FormattedError {
  using FormattedError::FormattedError;
};

/// An engine that cannot step a grid of this shape on this device, where another one may; the
/// device itself has not failed (exit code 5).
struct EngineUnsuitable : DeviceError {
  using DeviceError::DeviceError;
};

/// No checkpoint that can be used (exit code 6).
struct CheckpointError : FormattedError {
  using FormattedError::FormattedError;
};

}  // namespace lapl
