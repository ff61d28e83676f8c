#include "app/provenance.hpp"

#include <unistd.h>

#include "io/run_folder.hpp"
#include "lapl_version.hpp"

namespace lapl {
namespace {

std::string program, command_line;

}  // namespace

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

void remember_command_line(int argc, char** argv) {
  program = shell_quoted(argv[0]);
  command_line = program;
  for (int i = 1; i < argc; ++i) command_line += " " + shell_quoted(argv[i]);
}

std::string program_name() { return program; }

std::string history_line() { return utc_now() + ": " + command_line; }

std::string shell_quoted(const std::string& text) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Provenance provenance_of(const BackendDescription& description) {
  return {{"program", "lapl"},
          {"version", LAPL_VERSION},
          {"commit", LAPL_COMMIT},
          {"compiler", LAPL_COMPILER},
          {"backend", description.backend},
          {"engine", description.engine},
          {"device", description.device},
          {"driver", description.driver},
          {"threads", std::to_string(description.threads)},
          {"host", host_name()},
          {"start_time", utc_now()},
          {"command_line", command_line}};
}

}  // namespace lapl
