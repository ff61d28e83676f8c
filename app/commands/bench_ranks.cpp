#include "app/commands/bench_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/start_ranks.hpp"
#include "app/view/say.hpp"
#include "io/json.hpp"
#include "io/provenance.hpp"
#include "kernels/error.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/ranks/ranks.hpp"

namespace lapl {
namespace {

using Json = nlohmann::ordered_json;

// What a bench in other processes prints.
Json measured(const Launcher& launcher, int ranks, const std::vector<std::int64_t>& shape,
              const std::vector<std::string>& words) {
  std::string command;
  std::vector<std::string> all = words_of_ranks(launcher, ranks);
  all.insert(all.end(), words.begin(), words.end());
  all.emplace_back("--shape");
  for (const std::int64_t extent : shape) all.push_back(std::to_string(extent));
  all.insert(all.end(), {"--ranks", std::to_string(ranks), "--json"});
  for (const std::string& word : all) command += shell_quoted(word) + " ";
  command += "</dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) throw DeviceError("--ranks {}: a bench cannot be started", ranks);
  std::string text;
  for (int letter; (letter = std::fgetc(pipe.get())) != EOF;) text += static_cast<char>(letter);
  if (text.empty()) throw DeviceError("--ranks {}: the bench ended without a figure", ranks);
  return Json::parse(text);
}

void print_rows(const Json& all, const char* scaling, int ranks, const Json& of_one) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json &row = all[i], &one = of_one[i];
    const auto rate = row["gigacells_per_second"].get<double>();
    const auto rate_of_one = one["gigacells_per_second"].get<double>();
    const int threads = ranks * row["threads"].get<int>();
    const double processors =  // GPUs, where there are no threads
        threads == 0 ? ranks : static_cast<double>(threads) / one["threads"].get<int>();
    say("{:<7} {:>5} {:>8} {:<10} {:<8} {:>20} {:>9.3f} {:>9.2f} {:>9.1f} {:>8}\n", scaling, ranks,
        threads, row["engine"].get<std::string>(), row["precision"].get<std::string>(),
        text_of(Shape::of(row["shape"].get<std::vector<std::int64_t>>())), rate, rate / rate_of_one,
        100 * rate / rate_of_one / processors, row["verified_steps"].get<std::int64_t>());
  }
  std::fflush(stdout);
}

}  // namespace

int bench_ranks(int most, const std::vector<std::vector<std::int64_t>>& shapes,
                const std::vector<std::string>& words, bool json) {
  if (!json)
    say("{:<7} {:>5} {:>8} {:<10} {:<8} {:>20} {:>9} {:>9} {:>9} {:>8}\n", "scaling", "ranks",
        "threads", "engine", "", "cells", "GCells/s", "of one", "% each", "checked");
  const Launcher launcher = find_launcher(mpi_library());
  const LauncherFolders folders;
  folders.set_variables(launcher);
  Json measurements = Json::array();
  const auto add = [&](Json rows, const char* scaling, int ranks, const Json& of_one) {
    if (!json) print_rows(rows, scaling, ranks, of_one.empty() ? rows : of_one);
    for (Json& row : rows) {
      row["scaling"] = scaling;
      row["ranks"] = ranks;
      measurements.push_back(row);
    }
  };
  for (const std::vector<std::int64_t>& shape : shapes) {
    const Json one = measured(launcher, 1, shape, words);
    add(one, "strong", 1, {});
    for (const bool weak : {false, true})
      for (int ranks = 2; ranks <= most;
           ranks = ranks < most ? std::min(2 * ranks, most) : most + 1) {
        std::vector<std::int64_t> extents = shape;
        if (weak) extents.front() *= ranks;
        add(measured(launcher, ranks, extents, words), weak ? "weak" : "strong", ranks, one);
      }
  }
  if (json) say("{}\n", json_text(measurements, 2));
  return 0;
}

}  // namespace lapl
