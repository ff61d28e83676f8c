// lapl sweep runs every combination of the values as lapl run would run it alone.
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/app/program.hpp"

using namespace lapl::test;

namespace {

nlohmann::ordered_json summary_rows(const Outcome& outcome) {
  CAPTURE(outcome.err);
  auto rows = nlohmann::ordered_json::parse(outcome.out, nullptr, false);
  REQUIRE(rows.is_array());
  return rows;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Takes too long to complete, so a signal always finds it running.
const char* long_sweep =
    "grid: {shape: [60, 70]}\nequation: {coefficient: 0.2}\ntime: {steps: 900000000}\n"
    "compute: {backend: cpu, engine: reference}\n"
    "output: {every: 900000000}\ncheckpoint: {every: 900000000}\n";

}  // namespace

TEST_CASE("a sweep gives each combination the digest that lapl run gives it" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome outcome = run_lapl({"sweep", "c.yaml", "--output", "s", "--json", "--backend",
                                    "cpu", "--set", "time.steps=40", "--set",
                                    "equation.coefficient=0.05, 0.2", "--set", "initial.seed=1,2"});
  CHECK(outcome.code == 0);
  const auto rows = summary_rows(outcome);
  REQUIRE(rows.size() == 4);
  CHECK(rows[1]["member"] == "coefficient-0.05_seed-2");
  CHECK(rows[1]["equation.coefficient"] == 0.05);
  std::string csv =
      "member,equation.coefficient,initial.seed,status,exit_code,step,min,max,mean,digest,"
      "seconds,error\n";
  for (const auto& row : rows) {
    const Outcome alone = run_lapl({"run", "c.yaml", "--output", "alone", "--overwrite",
                                    "--backend", "cpu", "--set", "time.steps=40", "--set",
                                    "equation.coefficient=" + row["equation.coefficient"].dump(),
                                    "--set", "initial.seed=" + row["initial.seed"].dump()});
    CHECK(row["digest"] == last_digest(alone.out));
    CHECK(row["status"] == "complete");
    CHECK(row["step"] == 40);
    CHECK(row["min"].get<double>() < row["mean"].get<double>());
    CHECK(row["mean"].get<double>() < row["max"].get<double>());
    const std::string member = row["member"].get<std::string>();
    CHECK(contains(file_text("s/" + member + ".log"), last_digest(alone.out)));
    const auto summary = nlohmann::json::parse(file_text("s/" + member + "/run.json"));
    CHECK(summary["threads"] == "1");  // small grids gain nothing from a second thread
    for (const auto& [name, value] : row.items())
      csv += (name == "member" ? "" : ",") + (value.is_null()     ? ""
                                              : value.is_string() ? value.get<std::string>()
                                                                  : value.dump());
    csv += "\n";
  }
  CHECK(file_text("s/summary.csv") == csv);
}

TEST_CASE("values of --set may be lists, maps or quoted texts") {
  const Sandbox sandbox;
  fs::copy_file(LAPL_SOURCE_DIR "/tests/data/reference.h5", "a,b.h5");
  write_text("c.yaml", "grid: {shape: [48, 64]}\nequation: {coefficient: 0.2}\ntime: {steps: 2}\n");
  const Outcome shapes = run_lapl({"sweep", "c.yaml", "--output", "s", "--json", "--set",
                                   "grid.shape=[10, 20],[30, 40]", "--set",
                                   "boundary={rows: periodic, columns: zero},zero"});
  const auto rows = summary_rows(shapes);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0]["member"] == "shape-10-20_boundary-rows-periodic-columns-zero");
  CHECK(rows[2]["grid.shape"] == nlohmann::ordered_json({30, 40}));
  CHECK(contains(file_text("s/summary.csv"),
                 "shape-10-20_boundary-zero,\"[10,20]\",zero,complete,0,2,"));
  const Outcome quoted = run_lapl({"sweep", "c.yaml", "--output", "q", "--set", "initial.kind=hdf5",
                                   "--set", "initial.path='a,b.h5'", "--set",
                                   "initial.dataset=/fractal/noise,/fractal/filtered"});
  CHECK(quoted.code == 0);
  CHECK(fs::exists("q/dataset-fractal-noise/fields.nc"));
}

TEST_CASE("a range stands for its values, including the last one") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const auto values = [&](const std::string& setting) {
    const Outcome sweep = run_lapl({"sweep", "c.yaml", "--output", "s", "--json", "--set",
                                    "time.steps=1", "--set", setting, "--auto-resume"});
    CAPTURE(sweep.err);
    REQUIRE(sweep.code == 0);
    fs::remove_all("s");
    std::string list;
    const std::string key = setting.substr(0, setting.find('='));
    for (const auto& row : summary_rows(sweep)) list += row[key].dump() + " ";
    return list;
  };
  CHECK(values("equation.coefficient=0.05:0.2:0.05") == "0.05 0.1 0.15 0.2 ");
  CHECK(values("equation.coefficient=0.25:0.1:-0.1") == "0.25 0.15 ");
  CHECK(values("initial.seed=1:3:1,10") == "1 2 3 10 ");
  for (const char* range : {"0.1:0.2:0", "0.2:0.1:0.05", "0:1:1e-9"}) {
    const Outcome refused = run_lapl({"sweep", "c.yaml", "--output", "s", "--set",
                                      std::string("equation.coefficient=") + range});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, std::string(range) + ": is no range of at most 10000 values"));
    CHECK(!fs::exists("s"));
  }
}

TEST_CASE("mistakes of all members are reported together, before any member starts") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome several =
      run_lapl({"sweep", "c.yaml", "--output", "s", "--set", "equation.coefficient=0.1,0.3",
                "--set", "initial.sed=1,2", "--set", "grid.shape=[4,5],[0,5]"});
  CHECK(several.code == 2);
  for (const char* mistake : {"coefficient=0.3: ", "did you mean initial.seed", "shape=[0,5]: "})
    CHECK(contains(several.err, mistake));
  const std::vector<std::pair<std::vector<std::string>, std::string>> lists = {
      {{"time.steps=3"}, "nothing to sweep"},
      {{"time.steps=3,3"}, "a value is there twice"},
      {{"time.steps=3,4", "time.steps=5"}, "time.steps: given 2 times"},
      {{"time.steps=3,,4"}, "found nothing"},
      {{"initial.seed=1,2", "output.directory=x"}, "--output"},
      {{"initial.dataset=/a/b,/a;b"}, "would have the run folder dataset-a-b"},
  };
  for (const auto& [settings, message] : lists) {
    std::vector<std::string> arguments = {"sweep", "c.yaml", "--output", "s"};
    for (const std::string& setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    const Outcome outcome = run_lapl(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(contains(outcome.err, message));
  }
  CHECK(!fs::exists("s"));
}

TEST_CASE("a member that fails or is killed does not stop the others") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config("initial: {kind: uniform}\n"));
  const Outcome outcome =  // float32 cannot hold twice 3e38
      run_lapl({"sweep", "c.yaml", "--output", "s", "--set", "initial.value=1,3e38,2"});
  CHECK(outcome.code == 3);
  CHECK(contains(outcome.out, "3e+38          failed    3"));
  CHECK(contains(outcome.out, "value-3e38: "));
  CHECK(contains(file_text("s/summary.csv"), "value-2,2,complete,0,60,"));

  write_text("long.yaml", long_sweep);
  const pid_t sweep = start(
      {"sweep", "long.yaml", "--output", "k", "--set", "time.steps=900000000,20", "--jobs", "1"});
  wait_for_checkpoint("k/steps-900000000");
  write_text("long.yaml", long_sweep + std::string("boundary: periodic\n"));
  kill(static_cast<pid_t>(std::stol(file_text("k/steps-900000000/.lock"))), SIGKILL);
  const Outcome rest = finish(sweep);
  CHECK(rest.code == 128 + SIGKILL);
  CHECK(contains(rest.out, "steps-900000000: ended by signal Killed"));
  CHECK(contains(file_text("k/summary.csv"), "steps-20,20,complete,0,20,"));
  // the same as when the config was checked
  CHECK(!contains(file_text("k/steps-20/config.yaml"), "periodic"));
}

TEST_CASE("a quiet sweep says which members failed, and why" * doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", small_config("initial: {kind: uniform}\n"));
  const Outcome outcome =
      run_lapl({"sweep", "c.yaml", "--output", "s", "--set", "initial.value=1,3e38", "--quiet"});
  CHECK(outcome.code == 3);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.starts_with("lapl: error: value-3e38: "));
  CHECK(!contains(outcome.err, "value-1"));
}

TEST_CASE("the table of a sweep has a column for each result of any member, and none twice" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  const Outcome sweep = run_lapl({"sweep", "c.yaml", "--output", "s", "--set",
                                  "output.integrals={all: field},{squares: field^2}"});
  CHECK(sweep.code == 0);
  std::istringstream table(file_text("s/summary.csv"));
  std::string line;
  std::getline(table, line);
  const auto columns = std::ranges::count(line, ',');
  CHECK(contains(line, ",min,max,mean,all,squares,digest,seconds,error"));
  for (const char* end : {",,0x", ",0x"}) {
    std::getline(table, line);
    CHECK(std::ranges::count(line, ',') == columns);
    CHECK(contains(line, end));
  }
  for (const char* name : {"member", "status", "exit_code", "code", "digest", "seconds", "error"}) {
    CAPTURE(name);
    const Outcome refused =
        run_lapl({"sweep", "c.yaml", "--output", "t", "--set", "initial.seed=1,2", "--set",
                  std::string("output.integrals={") + name + ": field}"});
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, std::string("output.integrals.") + name +
                                    ": the table of a sweep has a column"));
    CHECK(!fs::exists("t"));
  }
}

TEST_CASE("logs of members follow no link and wait for no pipe") {
  const Sandbox sandbox;
  write_text("c.yaml", small_config());
  write_text("elsewhere", "kept");
  fs::create_directory("s");
  fs::create_symlink("../elsewhere", "s/seed-1.log");
  REQUIRE(mkfifo("s/seed-2.log", 0600) == 0);
  fs::create_hard_link("elsewhere", "s/seed-3.log");
  const Outcome outcome =
      run_lapl({"sweep", "c.yaml", "--output", "s", "--set", "initial.seed=1,2,3,4"});
  CHECK(outcome.code == 4);
  CHECK(file_text("elsewhere") == "kept");
  CHECK(contains(outcome.out, "seed-1: s/seed-1.log: cannot create: "));
  CHECK(contains(outcome.out, "seed-2: s/seed-2.log: is not a regular file"));
  for (const char* member : {"seed-3", "seed-4"})
    CHECK(contains(file_text(fs::path("s") / (std::string(member) + ".log")), "digest 0x"));
}

TEST_CASE("members end with their killed sweep, and the next sweep resumes them" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", long_sweep);
  std::vector<std::string> arguments = {"sweep", "c.yaml",           "--output", "s",
                                        "--set", "initial.seed=1,2", "--jobs",   "2"};
  const pid_t sweep = start(arguments);
  std::vector<std::string> members;
  for (const char* member : {"s/seed-1", "s/seed-2"}) {
    wait_for_checkpoint(member);
    members.push_back("/proc/" + file_text(fs::path(member) / ".lock") + "/stat");
  }
  kill(sweep, SIGKILL);
  finish(sweep);
  for (const std::string& member : members)
    for (std::string state = "(lapl) S"; contains(state, "(lapl) ") && !contains(state, ") Z ");)
      state = file_text(member);
  arguments.insert(arguments.end(), {"--auto-resume", "--set", "time.steps=20"});
  const Outcome rest = run_lapl(arguments);
  CAPTURE(rest.out);
  CHECK(rest.code == 0);
}

TEST_CASE("a stopped sweep resumes where it was, and leaves complete members alone" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", long_sweep);
  const std::vector<std::string> arguments = {
      "sweep", "c.yaml", "--output", "s", "--set", "initial.seed=1,2,3,4", "--jobs", "2"};
  const pid_t sweep = start(arguments);
  for (const char* member : {"s/seed-1", "s/seed-2"}) wait_for_checkpoint(member);
  kill(sweep, SIGHUP);
  const Outcome stopped = finish(sweep);
  CHECK(stopped.code == 75);
  CHECK(contains(stopped.out, "stopped"));
  CHECK(contains(file_text("s/summary.csv"), "seed-4,4,waiting,"));
  CHECK(!fs::exists("s/seed-4"));

  const Outcome refused = run_lapl(arguments);
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "of the 4 members already (give --auto-resume"));
  std::vector<std::string> go_on = arguments;
  std::int64_t end = 0;
  for (const char* member : {"s/seed-1/run.json", "s/seed-2/run.json"})
    end = std::max(end, 100 + nlohmann::json::parse(file_text(member))["step"].get<std::int64_t>());
  const std::string steps = "time.steps=" + std::to_string(end);
  go_on.insert(go_on.end(), {"--auto-resume", "--json", "--set", steps});
  const auto rows = summary_rows(run_lapl(go_on));
  std::set<std::string> digests;
  for (const auto& row : rows) {
    CHECK(row["step"] == end);
    digests.insert(row["digest"].get<std::string>());
  }
  CHECK(digests.size() == 4);
  const Outcome whole =
      run_lapl({"run", "c.yaml", "--output", "whole", "--set", "initial.seed=2", "--set", steps});
  CHECK(rows[1]["digest"] == last_digest(whole.out));

  const std::string before = file_text("s/seed-2/run.json");
  CHECK(run_lapl(go_on).code == 0);
  CHECK(file_text("s/seed-2/run.json") == before);
  std::vector<std::string> other = go_on;
  other.insert(other.end(), {"--set", "equation.coefficient=0.1"});
  const Outcome changed = run_lapl(other);
  CHECK(changed.code == 2);
  CHECK(contains(changed.err, "s/seed-3: equation.coefficient: 0.2 in the run folder, 0.1 now"));
  std::vector<std::string> longer = go_on;
  longer.back() = "time.steps=" + std::to_string(end + 10);
  CHECK(summary_rows(run_lapl(longer))[3]["step"] == end + 10);
}

TEST_CASE("a sweep whose members end first by its stop signal makes its table" *
          doctest::test_suite("slow")) {
  const Sandbox sandbox;
  write_text("c.yaml", long_sweep);
  const pid_t sweep =
      start({"sweep", "c.yaml", "--output", "s", "--set", "initial.seed=1,2", "--jobs", "2"});
  std::vector<std::string> members;
  for (const char* member : {"s/seed-1", "s/seed-2"}) {
    wait_for_checkpoint(member);
    members.push_back(file_text(fs::path(member) / ".lock"));
  }
  kill(sweep, SIGSTOP);
  for (const std::string& member : members) {
    kill(static_cast<pid_t>(std::stol(member)), SIGXCPU);
    while (!contains(file_text("/proc/" + member + "/stat"), ") Z ")) sched_yield();
  }
  kill(sweep, SIGXCPU);
  kill(sweep, SIGCONT);
  const Outcome stopped = finish(sweep);
  CHECK(stopped.code == 75);
  CHECK(contains(stopped.err, "stopped by SIGXCPU"));
  CHECK(contains(file_text("s/summary.csv"), "seed-2,2,stopped,75,"));
}

TEST_CASE("SIGHUP and a limit on processor time stop a run, unless nohup has the first ignored") {
  const Sandbox sandbox;
  write_text("c.yaml", long_sweep);
  for (const auto& [before, signal, named] :
       {std::tuple("", SIGHUP, "SIGHUP"), std::tuple("trap '' HUP;", SIGTERM, "SIGTERM"),
        std::tuple("ulimit -S -t 1;", 0, "SIGXCPU")}) {
    const std::string expected = named;
    CAPTURE(expected);
    fs::remove_all("out");
    const pid_t child =
        start({"-c", std::string(before) + "exec " + lapl_program() + " run c.yaml --output out"},
              "/bin/sh");
    wait_for_checkpoint("out");
    if (signal != 0) kill(child, SIGHUP);
    if (signal != SIGHUP) kill(child, signal);
    const Outcome outcome = finish(child);
    CHECK(outcome.code == 75);
    CHECK(contains(outcome.out, std::string("stopped by ") + named));
  }
  const pid_t sweep = start({"-c", "trap '' HUP; exec " + lapl_program() +
                                       " sweep c.yaml --output s --jobs 2 --set initial.seed=1,2"},
                            "/bin/sh");
  for (const char* member : {"s/seed-1", "s/seed-2"}) wait_for_checkpoint(member);
  kill(sweep, SIGHUP);
  for (const char* member : {"s/seed-1", "s/seed-2"})
    kill(static_cast<pid_t>(std::stol(file_text(fs::path(member) / ".lock"))), SIGKILL);
  CHECK(!contains(finish(sweep).err, "stopped by"));
}

TEST_CASE("signals within a second of each other are one request to stop") {
  const Sandbox sandbox;
  write_text("c.yaml", long_sweep);
  const pid_t child = start({"run", "c.yaml", "--output", "out"});
  wait_for_checkpoint("out");
  kill(child, SIGUSR1);
  kill(child, SIGTERM);
  const Outcome outcome = finish(child);
  CHECK(outcome.signal == 0);
  CHECK(outcome.code == 75);
}
