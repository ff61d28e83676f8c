// The folder of a sweep, as its table summary.csv describes it: the swept keys and the members.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/command.hpp"
#include "io/run/run_view.hpp"

namespace lapl {

struct SweptKey {
  std::string key;   ///< such as initial.seed
  std::string name;  ///< the last part of the key; the key where another one ends so too
  nlohmann::ordered_json values = nlohmann::ordered_json::array();  ///< all of one kind, as listed

  /// A value as text.
  std::string text(std::size_t value) const;
};

/// The swept keys with their values, of which each member has one: JSON numbers where all values of
/// the key are numbers, else texts. `texts`: by key, as given (YAML).
std::vector<SweptKey> swept_keys(const std::vector<std::string>& keys,
                                 const std::vector<std::vector<std::string>>& texts);

/// A name for the coordinate of a key in a file that has datasets of the names `taken`: its name,
/// or its key with _ in place of dots.
std::string coordinate_name(const SweptKey& key, const std::vector<std::string>& taken);

/// A YAML value as JSON if it is valid JSON, else as a string.
nlohmann::ordered_json json_value(const std::string& yaml);

struct SweepFolder {
  struct Member {
    std::string name;
    std::filesystem::path folder;
    std::vector<std::size_t> place;  ///< for each key the index of its value
    nlohmann::ordered_json row;      ///< of summary.csv: texts by column
  };
  std::filesystem::path path;
  std::vector<SweptKey> keys;  ///< those with several values; the last varies fastest
  std::vector<Member> members;

  /// The values of a member, such as "coefficient 0.05, seed 1".
  std::string values_text(const Member& member) const;
};

/// The progress of a member (read_run_status); without a run folder what the table says.
RunView read_member_status(const SweepFolder::Member& member, const std::string& host);

/// True if `path` is the folder of a sweep.
bool is_sweep(const std::filesystem::path& path);

/// Reads summary.csv. `where` has KEY=VALUE, with a key or its name: only members with these values
/// count. Throws IoError if the table is not as lapl sweep writes it, ConfigError for a key or a
/// value that no member has.
SweepFolder read_sweep(const std::filesystem::path& path,
                       const std::vector<std::string>& where = {});

/// Adds --where.
void add_where_option(Command& command, std::vector<std::string>& where);

/// Throws ConfigError if --where is given for something else than a sweep.
void refuse_where(const std::vector<std::string>& where, const std::string& path);

}  // namespace lapl
