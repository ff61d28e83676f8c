// lapl watch --web: serves one page about a run to browsers on this machine.
#include <fmt/format.h>
#include <sys/random.h>

#include <csignal>
#include <mutex>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/commands/report.hpp"
#include "app/signals.hpp"
#include "app/view/print_text.hpp"
#include "app/view/report/html.hpp"
#include "app/view/web/live.hpp"
#include "app/view/web/web_module.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/json.hpp"
#include "io/run/provenance.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_log_lines = 200;
constexpr const char *html_type = "text/html; charset=utf-8", *json_type = "application/json",
                     *text_type = "text/plain; charset=utf-8";

// 128 random bits as text.
std::string random_token() {
  std::uint64_t bits[2];
  if (::getrandom(bits, sizeof bits, 0) != sizeof bits)
    throw IoError("--web: the system has no random numbers");
  return fmt::format("{:016x}{:016x}", bits[0], bits[1]);
}

// Answers the requests of the page. Paths without the token do not exist, so that only those who
// were given the address see the run and can stop it.
class LivePages {
 public:
  LivePages(fs::path folder, Origin origin)
      : folder_(std::move(folder)), origin_(origin), before_("/" + random_token() + "/") {}

  const std::string& path() const { return before_; }

  WebAnswer answer(const std::string& method, const std::string& path) try {
    if (!path.starts_with(before_)) return {};
    const std::scoped_lock alone(reading_);  // HDF5 serves one thread
    const std::string page = path.substr(before_.size());
    const RunView run = read_run_status(folder_, host_name());
    if (method == "GET" && page.empty()) return {200, html_type, live_page(run.name)};
    if (method == "GET" && page == "state")
      return {200, json_type, json_text(live_state(run, newest_step(), log_text()))};
    if (method == "GET" && page == "report")
      return {200, html_type, newest_report(folder_, origin_)};
    if (method == "POST" && page == "stop")
      return asked(run, SIGUSR1, "The run stops with a checkpoint.");
    if (method == "POST" && page == "checkpoint")
      return asked(run, checkpoint_signal, "The run stores a checkpoint.");
    return {};
  } catch (const std::exception& error) {
    return {500, html_type, fmt::format("<p>{}</p>", html_escaped(error.what()))};
  }

 private:
  static WebAnswer asked(const RunView& run, int signal, const char* what) {
    if (run.process <= 0 || ::kill(run.process, signal) != 0)
      return {409, text_type, "The run does not run here."};
    return {200, text_type, what};
  }

  std::int64_t newest_step() const {
    const std::vector<fs::path> files = list_step_files(folder_ / "fields");
    return files.empty() ? -1 : step_of_file_name(files.back().filename().string());
  }

  // The last events, a line each, the newest first.
  std::string log_text() const {
    std::vector<std::string> lines;
    for_each_event(folder_ / "log.jsonl", {"event"},
                   [&](const nlohmann::ordered_json& event) { lines.push_back(json_text(event)); });
    std::string text;
    for (std::size_t i = 0; i < std::min(lines.size(), most_log_lines); ++i)
      text += lines[lines.size() - 1 - i] + "\n";
    return text;
  }

  const fs::path folder_;
  const Origin origin_;
  const std::string before_;
  std::mutex reading_;
};

}  // namespace

int watch_web(const fs::path& folder, Origin origin, int port) {
  read_run_status(folder, host_name());  // reports errors before anything is served
  LivePages pages(folder, origin);
  serve_pages(
      port,
      [&](int open) {
        print_text("http://127.0.0.1:{}{}\n", open, pages.path());
        std::fflush(stdout);
      },
      [&](const std::string& method, const std::string& path) {
        return pages.answer(method, path);
      });
  return 0;
}

}  // namespace lapl
