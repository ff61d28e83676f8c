// Values in a run config that are maps with their own keys: parameters, formulas by name, derived
// outputs, probes.
#pragma once

#include "io/config/schema.hpp"
#include "solver/run_config.hpp"

namespace lapl {

/// The word that makes a field complex, in `fields: {NAME: complex}`.
inline constexpr std::string_view complex_word = "complex";

Schema field_names();  ///< [NAME, ...], or {NAME: real, NAME: complex, NAME: {unit: UNIT, ...}}
/// True if a value of such a map, resolved or not, makes the field complex.
bool is_complex_field(const YamlNode& value);
Schema parameter();  ///< a number, or the source of a field
Schema
field_source();  ///< {image: FILE, ...}, {hdf5: FILE, ...}, {npy: FILE} or {formula: FORMULA}
/// {NAME: FORMULA, ...}; an empty map is the mistake `if_empty`, unless that is empty.
Schema named_formulas(const std::string& if_empty = {});
Schema quantities();      ///< the same, or {NAME: {solve: FORMULA, equals: FORMULA}, ...}
Schema rate();            ///< a formula, or {next: FORMULA}
Schema stop_condition();  ///< a formula, or {when: FORMULA, every: STEPS}
Schema integrals();       ///< {NAME: FORMULA, NAME: {formula: FORMULA, ...}, ...}
/// [NAME, ...], or {NAME: {every: INTERVAL}, ...}
Schema output_fields(const Schema& name, std::size_t most = any_count);
Schema derived_outputs();  ///< {NAME: {formula: FORMULA, unit: UNIT}, ...}
Schema tolerance();        ///< a number, or {relative: NUMBER, absolute: NUMBER}
Schema found_step();       ///< a number, or {auto: NUMBER}
Schema step_interval();    ///< a number of steps, or {time: T}
Schema initial_from();     ///< {path: FILE, fields: [NAME, ...], ...}
Schema step_at_time();     ///< {step: NUMBER, time: T}
Schema record_choice();    ///< a number, last, or {time: T}
Schema probes();  ///< {every: INTERVAL, at: {NAME: [row, column], NAME: {at: [x, y]}, ...}}

/// A resolved value of key `fields` without the words for fields: a list of names, or a map to real
/// and complex.
std::string field_names_text(const std::string& resolved_fields);

// Store resolved values in a run config.
void assign(ParameterConfig& parameter, const YamlNode& node);
void assign(std::vector<DerivedConfig>& derived, const YamlNode& node);
void assign(EquationConfig& equation, const YamlNode& node);
void assign(std::vector<IntegralConfig>& integrals, const YamlNode& node);
void assign(StopConfig& stop, const YamlNode& node);
void assign(std::vector<Probe>& probes, const YamlNode& node);
void assign(ProbesConfig& probes, const YamlNode& node);
void assign(Tolerance& tolerance, const YamlNode& node);
void assign(RecordChoice& record, const YamlNode& node);
void assign(InitialFrom& from, const YamlNode& node);
void assign(StepAtTime& since, const YamlNode& node);

/// Stores an interval in steps or in time; then `time` is set.
void put_interval(std::int64_t& steps, std::optional<double>& time, const YamlNode& node);

/// Values that decide on others.
void put_fields(RunConfig& run, const YamlNode& node);
void put_output_fields(RunConfig& run, const YamlNode& node);
void put_time_step(RunConfig& run, const YamlNode& node);
void put_tolerance(RunConfig& run, const YamlNode& node);
void put_stages(RunConfig& run, const YamlNode& node);
void put_scheme(RunConfig& run, const YamlNode& node);

}  // namespace lapl
