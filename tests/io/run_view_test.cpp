// A run folder as an observer reads it.
#include "io/run/run_view.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "kernels/error.hpp"
#include "tests/io/scratch_folder.hpp"

using namespace lapl;
using test::ScratchFolder;

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("run view: diagnostics end with the last whole line") {
  const std::string head = "step,time,min,max,mean,mass,l2,cells_per_second\n";
  const std::string line = "20,5,0,0.5,0.25,100,10,1e+09\n";
  const auto parsed = [](const std::string& text) { return parse_diagnostics(text, RunConfig()); };
  CHECK(parsed("").empty());
  CHECK(parsed(head).empty());
  CHECK(parsed(head + line).size() == 1);
  const auto lines = parsed(head + line + "40,10,-1,nan,inf,1,1,2\n" + "60,1");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].step == 20);
  CHECK(lines[0].time == 5);
  CHECK(lines[0].fields[0].max == 0.5);
  CHECK(lines[0].fields[0].l2 == 10);
  CHECK(lines[0].cells_per_second == 1e9);
  CHECK(lines[1].fields[0].min == -1);
  CHECK(parsed(head + line + "40,10,-1\n" + line).size() == 1);
  CHECK(parsed(head + "20,5,0,0.5,0.25,100,10,\n").empty());
  CHECK(parsed(head + "1,2,3,4,5,6,7,8,9\n").empty());
  CHECK(parsed("min,max\n1,2\n").empty());
}

TEST_CASE("run view: columns of diagnostics are those that the config names") {
  RunConfig config;
  config.fields = {"u", "v_min"};  // not a statistic of a field v
  config.integrals.emplace_back().name = "u_sum";
  const auto lines = parse_diagnostics(
      "step,time,u_min,u_max,u_mean,u_mass,u_l2,v_min_min,v_min_max,v_min_mean,v_min_mass,v_min_l2,"
      "earlier,u_sum,cells_per_second\n1,2,3,4,5,6,7,8,9,10,11,12,0,13,14\n",
      config);
  REQUIRE(lines.size() == 1);
  REQUIRE(lines[0].fields.size() == 2);
  CHECK(lines[0].fields[0].l2 == 7);
  CHECK(lines[0].fields[1].min == 8);
  CHECK(lines[0].integrals == std::vector<double>{13});
  CHECK(lines[0].cells_per_second == 14);
}

TEST_CASE("run view: a run on this machine whose process is gone has died") {
  const ScratchFolder folder;
  write(folder / "run.json",
        R"({"status": "running", "host": "here", "steps": 100, "step": 40, "shape": [2, 3]})");
  const auto status = [&](const char* host) { return read_run_view(folder.path(), host).status; };
  CHECK(status("elsewhere") == "running");  // other machines' processes cannot be checked
  CHECK(status("here") == "died");
  std::ofstream lock(folder / ".lock");  // a run keeps this file open
  lock << getpid() << std::flush;
  CHECK(status("here") == "running");
  lock.close();
  CHECK(status("here") == "died");  // another process may have the number now
  write(folder / ".lock", "not a number");
  CHECK(status("here") == "died");
  const RunView view = read_run_view(folder.path(), "here");
  CHECK(view.step == 40);
  CHECK(view.steps == 100);
  CHECK(view.shape.columns == 3);
}

TEST_CASE("run view: the newest output counts where it is further than run.json") {
  const ScratchFolder folder;
  write(folder / "run.json", R"({"status": "stopped", "stopped_by": "SIGTERM", "step": 4})");
  write(folder / "config.yaml",
        "grid: {shape: [4, 4]}\nequation: {coefficient: 0.2}\ntime: {steps: 100}\n");
  write(folder / "diagnostics.csv",
        "step,time,min,max,mean,mass,l2,cells_per_second\n0,0,0,0,0,0,0,0\n"
        "80,0,0,0,0,0,0,0\n");
  write(folder / "log.jsonl",
        "{\"event\":\"stored\",\"step\":80,\"digest\":\"0x1\",\"output\":\"a\"}\n"
        "{\"event\":\"stored\",\"step\":81,\"digest\":\"0x2\",\"output\":\"\"}\n{\"ev");
  const RunView view = read_run_view(folder.path(), "here");
  CHECK(view.step == 80);
  CHECK(view.note == "stopped by SIGTERM");
  CHECK(view.digests == std::map<std::int64_t, std::string>{{80, "0x1"}});
}

TEST_CASE("run view: damaged files are an error or left out, never a crash") {
  const ScratchFolder folder;
  CHECK_THROWS_AS(read_run_view(folder / "none", "here"), IoError);
  CHECK_THROWS_AS(read_run_view(folder.path(), "here"), IoError);
  for (const char* text : {"", "[]", "{", "\"text\"", "\xff"}) {
    write(folder / "run.json", text);
    CHECK_THROWS_AS(read_run_view(folder.path(), "here"), IoError);
  }
  write(folder / "run.json",
        R"({"status": 7, "shape": "wide", "steps": "many", "step": null, "host": {}})");
  const RunView view = read_run_view(folder.path(), "here");
  CHECK(view.steps == 0);
  CHECK(view.status.empty());
}
