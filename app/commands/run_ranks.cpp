#include "app/commands/run_ranks.hpp"

#include <sys/prctl.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "app/commands/begin_restart.hpp"
#include "app/commands/launcher.hpp"
#include "app/exit_code.hpp"
#include "app/signals.hpp"
#include "io/readers/initial_source.hpp"
#include "io/run/run_backend.hpp"
#include "io/run/run_writer.hpp"
#include "kernels/backend.hpp"
#include "kernels/error.hpp"
#include "kernels/for_floats.hpp"
#include "kernels/ranks/rank_rows.hpp"
#include "solver/initial_field.hpp"
#include "solver/refused_state.hpp"
#include "solver/run.hpp"

namespace lapl {
namespace {

// The role of this process: alone; the first rank, which tells the others what to run; a follower
// of the first rank; or one of several ranks that all execute the same command.
enum class Role : std::uint8_t { alone, first, follower, equal };
Role role = Role::alone;
bool amid_run = false;

// Takes part in one run that the first rank has announced.
template <class T>
void join_run(Ranks& ranks, const Model& model, const std::string& backend_name,
              const std::optional<StoredState>& from, std::optional<StepState> steps,
              bool changed) {
  const RunConfig& config = model.run;
  const CoefficientFields coefficients =
      unread_coefficients(config);  // the first rank has the values
  const BackendChoice choice = {backend_name, ""};
  auto backend = run_backend<T>(first_model(model, steps), choice, coefficients, ranks);
  if (from) {
    restore_rows(*backend, *from, config);
    if (changed) recheck_step(*backend, model, {}, from->step, steps);
  } else {
    set_initial_state(*backend, config, coefficients, {});
    require_finite_start(*backend, model);
  }
  RankWriter<T> writer(model);
  run(*backend, model, from ? from->step : 0, writer, stop_signal,
      {.from = steps,
       .with_other_stages = other_stages(backend, model, steps, choice, coefficients, ranks)});
}

// Takes part in each run of the first rank until it announces the end.
void follow_first_rank(Ranks& ranks) {
  for (;;) {
    ranks.rest();
    const std::string text = broadcast_text(ranks, "");
    if (text.empty()) return;
    amid_run = true;
    const auto announced = nlohmann::json::parse(text);
    LoadedConfig config =
        parse_config(announced["config"].get<std::string>(), "the first rank's config", ".", {});
    Model& model = config;
    if (model.run.mask && !announced["masked"].get<bool>()) {
      drop_mask(model.run);
      model = Model(model.run);
    }
    if (announced.contains("stops_at"))
      model.run.stops_at = announced["stops_at"].get<std::int64_t>();
    std::optional<StoredState> from;
    if (announced.contains("state"))
      from = {announced["state"]["path"].get<std::string>(),
              announced["state"]["step"].get<std::int64_t>(),
              announced["state"]["digest"].get<std::uint64_t>()};
    const auto steps = StepState::of_words(announced.value("steps", std::vector<std::uint64_t>()));
    try {
      with_precision(model.run.precision, [&]<class T>() {
        join_run<T>(ranks, model, announced["backend"].get<std::string>(), from, steps,
                    announced["changed"].get<bool>());
      });
    } catch (const NumericalError&) {   // met by all ranks; the first rank reports it
    } catch (const CheckpointError&) {  // the same; the first then ends all ranks
      ranks.rest();
    }
    amid_run = false;
  }
}

}  // namespace

Ranks& run_ranks() {
  if (!is_started_as_rank()) return only_rank();
  // Never destroyed, so that an exit forced by OpenMP does not wait for other ranks.
  static Ranks* const all = [] {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // ends with the process that started it
    notify_starter_of_meeting(false);
    std::unique_ptr<Ranks> met = all_ranks();
    notify_starter_of_meeting(true);
    for (const char* const started : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
      if (const char* const size = std::getenv(started);
          met->count() == 1 && size != nullptr && std::string_view(size) != "1")
        throw ConfigError("{} is {}, but {} finds one rank (expected mpirun of that MPI)", started,
                          size, mpi_library());
    if (met->count() > 1) role = Role::equal;
    choose_device(met->index_on_this_machine());
    return met.release();
  }();
  return *all;
}

void share_run(Ranks& ranks, const LoadedConfig& config, bool masked, const std::string& backend,
               const std::optional<Restart>& restart, const std::optional<StepState>& steps,
               bool changed) {
  if (ranks.count() == 1) return;
  nlohmann::json announced = {
      {"config", resolved_yaml(config)}, {"masked", masked}, {"backend", backend}};
  if (restart)
    announced["state"] = {{"path", restart->path.string()},
                          {"step", restart->checkpoint.header.step},
                          {"digest", restart->checkpoint.header.state_digest}};
  if (steps) announced["steps"] = steps->words();
  announced["changed"] = changed;
  if (config.run.stops_at) announced["stops_at"] = *config.run.stops_at;
  ranks.rest();
  broadcast_text(ranks, announced.dump());
  amid_run = true;
}

template <class T>
void restore_rows(Backend<T>& backend, const StoredState& from, const RunConfig& config) {
  Ranks& ranks = backend.ranks();
  const RowRange rows = backend.rows();
  const std::int64_t cells = rows.count * config.shape.columns;
  std::vector<T> state;
  std::uint64_t digest = 0;
  std::string problem;
  try {
    FieldValues values = read_checkpoint_rows(from.path, rows);
    for (std::int64_t field = 0; field < std::ssize(config.fields); ++field)
      digest += std::visit(
          [&](auto stored) {
            return field_digest(FieldView(stored.subspan(field * cells, cells)),
                                static_cast<std::uint64_t>(field * config.shape.cells() +
                                                           rows.first * config.shape.columns));
          },
          as_view(values));
    state = in_precision<T>(std::move(values), from.path);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  problem = first_text(ranks, problem);
  if (ranks.reduce(Reduction::sum, digest) != from.digest && problem.empty())
    problem = from.path.string() + ": has changed since it was verified";
  if (!problem.empty()) throw CheckpointError(problem);
  backend.set_state(state, from.step);
}
LAPL_FOR_FLOATS(restore_rows);

void end_shared_run() { amid_run = false; }

std::optional<int> done_on_ranks(int wanted, bool live) {
  catch_stop_signals();
  if (live && (wanted > 1 || run_ranks().count() > 1))
    throw ConfigError("--live: no rank has the whole field (lapl watch shows a run on ranks)");
  if (!is_started_as_rank() && wanted > 1) return start_ranks(wanted);
  if (const int found = run_ranks().count(); wanted > 0 && found != wanted)
    throw ConfigError("--ranks {}: found, but {} were started (expected as many, or no --ranks)",
                      wanted, found);
  if (run_ranks().count() == 1) return std::nullopt;
  role = run_ranks().is_first() ? Role::first : Role::follower;
  if (run_ranks().is_first()) return std::nullopt;
  follow_first_rank(run_ranks());
  return exit_complete;
}

int leave_ranks(int exit_code) {
  const bool waited_for = amid_run || role == Role::equal;
  const bool ends_all = waited_for && exit_code != exit_complete && exit_code != exit_numerical;
  const bool speaks =
      role == Role::alone || role == Role::first || (role == Role::equal && run_ranks().is_first());
  const bool heard = (speaks || ends_all) && notify_starter(exit_code);
  if (ends_all) end_all_ranks(exit_code);
  if (role == Role::first) {
    run_ranks().rest();
    broadcast_text(run_ranks(), "");
  }
  leave_all_ranks();
  return heard ? exit_complete : exit_code;
}

}  // namespace lapl
