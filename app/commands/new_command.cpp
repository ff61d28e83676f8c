// lapl new [USE]: writes a config for a purpose or an equation, and can run it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>

#include "app/commands/commands.hpp"
#include "app/commands/execute.hpp"
#include "app/commands/run_ranks.hpp"
#include "app/view/print_text.hpp"
#include "app/view/table.hpp"
#include "app/view/terminal/terminal.hpp"
#include "io/config/gallery.hpp"
#include "io/durable/durable_file.hpp"
#include "kernels/error.hpp"
#include "solver/names.hpp"

namespace lapl {
namespace {

struct NewOptions {
  std::string use = "quick";
  std::string output;
  bool list = false;
  bool run = false;
};

void list_uses() {
  std::vector<std::vector<std::string>> lines;
  for (const EmbeddedConfig& use : config_uses()) lines.push_back({use.name, use.summary});
  for (const EmbeddedConfig& config : gallery()) lines.push_back({config.name, config.summary});
  print_text("{}", table_text(lines));
}

void write_config(const std::string& path, const std::string& use, const std::string& text) {
  if (std::filesystem::exists(path))
    throw ConfigError(path + ": exists already (name another file with -o)");
  replace_file(path, text);
  print_text("{}: {}\n", path, use);
}

// Writes the config and runs it, on a terminal with the view of lapl watch.
int write_and_run(const NewOptions& options) {
  if (const std::optional<int> code = done_on_ranks(0)) return *code;
  const std::string text = config_for(options.use);
  const std::string path = options.output.empty() ? options.use + ".yaml" : options.output;
  const LoadedConfig config =
      parse_config(text, path, std::filesystem::path(path).parent_path(), {});
  if (RunFolder::has_run(config.run.directory))
    throw ConfigError(
        "{}: a run is there already (-o FILE names another config, and so another run folder)",
        config.run.directory);
  write_config(path, options.use, text);
  const bool live = run_ranks().count() == 1 && can_redraw(STDERR_FILENO);
  Console console({.live = live});
  return execute({.config = config}, console);
}

int new_command(const NewOptions& options) {
  if (options.run) return write_and_run(options);
  if (options.list) {
    list_uses();
    return 0;
  }
  const std::string text = config_for(options.use);
  if (options.output.empty())
    print_text("{}", text);
  else
    write_config(options.output, options.use, text);
  return 0;
}

}  // namespace

void add_new_command(CommandLine& line) {
  Command command = line.add(
      "new", "Write a config to start from: one for a purpose, or an equation of the gallery");
  NewOptions& options = command.calls(new_command);
  command.positional(fmt::format("USE {{{}}}", fmt::join(names_of_new(), ",")), &options.use,
                     "Purpose or equation; --list shows all. Default: quick");
  command.option("-o,--output FILE", &options.output,
                 "Config file to write, which must not exist yet; default: standard output, with "
                 "--run USE.yaml");
  command.flag("--list", &options.list, "List the purposes and equations, one a line");
  command.flag("--run", &options.run,
               "Write the config and run it; a terminal shows the fields meanwhile, as lapl run "
               "--live does",
               {.excludes = {"--list"}});
  command.footer(R"(Examples:
  lapl new --list
  lapl new tutorial -o tutorial.yaml
  lapl new wave --run
  lapl run tutorial.yaml)");
}

}  // namespace lapl
