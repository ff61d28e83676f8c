// The whole command line: what lapl says of itself, and every command.
#include "app/cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/command_words.hpp"
#include "app/exit_code.hpp"
#include "kernels/error.hpp"
#include "lapl_version.hpp"

namespace lapl {
namespace {

constexpr const char* description =
    "lapl steps the diffusion equation on a grid, on a GPU or on the CPU, from a YAML config to\n"
    "HDF5 files that h5py, xarray, ncdump and ParaView open.\n";

constexpr const char* footer = R"(Examples:
  lapl new tutorial -o tutorial.yaml
  lapl run configs/tutorial.yaml
  lapl run configs/tutorial.yaml --set time.steps=1000 --output runs/short
  lapl resume runs/tutorial --set time.steps=20000
  lapl plot runs/tutorial -o tutorial.png
  lapl inspect runs/tutorial
  lapl diff runs/tutorial runs/other --rtol 1e-6
  lapl help plot

Exit codes: 0 complete; 1 internal error; 2 usage or config; 3 unstable, not finite, or not the
same when taken again; 4 input or output; 5 device or memory; 6 checkpoint unusable; 7 diff or
verify-restart found differences; 75 stopped early, can be resumed.)";

}  // namespace

void add_commands(CLI::App& app, Action& action) {
  app.name("lapl");
  app.description(description);
  app.set_version_flag("--version", "lapl " LAPL_VERSION " (" LAPL_COMMIT ")");
  app.footer(footer);
  app.require_subcommand(1);
  add_run_command(app, action);
  add_resume_command(app, action);
  add_validate_command(app, action);
  add_inspect_command(app, action);
  add_diff_command(app, action);
  add_bench_command(app, action);
  add_completions_command(app, action);
  add_export_command(app, action);
  add_filter_command(app, action);
  add_list_command(app, action);
  add_new_command(app, action);
  add_plan_command(app, action);
  add_plot_command(app, action);
  add_report_command(app, action);
  add_schema_command(app, action);
  add_sweep_command(app, action);
  add_verify_restart_command(app, action);
  add_watch_command(app, action);
  // Positionals say by their name what they are.
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    for (CLI::Option* option : command->get_options())
      if (option->get_positional() && option->get_type_name() == "TEXT") option->type_name("");
}

namespace {

// `lapl help run` is `lapl run --help`, `lapl version` is `lapl --version`, as with other programs.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) return words;
  if (words.front() == "version" && words.size() == 1) return {"--version"};
  if (words.front() != "help") return words;
  std::rotate(words.begin(), words.begin() + 1, words.end());
  words.back() = "--help";
  return words;
}

}  // namespace

Action parse_command_line(int argc, char** argv) {
  struct Line {
    CLI::App app;
    Action action;
  };
  const auto line = std::make_shared<Line>();
  add_commands(line->app, line->action);
  const std::vector<std::string> words = words_of(argc, argv);
  if (words.empty()) {
    fmt::print(stderr, "{}", line->app.help());
    return [] { return int{exit_config}; };
  }
  if (argc > 2 && std::string_view(argv[1]) == "help")  // CLI11 would help in spite of it
    if (const std::string unknown = unknown_word(line->app, words); !unknown.empty())
      throw ConfigError(unknown);
  try {
    // CLI11 takes them from the back.
    line->app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return [code = line->app.exit(error)] { return code; };
    const std::string unknown = unknown_word(line->app, words);
    throw ConfigError(unknown.empty() ? fmt::format("{} (see lapl --help)", error.what())
                                      : unknown);
  }
  return [line] { return line->action(); };
}

}  // namespace lapl
