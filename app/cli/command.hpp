// What a command says of itself: its options, its help, and what it does. The library behind it is
// CLI11, which app/cli alone includes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lapl {

/// What a command does; returns the exit code.
using Action = std::function<int()>;

/// Where the value of an option or a positional goes, or what takes it.
using ValueTarget = std::variant<std::string*, std::vector<std::string>*, std::int64_t*, int*,
                                 double*, std::optional<std::int64_t>*, std::vector<std::int64_t>*,
                                 std::vector<double>*, std::function<void(const std::string&)>>;

/// An option or a positional of a command. Each function says more of it.
class CommandOption {
 public:
  CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption required() const;
  /// As many values each time that it is given.
  CommandOption values(int count) const;
  /// It may be given several times, with as many values each time.
  CommandOption repeatable(int count = 1) const;
  /// These words alone.
  CommandOption one_of(const std::vector<std::string>& words) const;
  /// One of these words, or a number from `low` to `high`.
  CommandOption one_of_or_between(const std::vector<std::string>& words, int low, int high) const;
  /// Numbers from `low` to `high` alone.
  CommandOption between(int low, int high) const;
  CommandOption between(std::int64_t low, std::int64_t high) const;
  CommandOption between(double low, double high) const;
  CommandOption not_negative() const;
  /// Not together with this option of the same command, such as "--step".
  CommandOption excludes(const std::string& other) const;

 private:
  CLI::Option* option_;
};

class Command {
 public:
  /// `chosen` becomes what the command does where the command line is one of it.
  Command(CLI::App* command, Action* chosen) : command_(command), chosen_(chosen) {}

  /// What `function` is to be called with where the command is given; its members are for option()
  /// and its like to fill.
  template <class Options>
  Options& calls(int (*function)(const Options&)) {
    const auto options = std::make_shared<Options>();
    does([options, function] { return function(*options); });
    return *options;
  }
  void does(Action action);

  /// A positional is shown by its name alone, or with what it may be: "USE {quick,tutorial}".
  CommandOption positional(const std::string& name, const ValueTarget& target,
                           const std::string& what);
  /// `names` may end in what people are to call the value: "-o,--output FILE".
  CommandOption option(const std::string& names, const ValueTarget& target,
                       const std::string& what);
  CommandOption flag(const std::string& name, bool* target, const std::string& what);

  /// What follows the options in the help: examples, and what else there is to say.
  void footer(const std::string& text);
  /// Not shown to people.
  void hide();

 private:
  CLI::App* command_;
  Action* chosen_;
};

}  // namespace lapl
