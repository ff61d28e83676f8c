#include "kernels/cpu/compiler/compiled_code.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "kernels/cpu/compiler/library_check.hpp"
#include "kernels/cpu/compiler/native_processor.hpp"
#include "kernels/cpu/compiler/system_compiler.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/private_files.hpp"

namespace lapl {
namespace {

namespace fs = std::filesystem;

constexpr const char* source_name = "code.cpp";
constexpr const char* messages_name = "messages";
constexpr std::size_t most_bytes = std::size_t{256} << 20;  // largest library that is read

void write_text(const fs::path& path, std::string_view text) {
  std::error_code ignored;  // if this fails, so does opening the file
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw IoError("{}: cannot be written (a full disk?)", path.filename().string());
}

// All that determines the library, as one text.
std::string code_key(const CodeText& text, const std::string& compiler) {
  std::error_code error;
  struct stat status {};
  ::stat(compiler.c_str(), &status);
  // An update of the compiler changes its program's size or time.
  std::string key = fmt::format("library\n{}\n{}\n{} {}.{}\n{}\n", compiler,
                                fs::canonical(compiler, error).string(), status.st_size,
                                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, native_processor());
  key += arithmetic_guard() + text.source;
  const auto add = [&](const std::string& part) { key.append(1, '\0').append(part); };
  for (const auto& [name, header] : text.headers) {
    add(name);
    add(header);
  }
  for (const auto& flags : {library_flags(), text.flags})
    for (const std::string& flag : flags) add(flag);
  return key;
}

}  // namespace

CompiledCode::CompiledCode(CodeText text) : text_(std::move(text)) {
  try {
    prepare();
  } catch (const IoError& error) {
    unavailable_ = error.what();
    folder_.reset();
  }
  ready();
}

CompiledCode::~CompiledCode() {
  const auto stop_at = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  if (!finishes_compilations() || !compiler_ || !cached_->is_usable() ||
      std::uncaught_exceptions() > 0)
    return;
  try {
    while (!ready() && std::chrono::steady_clock::now() < stop_at)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } catch (const std::bad_alloc&) {  // the code is then not stored in the cache
  }
}

// Creates a folder, but no file yet: the library may be in the cache.
void CompiledCode::prepare() {
  const SystemCompiler compiler = system_compiler();
  if (compiler.path.empty()) throw IoError(compiler.missing);
  program_ = compiler.path;
  folder_.emplace(folder_of_temporaries(), "code");
  if (!is_own(folder_->descriptor(), S_IFDIR, 077))
    throw IoError("the folder for compiled code is not this user's alone");
  // The loader would take a new library at a known path for the one already loaded.
  static std::atomic<unsigned> count = 0;
  library_name_ = fmt::format("code-{}.so", ++count);
  cached_.emplace(code_key(text_, program_), text_.patience);
}

void CompiledCode::start_compiler() {
  for (const auto& [name, header] : text_.headers) write_text(file(name), header);
  write_text(file(source_name), arithmetic_guard() + text_.source);
  std::vector<std::string> words = {program_};
  for (const auto& flags : {library_flags(), text_.flags})
    words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"-iquote", ".", source_name, "-o", library_name_});
  stop_at_ = std::chrono::steady_clock::now() + text_.limit;
  compiler_.emplace(std::move(words), compiler_environment(folder_->path().string()),
                    folder_->descriptor(), messages_name);
}

bool CompiledCode::ready() {
  if (!folder_) return true;
  try {
    if (!compiler_) {
      if (!cached_->settled()) return false;
      is_cached_ = load_cached();
      if (!is_cached_) start_compiler();
    }
  } catch (const IoError& error) {
    unavailable_ = error.what();
  }
  if (compiler_) {
    const std::optional<int> status = compiler_->ended();
    if (!status && std::chrono::steady_clock::now() < stop_at_) return false;
    compiler_.reset();
    if (status)
      finish(*status);
    else
      unavailable_ = program_ + ": took too long to compile";
  }
  folder_.reset();
  cached_.reset();
  return true;
}

void CompiledCode::wait() {
  while (!ready()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void CompiledCode::finish(int status) {
  messages_ = plain_file(folder_->descriptor(), messages_name, 2000).value_or("");
  if (status != 0) {
    unavailable_ = fmt::format("{}: {}", program_, end_text(status));
    return;
  }
  const std::optional<std::string> library =
      plain_file(folder_->descriptor(), library_name_, most_bytes);
  const std::string fault = library ? library_fault(*library) : "no file";
  if (!fault.empty())
    unavailable_ = fmt::format("{}: what it has compiled is {}", program_, fault);
  else
    unavailable_ = load();
  if (unavailable_.empty()) cached_->store(*library);
}

// False if there is no usable library in the cache.
bool CompiledCode::load_cached() {
  if (!cached_->code() || !library_fault(*cached_->code()).empty()) return false;
  write_text(file(library_name_), *cached_->code());
  return load().empty();
}

// Loads the library; returns why it cannot be used, or an empty text.
std::string CompiledCode::load() {
  void* const library = ::dlopen(file(library_name_).c_str(), RTLD_NOW | RTLD_LOCAL);
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

// The path of a file by way of the descriptor of its folder, so that nobody can redirect it.
std::string CompiledCode::file(const std::string& name) const {
  return fmt::format("/proc/self/fd/{}/{}", folder_->descriptor(), name);
}

}  // namespace lapl
