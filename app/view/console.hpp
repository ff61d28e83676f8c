// The console of a run: a progress bar on a terminal and a line every few seconds elsewhere,
// both on stderr; one line for each output, and the summary, on stdout.
#pragma once

#include <chrono>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "app/view/live_view.hpp"
#include "io/run/run_writer.hpp"

namespace lapl {

/// "lapl: error: ..." on stderr, red on a terminal unless NO_COLOR is set.
void print_error(const std::string& message);
/// "lapl: warning: ...", likewise.
void print_warning(const std::string& text);

class Console {
 public:
  struct Options {
    bool quiet = false;  ///< errors alone
    bool json = false;   ///< each line on stdout is a JSON object
    bool live = false;   ///< the view of lapl watch in place of the progress bar
  };

  explicit Console(Options options);
  ~Console() { clear_bar(); }

  /// The run in this folder starts, or goes on; pictures show the first row of its field below, or
  /// on top.
  void begin(const std::filesystem::path& folder, bool first_row_below);

  /// A remark on stderr.
  void note(const std::string& text);

  /// Something went wrong and the run goes on: said even where the console is quiet.
  void warning(const std::string& text);

  /// An output or a checkpoint is on disk.
  void stored(const StoredEvent& event);

  void progress(const Progress& progress);

  /// The end of a run: `text` for people, `values` for --json.
  void summary(const std::string& text, const nlohmann::ordered_json& values);

 private:
  void clear_bar();
  void show_live();

  Options options_;
  bool terminal_;
  bool bar_shown_ = false;
  bool first_row_below_ = true;
  std::optional<LiveView> live_;
  std::chrono::steady_clock::time_point last_line_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  // stored() comes from the storing thread
};

}  // namespace lapl
