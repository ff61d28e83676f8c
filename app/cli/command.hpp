// A command declares its options, its help and its function. The library behind it is CLI11, which
// app/cli alone includes.
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
}  // namespace CLI

namespace lapl {

/// The function of a command; returns the exit code.
using Action = std::function<int()>;

/// Where the value of an option or a positional goes, or what takes it.
using ValueTarget = std::variant<std::string*, std::vector<std::string>*, std::int64_t*, int*,
                                 double*, std::optional<std::int64_t>*, std::vector<std::int64_t>*,
                                 std::vector<std::vector<std::int64_t>>*, std::vector<double>*,
                                 std::function<void(const std::string&)>>;

/// Properties of an option or a positional; those left out do not apply.
struct OptionRules {
  bool required = false;
  int values = 0;           ///< each time that it is given; 0: as the target has it
  int fewest_values = 0;    ///< 0: as many as `values`
  bool repeatable = false;  ///< it may be given several times, with as many values each time
  std::vector<std::string> one_of = {};  ///< these words alone, or what `between` allows
  std::optional<std::pair<std::int64_t, std::int64_t>> between = {};  ///< both ends included
  std::optional<std::pair<double, double>> between_reals = {};        ///< likewise
  bool not_negative = false;
  bool may_be_empty = false;
  std::vector<std::string> excludes = {};  ///< not together with these, such as "--step"
};

class Command {
 public:
  /// `chosen` becomes what the command does where the command line is one of it.
  Command(CLI::App* command, Action* chosen) : command_(command), chosen_(chosen) {}

  /// Sets the function of the command. Returns the struct that it is called with, whose members
  /// option() and its like fill.
  template <class Options>
  Options& calls(int (*function)(const Options&)) {
    const auto options = std::make_shared<Options>();
    does([options, function] { return function(*options); });
    return *options;
  }
  void does(Action action);

  /// A positional is shown by its name alone, or with what it may be: "USE {quick,tutorial}".
  void positional(const std::string& name, const ValueTarget& target, const std::string& what,
                  const OptionRules& rules = {});
  /// `names` may end in what people are to call the value: "-o,--output FILE".
  void option(const std::string& names, const ValueTarget& target, const std::string& what,
              const OptionRules& rules = {});
  void flag(const std::string& name, bool* target, const std::string& what,
            const OptionRules& rules = {});

  /// The text after the options in the help: examples and remarks.
  void footer(const std::string& text);
  /// The same where making the text takes a while: `text` is called where help is asked for. A line
  /// feed follows it.
  void footer(const std::function<std::string()>& text);
  /// Not shown to people.
  void hide();

 private:
  CLI::App* command_;
  Action* chosen_;
};

}  // namespace lapl
