// Help and typing errors: the help of every command, and every name with one letter wrong.
#include <regex>

#include "app/commands/commands.hpp"
#include "io/config/config.hpp"
#include "io/config/config_keys.hpp"
#include "io/config/config_text.hpp"
#include "io/filters/filter_keys.hpp"
#include "kernels/error.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;
using namespace lapl;

namespace {

using Words = std::vector<std::string>;

// The words that completion offers next, without their descriptions.
Words next_words(const CommandLine& line, const Words& so_far) {
  Words result;
  for (const auto& [word, meaning] : line.complete(so_far).words) result.push_back(word);
  return result;
}

Words command_names(const CommandLine& line) { return next_words(line, {""}); }

std::string help_text(const std::string& command) { return run_lapl({command, "--help"}).out; }

// The width of helps while this lives.
class Columns {
 public:
  explicit Columns(const char* columns) { setenv("COLUMNS", columns, 1); }
  ~Columns() { unsetenv("COLUMNS"); }
  Columns(const Columns&) = delete;
};

// The indented lines below a title.
Words lines_under(const std::string& title, const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  bool inside = false;
  for (std::string line; std::getline(stream, line);) {
    if (inside && !line.starts_with("  ")) break;
    if (inside) lines.push_back(line.substr(2));
    inside = inside || line == title;
  }
  return lines;
}

// All misspellings of a word from index `first` on: a letter missing, doubled or replaced, or two
// letters swapped.
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

// True if the message suggests a word that is one mistake away, as the intended word is.
bool suggests_near(const std::string& message, const std::string& mistake) {
  const std::string start = "did you mean ";
  const auto at = message.find(start);
  if (at == std::string::npos) return false;
  const auto from = at + start.size();
  return edit_distance(mistake, message.substr(from, message.find('?', from) - from), 2) == 1;
}

}  // namespace

TEST_CASE("help: every command has one sentence and two to four examples, all of known words") {
  const Sandbox sandbox;
  const CommandLine line = command_line();
  for (const auto& found : line.complete({""}).words) {
    const std::string& command = found.first;
    const std::string& sentence = found.second;
    CAPTURE(command);
    CHECK(sentence.size() <= 90);
    CHECK(std::isupper(static_cast<unsigned char>(sentence.front())) != 0);
    CHECK(sentence.find_first_of("\n.") == std::string::npos);
    const std::string help = help_text(command);
    const Words examples = lines_under("Examples:", help);
    CHECK(examples.size() >= 2);
    CHECK(examples.size() <= 4);
    CHECK((examples.front() + ' ').starts_with("lapl " + command + ' '));
    for (const std::string& example : examples) {
      std::istringstream text(example.substr(0, example.find_first_of("|>")));
      Words words;
      for (std::string word; text >> word;) words.push_back(word);
      CHECK(line.unknown_word({words.begin() + 1, words.end()}).empty());
    }
    for (const std::string& positional : lines_under("Positionals:", help))
      CHECK(positional.size() > 26);  // each is followed by its description
    for (const auto& option : line.complete({command, "-"}).words) CHECK(!option.second.empty());
  }
}

TEST_CASE("help: no line is wider than the terminal") {
  const Sandbox sandbox;
  const CommandLine line = command_line();
  std::vector<Words> helps = {{"--help"}, {"help"}, {"help", "config"}, {"list"}};
  for (const std::string& name : command_names(line)) helps.push_back({name, "--help"});
  for (const ConfigKey& key : config_keys()) helps.push_back({"help", "config", key.name});
  for (const char* const columns : {"80", "100"}) {
    const Columns width(columns);
    for (const Words& words : helps) {
      std::string command;
      for (const std::string& word : words) command += ' ' + word;
      const Outcome help = run_lapl(words);
      CHECK(help.code == 0);
      std::istringstream lines(help.out);
      for (std::string text; std::getline(lines, text);) {
        CAPTURE(command);
        CAPTURE(text);
        CHECK(text.size() <= std::stoul(columns));
        CHECK_FALSE(has(text, " in ["));  // CLI11's words for a range
        CHECK_FALSE(has(text, ":{"));     // and for choices
      }
    }
  }
  const Columns wide("300");
  for (const std::string& text : lines_under("Look:", run_lapl({"--help"}).out))
    CHECK(text.size() <= 98);
}

TEST_CASE("help: commands stand in groups by purpose, and each has its own") {
  const Sandbox sandbox;
  std::string help = run_lapl({"--help"}).out;
  std::size_t found = 0;
  for (const char* const group : {"Start:", "Run:", "Look:", "Check:", "More:"})
    for (const std::string& text : lines_under(group, help)) found += text.front() != ' ' ? 1 : 0;
  const Words names = command_names(command_line());
  CHECK(found == names.size());
  for (const std::string& name : names) CHECK(run_lapl({"help", name}).out == help_text(name));
  CHECK(run_lapl({"help"}).out == help);
  CHECK(has(run_lapl({"help", "rnu"}).err, "did you mean run?"));
  CHECK(run_lapl({"help", "run", "time.step"}).code == 2);
}

TEST_CASE("help: config has every key, with all that the table says of it") {
  const Sandbox sandbox;
  const std::string all = run_lapl({"help", "config"}).out;
  for (const ConfigKey& key : config_keys()) {
    CAPTURE(key.name);
    CHECK(has(all, "\n  " + key.name));
    const Outcome help = run_lapl({"help", "config", key.name});
    CHECK(help.out.starts_with(key.name + ": "));
    CHECK(has(help.out, "\n  default  "));
  }
  const std::string time = run_lapl({"help", "config", "time"}).out;
  CHECK(has(time, "time.scheme"));
  CHECK_FALSE(has(time, "grid.shape"));
  CHECK(has(run_lapl({"help", "config", "time.stp"}).err, "did you mean time.step?"));
  CHECK_FALSE(has(help_text("run"), "time.scheme"));
}

TEST_CASE("help: the examples do what they say" * doctest::test_suite("slow once")) {
  const std::string path =
      "HOME=. PATH=" + fs::path(lapl_program()).parent_path().string() + ":$PATH ";
  const Sandbox made_once;
  fs::create_directories("configs/filters");
  fs::copy(LAPL_SOURCE_DIR "/configs/pictures", "configs/pictures");
  for (const char* file : {"tutorial-small.yaml", "filters/picture-smooth.yaml"})
    fs::copy(LAPL_SOURCE_DIR "/configs/" + std::string(file), "configs/" + std::string(file));
  write_text("configs/tutorial.yaml",
             "grid: {shape: [24, 32]}\nequation: {coefficient: 0.25}\ntime: {steps: 10000}\n");
  write_text("cube.yaml",
             "grid: {shape: [8, 9, 10]}\nequation: {coefficient: 0.1}\n"
             "time: {steps: 10000}\noutput: {directory: runs/cube}\n");
  fs::copy("configs/pictures/letters.png", "mine.png");
  fs::copy("configs/filters/picture-smooth.yaml", "smooth.yaml");
  fs::copy("configs/tutorial.yaml", "tutorial.yaml");
  for (const char* run : {"runs/tutorial", "runs/other"})
    REQUIRE(run_lapl({"run", "configs/tutorial.yaml", "--output", run, "--quiet"}).code == 0);
  REQUIRE(run_lapl({"run", "cube.yaml", "--quiet"}).code == 0);
  REQUIRE(run_lapl({"sweep", "configs/tutorial.yaml", "--output", "runs/sweep", "--quiet", "--set",
                    "initial.seed=1,2", "--set", "equation.coefficient=0.1,0.2"})
              .code == 0);
  for (const std::string& name : command_names(command_line())) {
    const Sandbox sandbox;
    fs::copy(made_once.path(), ".", fs::copy_options::recursive);
    if (name == "run" || name == "new") fs::remove_all("runs");
    if (name == "new") fs::remove("tutorial.yaml");
    for (const std::string& example : lines_under("Examples:", help_text(name))) {
      // The first example of bench measures for minutes, and the last of new runs the tutorial.
      if (example == "lapl bench" || example == "lapl run tutorial.yaml") continue;
      // Examples that measure run with smaller shapes and few steps; the checked output stays the
      // same.
      std::string tried = example;
      if (name == "bench" || name == "plan")
        tried = std::regex_replace(example, std::regex("([ [])(\\d+)\\d\\b"), "$1$2");
      if (name == "bench" && !has(tried, "--filters")) tried += " --steps 20";
      CAPTURE(tried);
      const std::string shell = path + "sh -ec '" + tried + "' > out.txt 2> err.txt";
      const bool quotes = tried.find('\'') != std::string::npos;
      if (quotes) write_text("example.sh", tried);
      const std::string script = path + "sh -e example.sh > out.txt 2> err.txt";
      const int code = WEXITSTATUS(std::system((quotes ? script : shell).c_str()));
      if (file_text("err.txt").find("built without cairo") != std::string::npos) continue;
      if (file_text("err.txt").find("needs ffmpeg") != std::string::npos) continue;
      CAPTURE(file_text("err.txt"));
      CHECK(code == 0);
    }
  }
}

TEST_CASE("completion offers every word that can come next on a command line") {
  const CommandLine line = command_line();
  const auto words = [&](const Words& so_far) { return next_words(line, so_far); };
  CHECK(words({"com"}) == Words{"completions"});  // "complete" is a hidden command
  CHECK(words({}) == words({""}));
  CHECK(words({"ru"}) == Words{"run"});
  CHECK(words({"run", "--ov"}) == Words{"--overwrite"});
  CHECK(words({"run", "c.yaml", "--set", "checkpoint.e"}) == Words{"checkpoint.every="});
  CHECK(words({"run", "--set", "boundary=p"}) == Words{"boundary=periodic"});
  CHECK(words({"run", "--set", "initial.crop_radius="}) == Words{"initial.crop_radius=null"});
  CHECK(words({"run", "--backend=cu"}) == Words{"--backend=cuda"});
  CHECK(words({"plot", "--limits", "-1", ""}).empty());  // a number cannot be completed
  CHECK(words({"plot", "a", "--step", "5", "--colormap", "v"}) == Words{"viridis", "vik"});
  CHECK(words({"rnu", ""}).empty());
  CHECK(words({"run", "--ouput", ""}).empty());
  CHECK(words({"help", "pl"}) == Words{"plan", "plot"});
  CHECK(words({"help", "co"}) == Words{"completions", "config"});
  CHECK(words({"help", "config", "time.stag"}) == Words{"time.stages"});
  CHECK(words({"help", "run", ""}).empty());
  CHECK(words({"bench", "--precision", "float3"}) == Words{"float32"});
  CHECK(words({"new", "gray-scott-c"}) == Words{"gray-scott-coral"});
  CHECK(line.complete({"run", ""}).files == "configs");
  CHECK(line.complete({"run", "c.yaml", ""}).files == "none");
  CHECK(line.complete({"resume", ""}).files == "folders");
  CHECK(line.complete({"plot", "--", "-"}).files == "files");
  CHECK(line.complete({"diff", "--", "-a", ""}).files == "files");
  CHECK(line.complete({"plot", "--limits", "-1", "1", ""}).files == "files");
  // Every key with each of its possible words must be a valid setting.
  CHECK(words({"run", "--set", ""}).size() == config_keys().size() + 1);
  for (const auto& key : config_key_choices())
    for (const std::string& word : words({"run", "--set", key.name + "="}))
      CHECK(word.starts_with(key.name + "="));
}

TEST_CASE("help: every command and every option with one letter wrong is understood" *
          doctest::test_suite("moderate")) {
  const CommandLine line = command_line();
  std::size_t count = 0;
  const auto check = [&](const std::vector<std::string>& words, const std::string& mistake) {
    CAPTURE(mistake);
    const std::string message = line.unknown_word(words);
    CAPTURE(message);
    CHECK(message.starts_with(mistake + ": lapl"));
    CHECK(suggests_near(message, mistake));
    ++count;
  };
  const Words names = command_names(line);
  for (const std::string& name : names) {
    for (const std::string& mistake : misspelt(name))
      if (std::ranges::find(names, mistake) == names.end()) check({mistake}, mistake);
    const Words options = next_words(line, {name, "-"});
    for (const std::string& option : options)
      for (const std::string& mistake : misspelt(option, 2))
        if (std::ranges::find(options, mistake) == options.end())
          check({name, "word", mistake, "value"}, mistake);
  }
  CHECK(count > 1500);
  CHECK(line.unknown_word({"rnu"}).find("did you mean run?") != std::string::npos);
  CHECK(line.unknown_word({"plot", "--limits", "-1", "1"}).empty());
  CHECK(line.unknown_word({"run", "--ouput=x"}).find("--output?") != std::string::npos);
  CHECK(line.unknown_word({"somethingelse"}).find("did you mean") == std::string::npos);
}

TEST_CASE("help: every config key with one letter wrong is understood" *
          doctest::test_suite("moderate")) {
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
      const bool any_name = key.entry() == "FIELD" || key.entry() == "NAME";
      if (any_name && (key.section() != "parameters" || mistake.starts_with(key.section())))
        continue;  // replaced by another valid name
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
