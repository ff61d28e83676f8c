// lapl man DIR, hidden: the target `man` of the build calls it
#include <filesystem>
#include <memory>

#include "app/cli/command_words.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/man_page.hpp"
#include "io/durable/durable_file.hpp"

namespace lapl {

void add_man_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("man", "Write the manual pages to a folder");
  command->group("");
  const auto folder = std::make_shared<std::string>();
  command->add_option("DIR", *folder, "Folder, made where it is missing")->required();
  command->callback([folder, &app, &action] {
    action = [folder, &app] {
      std::filesystem::create_directories(*folder);
      const auto write = [&](const CLI::App& page) {
        replace_file(std::filesystem::path(*folder) / man_page_name(app, page),
                     man_page(app, page));
      };
      write(app);
      for (const CLI::App* each : shown_commands(app)) write(*each);
      return 0;
    };
  });
}

}  // namespace lapl
