// Class Command declares the options, the help and the function of one command of lapl. It uses the
// library CLI11, which only app/cli includes.
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

/// The variable or function that receives the value of an option or a positional.
using ValueTarget = std::variant<std::string*, std::vector<std::string>*, std::int64_t*, int*,
                                 double*, std::optional<std::int64_t>*, std::vector<std::int64_t>*,
                                 std::vector<std::vector<std::int64_t>>*, std::vector<double>*,
                                 std::function<void(const std::string&)>>;

/// Rules for an option or a positional. The defaults mean "no rule".
struct OptionRules {
  bool required = false;
  int values = 0;                        ///< values after each occurrence; 0: by the target's type
  int fewest_values = 0;                 ///< 0: the same as `values`
  bool repeatable = false;               ///< it may occur several times; all values are collected
  std::vector<std::string> one_of = {};  ///< allowed words, besides `between`
  std::optional<std::pair<std::int64_t, std::int64_t>> between = {};  ///< least and largest allowed
  std::optional<std::pair<double, double>> between_reals = {};        ///< least and largest allowed
  bool not_negative = false;
  bool may_be_empty = false;
  std::vector<std::string> excludes = {};  ///< options that cannot come with it: "--step"
};

class Command {
 public:
  /// If the command line calls this command, the parser sets `*chosen` to the command's action.
  Command(CLI::App* command, Action* chosen) : command_(command), chosen_(chosen) {}

  /// Sets the function of the command. Returns the struct that is passed to the function; its
  /// members can be the targets of options.
  template <class Options>
  Options& calls(int (*function)(const Options&)) {
    const auto options = std::make_shared<Options>();
    does([options, function] { return function(*options); });
    return *options;
  }
  void does(Action action);

  /// Adds a positional. `name` may include its choices for the help: "USE {quick,tutorial}".
  void positional(const std::string& name, const ValueTarget& target, const std::string& what,
                  const OptionRules& rules = {});
  /// Adds an option. `names` may end in a placeholder for its value: "-o,--output FILE".
  void option(const std::string& names, const ValueTarget& target, const std::string& what,
              const OptionRules& rules = {});
  void flag(const std::string& name, bool* target, const std::string& what,
            const OptionRules& rules = {});

  /// The text after the options in the help: examples and remarks.
  void footer(const std::string& text);
  /// Leaves the command out of the help and of completions.
  void hide();

 private:
  CLI::App* command_;
  Action* chosen_;
};

}  // namespace lapl
