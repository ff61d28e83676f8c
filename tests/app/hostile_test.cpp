// Damaged and hostile files cause no hang, no crash and no escape sequence on the terminal, and the
// message names the fault.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"

using namespace lapl::test;

namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// True for text without escape sequences, other control characters and direction marks.
bool is_harmless(const std::string& text) {
  return text.find_first_of("\033\a\b\r\x7f") == std::string::npos && !says(text, "\xC2\x9B") &&
         !says(text, "\xE2\x80\xAE") && !says(text, "\xE2\x81\xA6");
}

void replace_by_pipe(const fs::path& path) {
  fs::remove(path);
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
}

}  // namespace

TEST_CASE("a pipe in the place of any file is refused at once") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const fs::path pipe = "pipe";
  replace_by_pipe(pipe);
  write_text("png.yaml", small_config("initial: {kind: image, path: pipe}\n"));
  write_text("h5.yaml", small_config("initial: {kind: hdf5, path: pipe}\n"));
  write_text("kernel.yaml", small_config("filters: [{kernel: {path: pipe}}]\n"));
  write_text("filter.yaml", "input: {path: pipe}\noutput: {path: o.h5}\nfilter: {kernel: box}\n");
  const std::vector<std::vector<std::string>> commands = {
      {"run", "pipe"},
      {"validate", "pipe"},
      {"plan", "pipe"},
      {"filter", "pipe"},
      {"validate", "png.yaml"},
      {"validate", "h5.yaml"},
      {"inspect", "pipe"},
      {"validate", "kernel.yaml"},
      {"filter", "filter.yaml"},
      {"plot", "pipe"},
      {"diff", "pipe", "pipe"},
      {"export", "pipe", "-o", "o.npy"},
      {"sweep", "pipe", "--set", "initial.seed=1,2"}};
  for (const auto& command : commands) {
    const Outcome refused = run_lapl(command);
    CAPTURE(command[0]);
    CAPTURE(refused.err);
    if (lacks_cairo(refused)) continue;
    CHECK(refused.code == 4);
    CHECK(says(refused.err, "pipe: is not a regular file"));
  }
  for (const char* file : {"run.json", "fields.nc", "diagnostics.csv", "log.jsonl", "config.yaml",
                           ".lock", "fields/step-000000060.nc", "checkpoints/step-000000060.h5"}) {
    fs::remove_all("copy");
    fs::copy("out", "copy", fs::copy_options::recursive);
    replace_by_pipe(fs::path("copy") / file);
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{{"inspect", "copy"},
                                               {"watch", "copy", "--once"},
                                               {"report", "copy"},
                                               {"export", "copy", "-o", "o.npy"},
                                               {"resume", "copy"}}) {
      const Outcome ended = run_lapl(command);
      CAPTURE(file);
      CAPTURE(command[0]);
      CAPTURE(ended.err);
      CHECK(ended.signal == 0);
      CHECK((ended.code == 0 || ended.code == 4));
      fs::remove("o.npy");
    }
  }
}

TEST_CASE("a damaged or hostile run.json is an error, and shows no escapes") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  const std::string deep(100'000, '[');
  for (const std::string& text : {std::string("{\"status\":"), std::string("[1]"), std::string(),
                                  "{\"a\":" + deep + std::string(deep.size(), ']') + "}", deep}) {
    write_text("out/run.json", text);
    for (const auto& command : std::vector<std::vector<std::string>>{
             {"inspect", "out"}, {"inspect", "out", "--json"}, {"watch", "out", "--once"}}) {
      const Outcome refused = run_lapl(command);
      CAPTURE(refused.err);
      CHECK(refused.code == 4);
      CHECK(refused.out.empty());
      CHECK(says(refused.err, "out/run.json: is damaged (not a JSON object)"));
    }
  }
  write_text("out/run.json",
             "{\"status\": \"\\u001b]0;owned\\u0007\\u009b2J\\u007f\", \"\\u001b[31m\": 1}");
  for (const char* command : {"inspect", "watch"}) {
    const Outcome shown = run_lapl({command, "out"});
    CHECK(shown.code == 0);
    CHECK(is_harmless(shown.out));
  }
}

TEST_CASE("names that are no text, or commands to a terminal, come out as question marks" *
          doctest::test_suite("moderate")) {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  write_text("f.yaml",
             "input: {path: out/fields.nc}\noutput: {path: f.h5}\nfilter: {kernel: box}\n");
  for (const std::string name :
       {"b\xFF\xC3", "\033]0;owned\a\xC2\x9B", "\xE2\x80\xAEgnp.\xE2\x81\xA6"}) {
    fs::remove_all(name);
    fs::copy("out", name, fs::copy_options::recursive);
    const Outcome json = run_lapl({"inspect", name, "--json"});
    CAPTURE(json.err);
    CHECK(json.code == 0);
    CHECK(!nlohmann::json::parse(json.out, nullptr, false).is_discarded());
    const Outcome lines = run_lapl({"inspect", name});
    CHECK(lines.code == 0);
    CHECK(is_harmless(lines.out));
    const Outcome diff = run_lapl({"diff", name, "out", "--json"});
    CHECK(diff.code == 0);
    const Outcome refused = run_lapl({"inspect", name + "/none"});
    CHECK(refused.code == 4);
    CHECK(is_harmless(refused.err));
    fs::create_directory(name + "f");
    fs::copy("c.yaml", name + "f/c.yaml");
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"report", name},
             {"plot", name},
             {"plot", name, "-o", name + "f/p.png"},
             {"export", name, "-o", name + "f/o.npy"},
             {"new", "quick", "-o", name + "f/new.yaml"},
             {"validate", name + "f/c.yaml"},
             {"plan", name + "f/c.yaml"},
             {"run", name + "f/c.yaml", "--overwrite"},
             {"resume", name},
             {"watch", name, "--once"},
             {"diff", name, "out"},
             {"filter", "f.yaml", "--output", name + "f/f.h5"},
             {"sweep", "c.yaml", "--output", name + "f/s", "--set", "time.steps=1,2"},
             {"verify-restart", "c.yaml", "--keep", "--output", name + "f"}}) {
      const Outcome said = run_lapl(command);
      CAPTURE(command[0]);
      CAPTURE(said.out);
      CAPTURE(said.err);
      CHECK(said.signal == 0);
      CHECK(said.code != 1);
      CHECK(is_harmless(said.out + said.err));
    }
    fs::remove_all(name + "f");
  }
}

TEST_CASE("a file of filter results among a run's outputs is named as what it is") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  write_text("f.yaml",
             "input: {path: out/fields/step-000000020.nc}\noutput: {path: f.h5, dataset: /field}\n"
             "filter: {kernel: box}\n");
  REQUIRE(run_lapl({"filter", "f.yaml"}).code == 0);
  const std::string file = "out/fields/step-000000080.nc";
  fs::copy("f.h5", file);
  for (const auto& command :
       std::vector<std::vector<std::string>>{{"diff", "out", "out"},
                                             {"plot", "out"},
                                             {"report", "out"},
                                             {"export", "out", "-o", "o.npy"}}) {
    const Outcome refused = run_lapl(command);
    CAPTURE(refused.err);
    if (lacks_cairo(refused)) continue;
    CHECK(refused.code == 4);
    CHECK(
        says(refused.err, file + ": is a file of filter results, or of another program, not an "));
  }
  CHECK(says(run_lapl({"watch", "out", "--once"}).out, "000080.nc: is a f"));
  fs::remove(file);
  fs::copy("out/fields/step-000000020.nc", file);
  const Outcome wrong_name = run_lapl({"plot", "out"});
  if (lacks_cairo(wrong_name)) return;
  CHECK(says(wrong_name.err, file + ": holds step 20, but its name says 80"));
  fs::remove(file);
  fs::rename("f.h5", "out/fields/step-000000000.nc.tmp");
  fs::remove("out/fields/step-000000000.nc");
  fs::rename("out/fields/step-000000000.nc.tmp", "out/fields/step-000000000.nc");
  const Outcome first = run_lapl({"plot", "out"});
  CHECK(first.code == 4);
  CHECK(says(first.err, "step-000000000.nc: is a file of filter results"));
}

TEST_CASE("a forged checkpoint is named and an older one used, or with none exit code 6") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  REQUIRE(run_lapl({"run", "c.yaml"}).code == 0);
  REQUIRE(run_lapl({"run", "c.yaml", "--output", "other", "--set", "grid.shape=[10, 10]"}).code ==
          0);
  // A valid checkpoint under the name of another step.
  fs::copy_file("out/checkpoints/step-000000040.h5", "out/checkpoints/step-000000060.h5",
                fs::copy_options::overwrite_existing);
  const Outcome older = run_lapl({"resume", "out"});
  CAPTURE(older.err);
  CHECK(older.code == 0);
  CHECK(says(older.err, "checkpoint rejected: out/checkpoints/step-000000060.h5: step is 40"));
  CHECK(says(older.err, "going on from step 40 of"));
  fs::copy_file("out/checkpoints/step-000000040.h5", "step-000000020.h5");
  CHECK(run_lapl({"resume", "out", "--from", "step-000000020.h5"}).code == 6);
}

TEST_CASE("the deepest accepted formulas fit on a stack of 128 KB") {
  const Sandbox sandbox;
  std::string sines = "field", sum = "field";
  for (int i = 0; i < 190; ++i) sines = "sin(" + sines + ")";
  for (int i = 0; i < 900; ++i) sum += " + 1";
  write_text("c.yaml",
             small_config("", "{kind: formula, field: a + " + sines + ", let: {a: " + sum + "}}") +
                 "compute: {backend: cpu}\n");
  for (const char* limit : {"ulimit -S -s 128", "ulimit -s 128", "ulimit -s 128; ulimit -u 0"}) {
    CAPTURE(limit);
    const Outcome shown = finish(start({"-c", std::string(limit) + "; exec " + lapl_program() +
                                                  " validate c.yaml --set time.step=0.01"},
                                       "/bin/bash"));
    CAPTURE(shown.err);
    CHECK(shown.signal == 0);
    CHECK((shown.code == 0 || says(shown.err, "a thread could not be started")));
  }
}

TEST_CASE("without /proc runs and their readers work, and refusals say why") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const auto without_proc = [](const std::string& command) {
    return finish(
        start({"-rm", "sh", "-c", "mount -t tmpfs none /proc && touch mounted && exec " + command},
              "/usr/bin/unshare"));
  };
  if (without_proc("true"); !fs::exists("mounted")) {
    MESSAGE("skipped: nothing may be mounted here, or there is no unshare (package util-linux)");
    return;
  }
  for (const char* words : {"validate c.yaml", "plan c.yaml", "run c.yaml --output without",
                            "resume without --set time.steps=80", "inspect without",
                            "report without", "verify-restart c.yaml"}) {
    const Outcome done = without_proc(lapl_program() + " " + words);
    CAPTURE(words);
    CAPTURE(done.err);
    CHECK(done.code == 0);
    CHECK(!says(done.err, "filesystem error"));
  }
  for (const char* words :
       {"sweep c.yaml --set time.steps=20,40", "run c.yaml --ranks 2 --output r"}) {
    const Outcome refused = without_proc(lapl_program() + " " + words);
    CAPTURE(words);
    CAPTURE(refused.err);
    CHECK(refused.code != 0);
    CHECK(refused.signal == 0);
    CHECK(says(refused.err, "lapl: error: "));
    CHECK(!says(refused.err, "filesystem error"));
  }
}
