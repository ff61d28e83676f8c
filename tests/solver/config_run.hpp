// Runs configs from their text, on the CPU.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/readers/initial_source.hpp"
#include "solver/initial_field.hpp"
#include "tests/formula_run.hpp"

namespace lapl::test {

/// The message of what `call` throws; empty if it throws nothing.
template <class Call>
std::string text_thrown(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

/// The run of a config.
inline RunConfig config_run(const std::string& text) {
  return parse_config(text, "c.yaml", ".", {}).run;
}

/// A backend with the initial state of a run.
template <class T = double>
std::unique_ptr<Backend<T>> started(const RunConfig& run, const std::string& engine = "auto",
                                    int threads = 2) {
  const CoefficientFields coefficients = load_coefficients(run);
  auto backend = make_backend<T>("cpu", engine, make_problem<T>(Model(run), coefficients), threads);
  backend->settle();
  set_initial_state(*backend, run, coefficients, load_initial_fields(run));
  return backend;
}

/// The state after the steps of a run.
template <class T>
std::vector<T> stepped(const RunConfig& run, const std::string& engine = "interpreted") {
  const auto backend = started<T>(run, engine);
  backend->advance(run.steps);
  return copy_of_state(*backend);
}

}  // namespace lapl::test
