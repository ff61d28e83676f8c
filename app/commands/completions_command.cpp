// lapl completions SHELL prints a completion script. The script calls the hidden command lapl
// complete -- WORDS.
#include <fmt/format.h>

#include <memory>

#include "app/commands/commands.hpp"
#include "app/view/print_text.hpp"
#include "completion_files.hpp"

namespace lapl {
namespace {

int completions_command(const std::string& shell) {
  print_text("{}", shell == "bash"  ? completion_bash
                   : shell == "zsh" ? completion_zsh
                                    : completion_fish);
  return 0;
}

}  // namespace

void add_completions_command(CommandLine& line) {
  Command command =
      line.add("completions", "Print the script that completes lapl's words in a shell");
  command.positional("SHELL", &command.calls(completions_command), "The shell",
                     {.required = true, .one_of = {"bash", "zsh", "fish"}});
  command.footer(R"(Examples:
  lapl completions bash > lapl
  lapl completions zsh > _lapl
  lapl completions fish > lapl.fish

Where these files belong:
  bash  ~/.local/share/bash-completion/completions
  zsh   a folder of $fpath
  fish  ~/.config/fish/completions)");

  Command asked = line.add("complete", "What can come next; for completion scripts");
  asked.hide();
  const auto words = std::make_shared<std::vector<std::string>>();
  asked.positional("WORDS", words.get(), "Words so far; the last is completed",
                   {.may_be_empty = true});
  asked.does([words, &line] {
    const Completion completion = line.complete(*words);
    print_text("{}\n", completion.files);
    for (const auto& [word, meaning] : completion.words) print_text("{}\t{}\n", word, meaning);
    return 0;
  });
}

}  // namespace lapl
