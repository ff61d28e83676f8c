#include "io/config/config_mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "io/config/config_text.hpp"
#include "kernels/error.hpp"

namespace lapl {

void Mistakes::add(const Place& place, std::string_view key, std::string_view what) {
  const std::string where =
      place.in_file()
          ? fmt::format("{}:{}:{}", file_name_, place.position.line, place.position.column)
          : "--set " + shown(settings_[place.setting]);
  const std::string subject = key.empty() ? std::string() : shown(key) + ": ";
  mistakes_.push_back({place, fmt::format("{}: {}{}", where, subject, what)});
}

void Mistakes::throw_any() const {
  if (mistakes_.empty()) return;
  std::vector<Mistake> sorted = mistakes_;
  std::ranges::stable_sort(sorted, {}, [](const Mistake& mistake) {
    const auto& [position, setting] = mistake.place;
    return std::tuple(setting, position.line, position.column);
  });
  std::string all;
  for (const Mistake& mistake : sorted) all += (all.empty() ? "" : "\n") + mistake.text;
  throw ConfigError(all);
}

}  // namespace lapl
