// lapl_forks: lapl with io_faults.cpp linked in. It has loaded everything and forks for each run,
// so a run takes milliseconds. Each line on standard input is a request:
//
//   {"folder": "...", "words": ["lapl", "run", ...], "environment": {...}}
//     runs that command line in the folder, with these variables (io_faults.cpp reads them again)
//   {"folder": "...", "files": ["fields/step-000000000.nc", ...]}
//     reads every value of these files of lapl; prints their steps, times and digests
//
// The answer is {"status": as from waitpid, "out": "...", "err": "..."}; SIGALRM ends a request
// after five minutes.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/hdf5/step_file.hpp"
#include "kernels/fields/digest.hpp"

extern "C" {
int __real_main(int argc, char** argv);  // lapl's main, by the linker's --wrap=main
void lapl_read_faults();
}

namespace {

using Json = nlohmann::json;

bool forks_fail = false;

std::string text_of_file(const std::string& path) {
  const lapl::FileContent content = lapl::read_content(path);
  std::string text = fmt::format("{} {} {} ", content.kind, content.steps, content.times);
  for (const std::string& field : content.fields)
    for (std::size_t record = 0; record < std::max<std::size_t>(content.steps.size(), 1); ++record)
      std::visit(
          [&](const auto& values) {
            text += fmt::format("{} {:#x} ", field, lapl::field_digest(std::span(values)));
          },
          lapl::read_field(path, field, record).values);
  return text;
}

int read_files(const std::vector<std::string>& paths) {
  forks_fail = true;  // reads without rehearsals in a child process: these files are not hostile
  Json texts;
  for (const std::string& path : paths) try {
      texts[path] = text_of_file(path);
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
    }
  std::cout << texts << std::flush;
  return texts.size() == paths.size() ? 0 : 1;
}

int run_lapl(std::vector<std::string> words, const Json& environment) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  for (const auto& [name, value] : environment.items())
    ::setenv(name.c_str(), value.get<std::string>().c_str(), 1);
  lapl_read_faults();
  return __real_main(static_cast<int>(words.size()), arguments.data());
}

[[noreturn]] void run_child(const Json& request, int out, int err) {
  if (::chdir(request["folder"].get<std::string>().c_str()) != 0) ::_exit(127);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  ::alarm(300);
  std::exit(request.contains("files") ? read_files(request["files"])
                                      : run_lapl(request["words"], request["environment"]));
}

std::string read_whole(int file) {
  std::string text(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
  if (::pread(file, text.data(), text.size(), 0) < 0) text.clear();
  ::close(file);
  return text;
}

}  // namespace

extern "C" {

pid_t fork() noexcept {
  using Fork = pid_t (*)();
  void* const symbol = ::dlsym(RTLD_NEXT, "fork");
  Fork real;
  std::memcpy(&real, &symbol, sizeof real);
  if (!forks_fail) return real();
  errno = EAGAIN;
  return -1;
}

int __wrap_main(int, char**) {
  for (std::string line; std::getline(std::cin, line);) {
    const Json request = Json::parse(line);
    const int out = ::memfd_create("out", 0), err = ::memfd_create("err", 0);
    const pid_t child = ::fork();
    if (child == 0) run_child(request, out, err);
    int status = -1;
    ::waitpid(child, &status, 0);
    const Json answer = {{"status", status}, {"out", read_whole(out)}, {"err", read_whole(err)}};
    std::cout << answer.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }
  return 0;
}
}
