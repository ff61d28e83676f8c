// How a checked value gets into RunConfig: store(&RunConfig::steps) makes the function that puts a
// value there, by the type of the member. Used by the key table alone.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config_value.hpp"
#include "solver/run_config.hpp"

namespace lapl {

// Every enumerator, for choices in the key table; their texts are those of name_of.
inline constexpr std::array every_boundary = {Boundary::zero, Boundary::insulated,
                                              Boundary::periodic};
inline constexpr std::array every_precision = {Precision::float32, Precision::float64};
inline constexpr std::array every_kind = {
    InitialKind::fractal, InitialKind::uniform, InitialKind::gaussian, InitialKind::checkerboard,
    InitialKind::sine,    InitialKind::image,   InitialKind::hdf5};

template <class List>
std::vector<std::string> names_of(const List& enumerators) {
  std::vector<std::string> names;
  for (const auto enumerator : enumerators) names.emplace_back(name_of(enumerator));
  return names;
}

template <class T>
void assign(T& target, const Value& value) {
  target = std::get<T>(value);
}
template <class T>
void assign(std::optional<T>& target, const Value& value) {
  target.reset();
  if (!std::holds_alternative<Null>(value)) assign(target.emplace(), value);
}
template <class T>
void assign(std::array<T, 2>& target, const Value& value) {
  const auto& pair = std::get<std::vector<T>>(value);
  target = {pair[0], pair[1]};
}
template <class List, class Enumeration>
void assign_named(const List& enumerators, Enumeration& target, const Value& value) {
  for (const auto enumerator : enumerators) {
    if (std::get<std::string>(value) == name_of(enumerator)) target = enumerator;
  }
}
inline void assign(Boundary& target, const Value& value) {
  assign_named(every_boundary, target, value);
}
inline void assign(Precision& target, const Value& value) {
  assign_named(every_precision, target, value);
}
inline void assign(InitialKind& target, const Value& value) {
  assign_named(every_kind, target, value);
}
inline void assign(std::uint64_t& target, const Value& value) {
  target = static_cast<std::uint64_t>(std::get<std::int64_t>(value));
}
/// Number of threads; the word auto is 0.
inline void assign(int& target, const Value& value) {
  const auto* const count = std::get_if<std::int64_t>(&value);
  target = count ? static_cast<int>(*count) : 0;
}
inline void assign(Shape& target, const Value& value) {
  const auto& shape = std::get<std::vector<std::int64_t>>(value);
  target = {.rows = shape[0], .columns = shape[1]};
}
/// Seconds, for limits.wall_time.
inline void assign(double& target, const Value& value) {
  const auto* const duration = std::get_if<Duration>(&value);
  target = duration ? duration->seconds : std::get<double>(value);
}
inline void assign(Cadence& target, const Value& value) {
  target = {};
  if (const auto* const steps = std::get_if<std::int64_t>(&value)) target.steps = *steps;
  if (const auto* const time = std::get_if<Duration>(&value)) target.seconds = time->seconds;
}

inline void assign(std::vector<FilterConfig>& target, const Value& value) {
  target = std::get<std::vector<FilterConfig>>(value);
}

using Store = std::function<void(RunConfig&, const Value&)>;

template <class T>
Store store(T RunConfig::*member) {
  return [member](RunConfig& run, const Value& value) { assign(run.*member, value); };
}
template <class T>
Store store(T InitialConfig::*member) {
  return [member](RunConfig& run, const Value& value) { assign(run.initial.*member, value); };
}
template <class T>
Store store(T FractalParameters::*member) {
  return
      [member](RunConfig& run, const Value& value) { assign(run.initial.fractal.*member, value); };
}
template <class T>
Store store(T Boundaries::*member) {
  return [member](RunConfig& run, const Value& value) { assign(run.boundaries.*member, value); };
}
/// For a key that has one possible value in this version.
inline Store store_nothing() {
  return [](RunConfig&, const Value&) {};
}

}  // namespace lapl
