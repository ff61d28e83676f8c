#include "solver/equation/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <mutex>
#include <utility>

namespace lapl {
namespace {

std::atomic<std::int64_t> parsed_so_far = 0;

using Kind = FormulaNode::Kind;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_logic_word(std::string_view word) { return word == "and" || word == "or" || word == "not"; }

// Operators of other languages, and for messages how formulas write them.
constexpr std::string_view of_both = "that two conditions hold is written a and b";
constexpr std::string_view of_either = "that one of two conditions holds is written a or b";
constexpr std::string_view of_neither = "that a condition does not hold is written not a";
constexpr std::string_view of_word = "it joins or negates conditions: a and b, a or b, not a";
constexpr auto other_signs = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"&", of_both},
     {"and", of_word},
     {"|", of_either},
     {"or", of_word},
     {"!", of_neither},
     {"not", of_word},
     {"%", "a remainder is written mod(a, b)"},
     {"?", "a choice is written where(condition, a, b)"},
     {"if", "a choice is written where(condition, a, b)"},
     {"=", "that two are equal is written a == b"}});

// Recursive-descent parser with one function per level of the grammar.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { formula_.text = text; }

  Formula parse() {
    if (text_.size() > formula_size_limit)
      throw FormulaError(
          0, fmt::format("found {} bytes (expected at most {})", text_.size(), formula_size_limit));
    condition();
    skip_blanks();
    if (at_ < text_.size()) refuse();
    return std::move(formula_);
  }

 private:
  // The loosest operators: `or`, then `and`.
  int condition() {
    return words("or", [this] { return words("and", [this] { return negation(); }); });
  }

  template <class Read>
  int words(std::string_view word, Read read) {
    int left = read();
    while (true) {
      skip_blanks();
      const std::size_t word_at = at_;
      if (!read_word(word)) return left;
      left = logic(word, {left, read()}, word_at);
    }
  }

  int negation() {
    skip_blanks();
    const std::size_t word_at = at_;
    if (!read_word("not")) return comparison();
    const Deeper deeper(*this);
    return logic("not", {negation()}, word_at);
  }

  int logic(std::string_view word, std::vector<int> operands, std::size_t at) {
    return add({.kind = Kind::logic,
                .name = std::string(word),
                .operands = std::move(operands),
                .at = at});
  }

  bool read_word(std::string_view word) {
    const std::size_t end = at_ + word.size();
    if (!text_.substr(at_).starts_with(word)) return false;
    if (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) return false;
    at_ = end;
    return true;
  }

  int comparison() {
    int left = sum();
    skip_blanks();
    const std::size_t sign_at = at_;
    if (const std::string_view sign = comparison_sign(); !sign.empty()) {
      left = add({.kind = Kind::comparison,
                  .name = std::string(sign),
                  .operands = {left, sum()},
                  .at = sign_at});
      skip_blanks();
      const std::size_t next_at = at_;
      if (!comparison_sign().empty())
        throw FormulaError(next_at, "a second comparison (write a < b as one, in parentheses)");
    }
    return left;
  }

  std::string_view comparison_sign() {
    for (const std::string_view sign : {"<=", ">=", "==", "!=", "<", ">"})
      if (text_.substr(at_).starts_with(sign)) {
        at_ += sign.size();
        return sign;
      }
    return {};
  }

  int sum() {
    return chain("+-", [this] { return product(); });
  }
  int product() {
    return chain("*/", [this] { return signed_power(); });
  }

  template <class Read>
  int chain(std::string_view signs, Read read) {
    int left = read();
    while (true) {
      skip_blanks();
      const char sign = at_ < text_.size() ? text_[at_] : ' ';
      if (signs.find(sign) == std::string_view::npos) return left;
      const std::size_t sign_at = at_++;
      if (sign == '*' && at_ < text_.size() && text_[at_] == '*')
        throw FormulaError(sign_at, "found ** (a power is written ^)");
      const int right = read();
      left = add({.kind = sign == '+'   ? Kind::sum
                          : sign == '-' ? Kind::difference
                          : sign == '*' ? Kind::product
                                        : Kind::quotient,
                  .operands = {left, right},
                  .at = sign_at});
    }
  }

  int signed_power() {
    const Deeper deeper(*this);
    skip_blanks();
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) {
      const std::size_t sign_at = at_++;
      const int operand = signed_power();
      return text_[sign_at] == '+'
                 ? operand
                 : add({.kind = Kind::negative, .operands = {operand}, .at = sign_at});
    }
    const int base = primary();
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != '^') return base;
    const std::size_t sign_at = at_++;
    const int exponent = signed_power();
    return add({.kind = Kind::power, .operands = {base, exponent}, .at = sign_at});
  }

  int primary() {
    skip_blanks();
    if (at_ == text_.size())
      throw FormulaError(at_, "ends where a number, a name or ( is expected");
    const char first = text_[at_];
    if (is_digit(first) || first == '.') return number();
    if (is_letter(first)) return name_or_call();
    if (first != '(') refuse();
    const std::size_t open = at_++;
    const int inside = condition();
    close(open);
    return inside;
  }

  int number() {
    const std::size_t start = at_;
    double value = 0;
    const char* const begin = text_.data() + start;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range || !std::isfinite(value))
      throw FormulaError(start, "a number beyond what float64 holds");
    if (error != std::errc()) refuse();
    at_ += end - begin;
    if (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.'))
      throw FormulaError(start, fmt::format("found {} (between a number and what it multiplies "
                                            "stands a *)",
                                            word_from(start)));
    return add({.kind = Kind::number, .number = value, .at = start});
  }

  int name_or_call() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    if (is_logic_word(text_.substr(start, at_ - start))) {
      at_ = start;
      refuse();
    }
    FormulaNode node{
        .kind = Kind::name, .name = std::string(text_.substr(start, at_ - start)), .at = start};
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != '(') return add(std::move(node));
    node.kind = Kind::call;
    const std::size_t open = at_++;
    do {
      node.operands.push_back(condition());
      skip_blanks();
    } while (at_ < text_.size() && text_[at_] == ',' && ++at_ > 0);
    close(open);
    if (node.name == "noise" && node.operands.size() == 1) require_kept(node.operands.front());
    const FormulaFunction* const function = formula_function(node.name);
    if (function && function->kind == FormulaFunction::Kind::defined &&
        std::ssize(node.operands) == function->argument_count())
      return defined(*function, node);
    return add(std::move(node));
  }

  // Throws FormulaError unless float64 represents a seed exactly as it is written.
  void require_kept(int node) const {
    const FormulaNode& seed = formula_.nodes[node];
    if (seed.kind != Kind::number) return;
    std::uint64_t written = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + seed.at, text_.data() + text_.size(), written);
    const bool is_integer =
        end == text_.data() + text_.size() || (*end != '.' && *end != 'e' && *end != 'E');
    if (is_integer && (error != std::errc() || static_cast<double>(written) != seed.number ||
                       static_cast<std::uint64_t>(seed.number) != written))
      throw FormulaError(seed.at, fmt::format("an integer that float64 rounds to {:.0f} (expected "
                                              "0 to 9007199254740992)",
                                              seed.number));
  }

  // The formula by which a function is defined, with the operands of this call as its arguments.
  int defined(const FormulaFunction& function, const FormulaNode& call) {
    std::vector<int> places;
    for (FormulaNode node : Parser(function.meaning).parse().nodes) {
      if (node.kind == Kind::name) {
        const auto before = function.arguments.substr(0, function.arguments.find(node.name));
        places.push_back(call.operands.at(std::ranges::count(before, ',')));
        continue;
      }
      for (int& operand : node.operands) operand = places[operand];
      node.at = call.at;
      places.push_back(add(std::move(node)));
    }
    return places.back();
  }

  void close(std::size_t open) {
    skip_blanks();
    if (at_ == text_.size()) throw FormulaError(open, "a ( that is not closed");
    if (text_[at_] != ')') refuse();
    ++at_;
  }

  int add(FormulaNode node) {
    if (formula_.nodes.size() == formula_node_limit)
      throw FormulaError(node.at,
                         fmt::format("more than {} numbers, names and signs", formula_node_limit));
    int depth = 0;
    for (const int operand : node.operands) depth = std::max(depth, depths_[operand] + 1);
    if (depth > formula_depth_limit)
      throw FormulaError(
          node.at, fmt::format("more than {} operations one upon the other", formula_depth_limit));
    depths_.push_back(depth);
    formula_.nodes.push_back(std::move(node));
    return static_cast<int>(formula_.nodes.size()) - 1;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }
  std::string word_from(std::size_t start) const {
    std::size_t end = start;
    while (end < text_.size() && end < start + 20 &&
           (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.'))
      ++end;
    return std::string(text_.substr(start, std::max(end, start + 1) - start));
  }
  [[noreturn]] void refuse() const {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte < 0x20 || byte > 0x7e)
      throw FormulaError(at_, "a character that formulas do not have");
    const std::string word = word_from(at_);
    const auto known =
        std::ranges::find(other_signs, word, &std::pair<std::string_view, std::string_view>::first);
    throw FormulaError(
        at_, fmt::format("found {} where it has no place{}", word,
                         known == other_signs.end() ? "" : fmt::format(" ({})", known->second)));
  }

  struct Deeper {
    explicit Deeper(Parser& parser) : of(parser) {
      if (++of.depth_ > formula_nesting_limit)
        throw FormulaError(of.at_,
                           fmt::format("nested more than {} levels deep", formula_nesting_limit));
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --of.depth_; }
    Parser& of;
  };

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = -1;           // nesting of parentheses and signs around the current place
  std::vector<int> depths_;  // depth of the tree below each node
  Formula formula_;
};

}  // namespace

struct FormulaText::Shared {
  std::string text;
  std::once_flag is_parsed;
  Formula formula;
};

FormulaText::FormulaText(std::string text) : shared_(std::make_shared<Shared>()) {
  shared_->text = std::move(text);
}

FormulaText::FormulaText(Formula formula) : FormulaText(formula.text) {
  std::call_once(shared_->is_parsed, [&] { shared_->formula = std::move(formula); });
}

const std::string& FormulaText::text() const { return shared_->text; }

Formula FormulaText::parsed(const std::string& name) const {
  std::call_once(shared_->is_parsed,
                 [&] { shared_->formula = parse_formula(name, shared_->text); });
  Formula formula = shared_->formula;
  formula.name = name;
  return formula;
}

std::int64_t formulas_parsed() { return parsed_so_far; }

Formula parse_formula(const std::string& name, std::string_view text) {
  ++parsed_so_far;
  try {
    Formula formula = Parser(text).parse();
    formula.name = name;
    return formula;
  } catch (FormulaError& error) {
    error.of = name;
    error.text = text;
    throw;
  }
}

const FormulaFunction* formula_function(std::string_view name) {
  const auto found = std::ranges::find(formula_functions, name, &FormulaFunction::name);
  return found == formula_functions.end() ? nullptr : &*found;
}

bool is_grid_constant(std::string_view name) {
  return name == "dt" || (name.size() == 2 && name[1] >= 'x' && name[1] <= 'z' &&
                          (name[0] == 'L' || name[0] == 'h' || name[0] == 'n'));
}

bool is_reserved_name(std::string_view name) {
  // Configs had these names before there were such functions. A call means the function.
  constexpr std::array later_functions =
      std::to_array<std::string_view>({"clamp", "convolve", "flux", "harmonic", "shift", "tensor"});
  const bool is_function =
      formula_function(name) != nullptr && std::ranges::count(later_functions, name) == 0;
  return is_function || std::ranges::count(formula_constants, name) > 0 || name == "random" ||
         name == "noise" || is_logic_word(name);
}

}  // namespace lapl
