// What people see of a run: a progress bar on a terminal and a line every few seconds elsewhere,
// both on stderr; one line for each output, and the summary, on stdout.
#pragma once

#include <chrono>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "io/run_writer.hpp"

namespace lapl {

/// "lapl: error: ..." on stderr, red on a terminal unless NO_COLOR is set.
void print_error(const std::string& message);

/// "512.3 MCells/s" and the like.
std::string cell_rate(double cells_per_second);

/// "3 s", "4 min 10 s", "2 h 5 min".
std::string time_left_text(double seconds);

class Console {
 public:
  struct Options {
    bool quiet = false;  ///< errors alone
    bool json = false;   ///< each line on stdout is a JSON object
  };

  explicit Console(Options options);

  /// A remark on stderr.
  void note(const std::string& text);

  /// An output or a checkpoint is on disk.
  /// Something went wrong and the run goes on: said even where the console is quiet.
  void warning(const std::string& text);
  void stored(const StoredEvent& event);

  void progress(const Progress& progress);

  /// The end of a run: `text` for people, `values` for --json.
  void summary(const std::string& text, const nlohmann::ordered_json& values);

 private:
  void clear_bar();

  Options options_;
  bool terminal_;
  bool bar_shown_ = false;
  std::chrono::steady_clock::time_point last_line_;
  std::mutex mutex_;  // stored() comes from the storing thread
};

}  // namespace lapl
