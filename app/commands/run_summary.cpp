#include "app/commands/run_summary.hpp"

#include "io/durable/durable_file.hpp"
#include "io/json.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/background.hpp"

namespace lapl {
namespace {

using namespace std::chrono_literals;

constexpr auto between_saves = 2s;

}  // namespace

RunSummary::RunSummary(std::filesystem::path path, nlohmann::ordered_json first_values,
                       std::function<void(const std::string&)> warn)
    : values(std::move(first_values)), path_(std::move(path)), warn_(std::move(warn)) {}

void RunSummary::save() {
  finish_saving();
  replace_file(path_, json_text(values, 2) + "\n");
}

void RunSummary::progress(const Progress& progress) {
  if (Clock::now() - last_saved_ < between_saves) return;
  if (saving_.valid() && saving_.wait_for(0s) != std::future_status::ready) return;
  finish_saving();
  last_saved_ = Clock::now();
  nlohmann::ordered_json now = values;
  now["step"] = progress.step;
  now["cells_per_second"] = progress.cells_per_second;
  now["seconds_left"] = progress.seconds_left;
  saving_ =
      in_background([path = path_, text = json_text(now, 2) + "\n"] { replace_file(path, text); });
}

void RunSummary::finish_saving() try {
  if (saving_.valid()) saving_.get();
} catch (const IoError& error) {
  if (!std::exchange(warned_, true))
    warn_(std::string("progress could not be saved (the run goes on): ") + error.what());
}

}  // namespace lapl
