#include "app/view/plot/complex_views.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "kernels/error.hpp"
#include "solver/equation/complex_parts.hpp"
#include "solver/outputs.hpp"

namespace lapl {
namespace {

struct ComplexWord {
  std::string_view name, title;
  double (*value)(double re, double im);
};
constexpr std::array<ComplexWord, 4> complex_words = {
    {{"abs", "absolute value", [](double re, double im) { return std::hypot(re, im); }},
     {"phase", "phase", [](double re, double im) { return std::atan2(im, re); }},
     {"real", "real part", [](double re, double) { return re; }},
     {"imag", "imaginary part", [](double, double im) { return im; }}}};

// The word and the field of "abs(psi)"; none in another name.
std::optional<std::pair<ComplexWord, std::string>> split_name(std::string_view name) {
  const auto open = name.find('(');
  if (open == std::string_view::npos || !name.ends_with(')')) return std::nullopt;
  const auto word = std::ranges::find(complex_words, name.substr(0, open), &ComplexWord::name);
  if (word == complex_words.end()) return std::nullopt;
  return std::pair(*word, std::string(name.substr(open + 1, name.size() - open - 2)));
}

}  // namespace

bool is_phase(std::string_view name) { return name.starts_with("phase("); }

std::vector<std::string> shown_fields(const DrawnContent& content, const std::string& asked,
                                      const std::string& path) {
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::count(names, name) > 0;
  };
  if (has(content.complex_fields, asked)) return {"abs(" + asked + ")", "phase(" + asked + ")"};
  const auto split = split_name(asked);
  if (!split || has(content.fields, asked)) return {chosen_field(content, asked, path)};
  if (has(content.complex_fields, split->second)) return {asked};
  throw ConfigError(
      "--field {}: {} has no complex field {} (it has: {})", asked, path, split->second,
      content.complex_fields.empty() ? "none"
                                     : fmt::format("{}", fmt::join(content.complex_fields, ", ")));
}

void add_complex_labels(std::map<std::string, FieldLabels>& labels, const RunConfig& config,
                        const std::string& field) {
  const auto given = config.labels.find(field);
  if (given == config.labels.end()) return;
  for (const ComplexWord& word : complex_words) {
    const std::string name = fmt::format("{}({})", word.name, field);
    if (!is_phase(name)) labels[name].unit = given->second.unit;
    if (!given->second.label.empty())
      labels[name].label = fmt::format("{} of {}", word.title, given->second.label);
  }
}

std::vector<std::string> datasets_shown(const std::string& name) {
  const auto split = split_name(name);
  if (!split) return {name};
  const auto [re, im] = part_names(split->second);
  return {re, im};
}

ReadField read_shown(const std::filesystem::path& file, const std::string& name,
                     std::size_t record) {
  const std::vector<std::string> datasets = datasets_shown(name);
  ReadField field = read_field(file, datasets.front(), record);
  if (datasets.size() == 1) return field;
  std::vector<double> values = as_doubles(as_view(field.values));
  field.values = {};
  const std::vector<double> imaginary =
      as_doubles(as_view(read_field(file, datasets.back(), record).values));
  std::ranges::transform(values, imaginary, values.begin(), split_name(name)->first.value);
  field.values = std::move(values);
  return field;
}

}  // namespace lapl
