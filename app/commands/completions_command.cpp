// lapl completions SHELL, and the hidden lapl complete -- WORDS that its scripts call
#include <fmt/format.h>

#include <memory>

#include "app/cli/commands.hpp"
#include "app/cli/completion.hpp"

namespace lapl {

void add_completions_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("completions", "Print the script that completes lapl's words in a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  lapl completions bash > lapl\n"
      "  lapl completions zsh > _lapl\n"
      "  lapl completions fish > lapl.fish\n\n"
      "Where these files belong:\n"
      "  bash  ~/.local/share/bash-completion/completions\n"
      "  zsh   a folder of $fpath\n"
      "  fish  ~/.config/fish/completions");
  command->callback([shell, &action] {
    action = [shell] {
      fmt::print("{}", completion_script(*shell));
      return 0;
    };
  });

  CLI::App* asked = app.add_subcommand("complete", "What can come next; for completion scripts");
  asked->group("");
  const auto words = std::make_shared<std::vector<std::string>>();
  asked->add_option("WORDS", *words, "Words so far; the last is completed");
  asked->callback([words, &app, &action] {
    action = [words, &app] {
      const Completion completion = complete(app, *words);
      fmt::print("{}\n", completion.files);
      for (const auto& [word, meaning] : completion.words) fmt::print("{}\t{}\n", word, meaning);
      return 0;
    };
  });
}

}  // namespace lapl
