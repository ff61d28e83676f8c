// lapl new [USE]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "app/commands/commands.hpp"
#include "app/view/say.hpp"
#include "io/config/config_uses.hpp"
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
};

int new_command(const NewOptions& options) {
  if (options.list) {
    for (const ConfigUse& use : config_uses()) say("{:<21}{}\n", use.name, use.summary);
    for (const GalleryConfig& config : gallery()) say("{:<21}{}\n", config.name, config.summary);
    return 0;
  }
  const std::string text = config_for(options.use);
  if (options.output.empty()) {
    say("{}", text);
    return 0;
  }
  if (std::filesystem::exists(options.output))
    throw ConfigError(options.output + ": exists already (name another file)");
  replace_file(options.output, text);
  say("{}: {}\n", options.output, options.use);
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
                 "Config file to write, which must not exist yet; default: standard output");
  command.flag("--list", &options.list, "List the purposes and equations, one a line");
  command.footer(R"(Examples:
  lapl new --list
  lapl new tutorial -o tutorial.yaml
  lapl new gray-scott-coral -o coral.yaml
  lapl run tutorial.yaml)");
}

}  // namespace lapl
