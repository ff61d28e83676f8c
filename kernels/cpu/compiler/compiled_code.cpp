#include "kernels/cpu/compiler/compiled_code.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "kernels/cpu/compiler/library_check.hpp"
#include "kernels/cpu/compiler/system_compiler.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

constexpr const char* source_name = "code.cpp";
constexpr const char* messages_name = "messages";
constexpr std::size_t most_bytes = std::size_t{256} << 20;  // largest library that is read

void require_private(int folder) {
  struct stat status {};
  if (::fstat(folder, &status) != 0 || status.st_uid != ::geteuid() || (status.st_mode & 077) != 0)
    throw IoError("the folder for compiled code is not this user's alone");
}

void write_text(const fs::path& path, std::string_view text) {
  std::error_code ignored;  // if this fails, so does opening the file
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw IoError("{}: cannot be written (a full disk?)", path.filename().string());
}

}  // namespace

std::string all_of(const CodeText& text) {
  std::string all = arithmetic_guard() + text.source;
  const auto add = [&](const std::string& part) { all.append(1, '\0').append(part); };
  for (const auto& [name, header] : text.headers) {
    add(name);
    add(header);
  }
  for (const auto& flags : {library_flags(), text.flags})
    for (const std::string& flag : flags) add(flag);
  return all;
}

CompiledCode::CompiledCode(CodeText text) : text_(std::move(text)) {
  if (!offered().empty())
    if (const auto found = offered().find(all_of(text_)); found != offered().end()) {
      library_ = found->second->library_;
      unavailable_ = found->second->unavailable_;
      messages_ = found->second->messages_;
      return;
    }
  start();
}

CompiledCode::~CompiledCode() {
  std::erase_if(offered(), [&](const auto& entry) { return entry.second == this; });
}

void CompiledCode::offer() { offered().emplace(all_of(text_), this); }

// By the whole text.
std::map<std::string, const CompiledCode*>& CompiledCode::offered() {
  static std::map<std::string, const CompiledCode*> codes;
  return codes;
}

void CompiledCode::start() try {
  const SystemCompiler compiler = system_compiler();
  if (compiler.path.empty()) throw IoError(compiler.missing);
  program_ = compiler.path;
  folder_.emplace(folder_of_temporaries(), "code");
  require_private(folder_->descriptor());
  // The loader would take a new library at a known path for the one already loaded.
  static std::atomic<unsigned> count = 0;
  library_name_ = fmt::format("code-{}.so", ++count);
  for (const auto& [name, header] : text_.headers) write_text(file(name), header);
  write_text(file(source_name), arithmetic_guard() + text_.source);

  std::vector<std::string> words = {program_};
  for (const auto& flags : {library_flags(), text_.flags})
    words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"-iquote", ".", source_name, "-o", library_name_});
  stop_at_ = std::chrono::steady_clock::now() + text_.limit;
  compiler_.emplace(std::move(words), compiler_environment(folder_->path().string()),
                    folder_->descriptor(), messages_name);
} catch (const IoError& error) {
  unavailable_ = error.what();
  folder_.reset();
}

bool CompiledCode::ready() {
  if (!compiler_) return true;
  const std::optional<int> status = compiler_->ended();
  if (!status && std::chrono::steady_clock::now() < stop_at_) return false;
  compiler_.reset();
  if (status)
    finish(*status);
  else
    unavailable_ = program_ + ": took too long to compile";
  folder_.reset();
  return true;
}

void CompiledCode::wait() {
  while (!ready()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void CompiledCode::finish(int status) {
  messages_ = plain_file(file(messages_name), 2000).value_or("");
  if (status != 0) {
    unavailable_ = fmt::format("{}: {}", program_, end_text(status));
    return;
  }
  const std::optional<std::string> library = plain_file(file(library_name_), most_bytes);
  const std::string fault = library ? library_fault(*library) : "no file";
  if (!fault.empty())
    unavailable_ = fmt::format("{}: what it has compiled is {}", program_, fault);
  else
    unavailable_ = load(file(library_name_));
}

// Loads the library; returns why it cannot be used, or an empty text.
std::string CompiledCode::load(const std::string& path) {
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return fmt::format("{}: what was compiled cannot be loaded (mounted noexec?): {}",
                       folder_->path().parent_path().string(), ::dlerror());
  library_ = {library, ::dlclose};
  for (const std::string& name : text_.functions)
    if (::dlsym(library_.get(), name.c_str()) == nullptr) {
      library_.reset();
      return fmt::format("{}: what it has compiled has no function {}", program_, name);
    }
  return {};
}

void* CompiledCode::symbol(const std::string& name) const {
  void* const found = library_ == nullptr ? nullptr : ::dlsym(library_.get(), name.c_str());
  if (found == nullptr) throw std::logic_error("no function " + name + " in the compiled code");
  return found;
}

// Goes through the descriptor of the folder, so that nobody can redirect its path.
std::string CompiledCode::file(const std::string& name) const {
  return fmt::format("/proc/self/fd/{}/{}", folder_->descriptor(), name);
}

}  // namespace lapl
