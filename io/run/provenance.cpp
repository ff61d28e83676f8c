#include "io/run/provenance.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "io/config/config_text.hpp"
#include "io/durable/seal.hpp"
#include "io/run/run_folder.hpp"
#include "kernels/engines.hpp"
#include "lapl_version.hpp"

namespace lapl {
namespace {

std::string program, command_line;
std::vector<std::string> words;

}  // namespace

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

void remember_command_line(int argc, char** argv) {
  program = shell_quoted(argv[0]);
  command_line = program;
  words.assign(argv + 1, argv + argc);
  for (int i = 1; i < argc; ++i) command_line += " " + shell_quoted(argv[i]);
}

const std::vector<std::string>& command_words() { return words; }

std::string program_name() { return program; }

std::string history_line() { return utc_now() + ": " + command_line; }

std::string shell_quoted(const std::string& text) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  if (first_bad_byte(text) < text.size() || std::ranges::any_of(text, is_control)) {
    std::string escaped = "$'";
    for (const unsigned char c : text) {
      const bool printable = c >= 0x20 && c < 0x7F && c != '\'' && c != '\\';
      escaped += printable ? std::string(1, static_cast<char>(c)) : fmt::format("\\x{:02X}", c);
    }
    return escaped + "'";
  }
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string path_text(const std::string& path) {
  return first_bad_byte(path) < path.size() ? shell_quoted(path) : path;
}

Provenance make_provenance(const BackendDescription& description) {
  const bool steps = description.engine != spectral_engine.name;
  return {{"program", "lapl"},
          {"version", LAPL_VERSION},
          {"commit", LAPL_COMMIT},
          {"compiler", LAPL_COMPILER},
          {"backend", description.backend},
          {"engine", description.engine},
          {"digests_of", steps ? "every engine that steps"
                               : fmt::format("{} on {}", description.engine, description.backend)},
          {"device", description.device},
          {"driver", description.driver},
          {"threads", std::to_string(description.threads)},
          {"host", host_name()},
          {"start_time", utc_now()},
          {"command_line", command_line}};
}

Provenance picture_provenance(const std::string& source, const std::string& steps,
                              const Provenance& of_source) {
  Provenance texts = {
      {"Software", "lapl " LAPL_VERSION " (" LAPL_COMMIT ")"},
      {"source", path_text(std::filesystem::absolute(source).lexically_normal().string())},
      {"drawn_by", command_line}};
  if (!steps.empty()) texts.emplace_back("steps", steps);
  for (const auto& [name, text] : of_source) {
    if (name == "config") {
      SealMaker maker;
      maker.add(std::as_bytes(std::span(text)));
      texts.emplace_back("config_digest", fmt::format("{:#018x}", digest_in(maker.seal())));
    } else if (!text.empty()) {
      texts.emplace_back(name, text);
    }
  }
  return texts;
}

}  // namespace lapl
