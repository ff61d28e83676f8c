// What people read and mistype: every command's help, and every name with one letter wrong.
#include "app/cli/command_words.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/completion.hpp"
#include "io/config/config.hpp"
#include "io/config/config_keys.hpp"
#include "io/config/config_text.hpp"
#include "io/config/filter_keys.hpp"
#include "kernels/error.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;
using namespace lapl;

namespace {

struct CommandLine {
  CommandLine() { add_commands(app, action); }
  CLI::App app;
  Action action;
};

// The lines under "Examples:".
std::vector<std::string> examples_of(const CLI::App& command) {
  std::vector<std::string> examples;
  std::istringstream footer(command.get_footer());
  bool inside = false;
  for (std::string line; std::getline(footer, line);) {
    if (inside && !line.starts_with("  ")) break;
    if (inside) examples.push_back(line.substr(2));
    inside = inside || line == "Examples:";
  }
  return examples;
}

// A letter left out, two swapped, one doubled, one replaced: at every place from `first` on.
std::vector<std::string> misspelt(const std::string& word, std::size_t first = 0) {
  std::vector<std::string> all;
  for (std::size_t i = first; i < word.size(); ++i) {
    const std::string before = word.substr(0, i), after = word.substr(i + 1);
    all.push_back(before + after);
    all.push_back(before + word[i] + word[i] + after);
    all.push_back(before + (word[i] == 'x' ? 'q' : 'x') + after);
    if (i + 1 < word.size() && word[i] != word[i + 1])
      all.push_back(before + word[i + 1] + word[i] + word.substr(i + 2));
  }
  return all;
}

// Whether the message suggests a word that is one mistake away, as the one that was meant is.
bool suggests_near(const std::string& message, const std::string& mistake) {
  const std::string start = "did you mean ";
  const auto at = message.find(start);
  if (at == std::string::npos) return false;
  const auto from = at + start.size();
  return edit_distance(mistake, message.substr(from, message.find('?', from) - from), 2) == 1;
}

}  // namespace

TEST_CASE("help: one sentence and two to four examples for every command, all of known words") {
  CommandLine line;
  for (const CLI::App* command : shown_commands(line.app)) {
    CAPTURE(command->get_name());
    const std::string sentence = command->get_description();
    CHECK(sentence.size() <= 90);
    CHECK(std::isupper(static_cast<unsigned char>(sentence.front())) != 0);
    CHECK(sentence.find_first_of("\n.") == std::string::npos);
    const auto examples = examples_of(*command);
    CHECK(examples.size() >= 2);
    CHECK(examples.size() <= 4);
    CHECK((examples.front() + ' ').starts_with("lapl " + command->get_name() + ' '));
    for (const std::string& example : examples) {
      std::istringstream text(example.substr(0, example.find_first_of("|>")));
      std::vector<std::string> words;
      for (std::string word; text >> word;) words.push_back(word);
      CHECK(unknown_word(line.app, {words.begin() + 1, words.end()}).empty());
    }
    for (const CLI::Option* option : command->get_options())
      CHECK(!option->get_description().empty());
  }
}

TEST_CASE("help: the examples do what they say") {
  CommandLine line;
  const std::string path =
      "HOME=. PATH=" + fs::path(lapl_program()).parent_path().string() + ":$PATH ";
  for (const CLI::App* command : shown_commands(line.app)) {
    const Sandbox sandbox;
    fs::create_directories("configs/filters");
    fs::copy(LAPL_SOURCE_DIR "/configs/pictures", "configs/pictures");
    for (const char* file : {"tutorial-small.yaml", "filters/picture-smooth.yaml"})
      fs::copy(LAPL_SOURCE_DIR "/configs/" + std::string(file), "configs/" + std::string(file));
    write_text("configs/tutorial.yaml",
               "grid: {shape: [24, 32]}\nequation: {coefficient: 0.25}\ntime: {steps: 10000}\n");
    fs::copy("configs/pictures/letters.png", "mine.png");
    fs::copy("configs/tutorial.yaml", "tutorial.yaml");
    const std::string name = command->get_name();
    if (name != "run" && name != "new")
      for (const char* run : {"runs/tutorial", "runs/other"})
        REQUIRE(run_lapl({"run", "configs/tutorial.yaml", "--output", run, "--quiet"}).code == 0);
    if (name == "new") fs::remove("tutorial.yaml");
    for (const std::string& example : examples_of(*command)) {
      // The first of bench measures for minutes, and the last of new runs the tutorial.
      if (example == "lapl bench" || example == "lapl run tutorial.yaml") continue;
      CAPTURE(example);
      const std::string shell = path + "sh -ec '" + example + "' > out.txt 2> err.txt";
      const bool quotes = example.find('\'') != std::string::npos;
      if (quotes) write_text("example.sh", example);
      const std::string script = path + "sh -e example.sh > out.txt 2> err.txt";
      const int code = WEXITSTATUS(std::system((quotes ? script : shell).c_str()));
      if (text_of("err.txt").find("built without cairo") != std::string::npos) continue;
      if (text_of("err.txt").find("needs ffmpeg") != std::string::npos) continue;
      CAPTURE(text_of("err.txt"));
      CHECK(code == 0);
    }
  }
}

TEST_CASE("help: what can come next on a command line") {
  CommandLine line;
  const auto words = [&](const std::vector<std::string>& so_far) {
    std::vector<std::string> result;
    for (const auto& [word, meaning] : complete(line.app, so_far).words) result.push_back(word);
    return result;
  };
  using Words = std::vector<std::string>;
  CHECK(words({""}).size() == shown_commands(line.app).size());  // none that is hidden
  CHECK(words({}) == words({""}));
  CHECK(words({"ru"}) == Words{"run"});
  CHECK(words({"run", "--ov"}) == Words{"--overwrite"});
  CHECK(words({"run", "c.yaml", "--set", "checkpoint.e"}) == Words{"checkpoint.every="});
  CHECK(words({"run", "--set", "boundary=p"}) == Words{"boundary=periodic"});
  CHECK(words({"run", "--set", "initial.crop_radius="}) == Words{"initial.crop_radius=null"});
  CHECK(words({"run", "--backend=cu"}) == Words{"--backend=cuda"});
  CHECK(words({"plot", "--limits", "-1", ""}).empty());  // a number
  CHECK(words({"plot", "a", "--step", "5", "--colormap", "v"}) == Words{"viridis"});
  CHECK(words({"rnu", ""}).empty());
  CHECK(words({"run", "--ouput", ""}).empty());
  CHECK(complete(line.app, {"run", ""}).files == "configs");
  CHECK(complete(line.app, {"run", "c.yaml", ""}).files == "none");
  CHECK(complete(line.app, {"resume", ""}).files == "folders");
  CHECK(complete(line.app, {"plot", "--", "-"}).files == "files");
  CHECK(complete(line.app, {"plot", "--limits", "-1", "1", ""}).files == "files");
  // Every key, and for each word that it takes a setting that the config knows.
  CHECK(words({"run", "--set", ""}).size() == config_keys().size() + 1);
  for (const auto& key : config_key_choices())
    for (const std::string& word : words({"run", "--set", key.name + "="}))
      CHECK(word.starts_with(key.name + "="));
}

TEST_CASE("help: every command and every option with one letter wrong is understood") {
  CommandLine line;
  std::size_t count = 0;
  const auto check = [&](const std::vector<std::string>& words, const std::string& mistake) {
    CAPTURE(mistake);
    const std::string message = unknown_word(line.app, words);
    CAPTURE(message);
    CHECK(message.starts_with(mistake + ": lapl"));
    CHECK(suggests_near(message, mistake));
    ++count;
  };
  for (const CLI::App* command : shown_commands(line.app)) {
    const std::string name = command->get_name();
    for (const std::string& mistake : misspelt(name))
      if (line.app.get_subcommands([&](const CLI::App* c) { return c->get_name() == mistake; })
              .empty())
        check({mistake}, mistake);
    const auto options = option_names(*command);
    for (const std::string& option : options)
      for (const std::string& mistake : misspelt(option, 2))
        if (option.starts_with("--") && std::ranges::find(options, mistake) == options.end())
          check({name, "word", mistake, "value"}, mistake);
  }
  CHECK(count > 1500);
  CHECK(unknown_word(line.app, {"rnu"}).find("did you mean run?") != std::string::npos);
  CHECK(unknown_word(line.app, {"plot", "--limits", "-1", "1"}).empty());
  CHECK(unknown_word(line.app, {"run", "--ouput=x"}).find("--output?") != std::string::npos);
  CHECK(unknown_word(line.app, {"somethingelse"}).find("did you mean") == std::string::npos);
}

TEST_CASE("help: every config key with one letter wrong is understood") {
  const auto message_for = [](const std::string& setting) -> std::string {
    try {
      parse_config(small_config(), "c.yaml", ".", {setting});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  std::size_t count = 0;
  for (const ConfigKey& key : config_keys())
    for (const std::string& mistake : misspelt(key.name)) {
      if (find_config_key(mistake) != nullptr) continue;
      CAPTURE(mistake);
      ++count;
      const std::string message = message_for(mistake + "=1");
      CAPTURE(message);
      CHECK(suggests_near(message, mistake));
    }
  for (const auto& key : filter_keys())
    for (const std::string& mistake : misspelt(key.name)) {
      CAPTURE(mistake);
      const std::string message = message_for("filters=[{kernel: box, " + mistake + ": 1}]");
      CAPTURE(message);
      CHECK(suggests_near(message, mistake));
    }
  CHECK(count > 1000);
}
