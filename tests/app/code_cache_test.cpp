// Runs and sweeps read the code that earlier runs have compiled, and compute the same with it.
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/compiler/system_compiler.hpp"
#include "tests/app/program.hpp"

using namespace lapl::test;

namespace {

// An empty cache, and the machine's compiler behind a script that notes its calls.
class NotedCompiler {
 public:
  explicit NotedCompiler(const Sandbox& sandbox) : calls_(sandbox.path() / "calls") {
    const std::string script = (sandbox.path() / "compiler").string();
    write_text(script, "#!/bin/sh\necho >> " + calls_.string() + "\nexec " +
                           lapl::system_compiler().path + " \"$@\"\n");
    fs::permissions(script, fs::perms::owner_all);
    set("CXX", script);
    set("XDG_CACHE_HOME", (sandbox.path() / "cache").string());
  }
  NotedCompiler(const NotedCompiler&) = delete;
  ~NotedCompiler() {
    for (const auto& [name, value] : before_)
      value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }

  std::size_t calls() const { return file_text(calls_).size(); }

  // Sets a variable until this object ends.
  void set(const char* name, const std::string& value) {
    const char* const before = std::getenv(name);
    before_.emplace_back(name,
                         before != nullptr ? std::optional<std::string>(before) : std::nullopt);
    ::setenv(name, value.c_str(), 1);
  }

 private:
  fs::path calls_;
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

bool has_compiler() {
  const std::string missing = lapl::system_compiler().missing;
  if (!missing.empty()) MESSAGE("skipped: " << missing);
  return missing.empty();
}

bool has_code(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".code") return true;
  return false;
}

void write_config(const std::string& steps) {
  write_text("c.yaml",
             "grid: {shape: [48, 64]}\nparameters: {D: 0.1}\n"
             "equation: {kind: formula, field: D * laplacian(field) - field^3}\n"
             "compute: {backend: cpu}\noutput: {every: 900000000}\ntime: {step: 1, steps: " +
                 steps + "}\n");
}

// Runs until the code is in the cache.
void run_until_compiled(const Sandbox& sandbox) {
  write_config("900000000");
  const pid_t run = start({"run", "c.yaml", "--output", "first"});
  wait_for(run, [&] { return has_code(sandbox.path() / "cache/lapl"); });
  kill(run, SIGTERM);
  CHECK(finish(run).code == 75);
  write_config("300");
}

Outcome run_to(const std::string& folder, const std::vector<std::string>& settings = {}) {
  std::vector<std::string> words = {"run", "c.yaml", "--output", folder};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  Outcome run = run_lapl(words);
  CHECK(run.code == 0);
  return run;
}

bool is_cached(const Outcome& run) { return has(run.err, "compiled by an earlier run"); }

}  // namespace

TEST_CASE("the second run of an equation calls no compiler, and its bits are the same") {
  if (!has_compiler()) return;
  const Sandbox sandbox;
  const NotedCompiler compiler(sandbox);
  run_until_compiled(sandbox);
  CHECK(compiler.calls() == 1);
  const Outcome second = run_to("second");
  CHECK(compiler.calls() == 1);
  CHECK(is_cached(second));
  const Outcome interpreted = run_to("interpreted", {"compute.engine=interpreted"});
  CHECK(last_digest(second.out) == last_digest(interpreted.out));
  // Arguments are no part of the code; the precision is.
  run_to("argument", {"parameters.D=0.15"});
  CHECK(compiler.calls() == 1);
  CHECK_FALSE(is_cached(run_to("float64", {"compute.precision=float64"})));
}

TEST_CASE("a sweep calls no compiler for code that an earlier run has compiled" *
          doctest::test_suite("slow")) {
  if (!has_compiler()) return;
  const Sandbox sandbox;
  const NotedCompiler compiler(sandbox);
  run_until_compiled(sandbox);
  const Outcome sweep = run_lapl(
      {"sweep", "c.yaml", "--output", "s", "--json", "--set", "parameters.D=0.05,0.1,0.15,0.2"});
  CHECK(compiler.calls() == 1);
  const auto rows = nlohmann::json::parse(sweep.out, nullptr, false);
  REQUIRE(rows.size() == 4);
  for (const auto& row : rows) {
    const std::string D = row["parameters.D"].dump();
    const Outcome alone = run_to("alone-" + D, {"parameters.D=" + D, "compute.engine=interpreted"});
    CHECK(row["digest"] == last_digest(alone.out));
  }
}

TEST_CASE("members of a sweep without a cache share the codes of the sweep, which leaves none") {
  if (!has_compiler()) return;
  const Sandbox sandbox;
  NotedCompiler compiler(sandbox);
  const fs::path temporaries = sandbox.path() / "temporaries";
  fs::create_directory(temporaries);
  compiler.set("TMPDIR", temporaries.string());
  write_config("300");
  const pid_t sweep = start({"sweep", "c.yaml", "--output", "s", "--jobs", "1", "--set",
                             "compute.cache=off", "--set", "time.steps=900000000,300"});
  const auto shared = [&] {
    for (const auto& entry : fs::directory_iterator(temporaries))
      if (entry.path().filename().string().starts_with(".lapl-codes-") && has_code(entry.path()))
        return true;
    return false;
  };
  wait_for(sweep, shared);
  kill(std::stoi(file_text("s/steps-900000000/.lock")), SIGTERM);  // then the next member starts
  CHECK(finish(sweep).code == 75);
  CHECK(compiler.calls() == 1);
  CHECK(file_text("s/summary.csv").find("steps-300,300,complete") != std::string::npos);
  CHECK_FALSE(fs::exists("cache"));
  CHECK_FALSE(shared());
}

TEST_CASE("with compute.cache: off nothing is read from the cache or written to it") {
  if (!has_compiler()) return;
  const Sandbox sandbox;
  const NotedCompiler compiler(sandbox);
  write_config("300");
  const Outcome off = run_to("off", {"compute.cache=off"});
  CHECK_FALSE(fs::exists("cache"));
  run_until_compiled(sandbox);
  const Outcome again = run_to("again", {"compute.cache=off"});
  CHECK_FALSE(is_cached(again));
  CHECK(last_digest(again.out) == last_digest(off.out));
  // A restart may change the key.
  CHECK(run_lapl({"resume", "off", "--set", "compute.cache=on"}).code == 0);
}
