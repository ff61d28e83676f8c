// Collects the mistakes in a config, so that they are reported together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/config/yaml_tree.hpp"

namespace lapl {

/// The place of a value: a position in the config file, or a setting.
struct Place {
  TextPosition position;
  int setting = -1;  ///< index of the setting; -1: in the file, at the position

  bool in_file() const { return setting < 0; }
};

/// The mistakes so far. Refers to the settings; messages call the config file `file_name`.
class Mistakes {
 public:
  Mistakes(std::string file_name, const std::vector<std::string>& settings)
      : file_name_(std::move(file_name)), settings_(settings) {}

  /// Adds a mistake: what is wrong and, in parentheses, what is right. `key` may be empty.
  void add(const Place& place, std::string_view key, std::string_view what);

  /// Throws ConfigError if there are mistakes, one line for each: first those in the file by
  /// position, `file:line:column: key: what`, then those in settings, `--set KEY=VALUE: key: what`.
  void throw_any() const;

 private:
  struct Mistake {
    Place place;
    std::string text;
  };
  std::string file_name_;
  const std::vector<std::string>& settings_;
  std::vector<Mistake> mistakes_;
};

}  // namespace lapl
