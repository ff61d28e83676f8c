// Starting ranks: the chosen launcher, its arguments, and the exit code. Scripts replace real
// launchers.
#include "app/commands/launcher.hpp"

#include "app/signals.hpp"
#include "kernels/error.hpp"
#include "kernels/ranks/ranks.hpp"
#include "tests/app/program.hpp"

namespace lapl {
namespace {

using test::has;
using Words = std::vector<std::string>;

const std::string open_mpi_4 = "mpirun (Open MPI) 4.1.4", open_mpi_5 = "mpirun (Open MPI) 5.0.7";
const std::string hydra = "HYDRA build details:";

// A folder of scripts that replaces PATH; each prints its name and arguments and then does `rest`.
class Programs {
 public:
  Programs() { setenv("PATH", bin_.c_str(), 1); }
  Programs(const Programs&) = delete;
  ~Programs() { setenv("PATH", before_.c_str(), 1); }

  std::string add(const std::string& name, const std::string& version,
                  const std::string& rest = "exit 1") const {
    test::fs::create_directory(bin_);
    const std::string path = bin_ + "/" + name;
    test::write_text(path, "#!/bin/sh\n[ \"$1\" != --version ] || { echo '" + version +
                               "'; exit; }\n" + rest + "\n");
    test::fs::permissions(path, test::fs::perms::owner_all);
    return path;
  }

 private:
  test::Sandbox folder_;
  std::string bin_ = (folder_.path() / "bin").string(), before_ = std::getenv("PATH");
};

std::string refusal(const std::string& library) {
  try {
    return "taken: " + find_launcher(library).path;
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST_CASE("launcher: each kind has its own words") {
  const Programs programs;
  const auto words = [&](const std::string& version, const std::string& library) {
    const std::string path = programs.add("mpirun", version);
    Words found = launcher_words(find_launcher(library), 3);
    CHECK(found.front() == path);
    found.erase(found.begin());
    return found;
  };
  CHECK(words(open_mpi_4, "Open MPI v4.1.4") ==
        Words{"--quiet", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3"});
  CHECK(words(open_mpi_5, "Open MPI v5.0.7") ==
        Words{"--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none", "-n", "3"});
  CHECK(words(hydra, "MPICH Version: 4.0.2") == Words{"-bind-to", "none", "-n", "3"});
  for (const char* const library : {"Open MPI v5.0.7", "MPICH Version: 4.0.2"})
    CHECK(words("slurm 22.05.8", library) ==
          Words{"--mpi=pmix", "--kill-on-bad-exit=0", "--overcommit", "-n", "3"});
}

TEST_CASE("launcher: one of another MPI, an unknown one and a missing one are named") {
  const Programs programs;
  CHECK(refusal("Open MPI v4.1.4") ==
        "--ranks: no mpirun on PATH (expected that of Open MPI 4 or 5, package openmpi-bin)");
  CHECK(refusal("MPICH Version: 4.0.2") ==
        "--ranks: no mpirun on PATH (expected that of MPICH, package mpich)");

  const std::string path = programs.add("mpirun", "launch 7");
  CHECK(
      refusal("Open MPI v4.1.4") ==
      "--ranks: " + path +
          ": no launcher that is known, by its --version \"launch 7\" (expected that of Open MPI 4 "
          "or 5, package openmpi-bin)");

  programs.add("mpirun", hydra);
  CHECK(
      refusal("Open MPI v4.1.4") ==
      "--ranks: " + path +
          ": starts ranks of MPICH, and this program was built with Open MPI v4.1.4 (expected that "
          "of Open MPI 4 or 5, package openmpi-bin)");
  const std::string other = programs.add("mpirun.openmpi", "mpirun.openmpi (OpenRTE) 4.1.4");
  CHECK(find_launcher("Open MPI v4.1.4").path == other);
  CHECK(find_launcher("MPICH Version: 4.0.2").path == path);
}

TEST_CASE("launcher: relative entries of PATH are skipped, and srun is used only within a job") {
  const Programs programs;
  const std::string srun = programs.add("srun", "slurm 22.05.8");
  unsetenv("SLURM_JOB_ID");
  CHECK(has(refusal("Open MPI v4.1.4"), "no mpirun"));
  setenv("SLURM_JOB_ID", "1", 1);
  CHECK(find_launcher("Open MPI v4.1.4").path == srun);
  unsetenv("SLURM_JOB_ID");

  programs.add("mpirun", open_mpi_4);
  setenv("PATH", "bin:.", 1);
  CHECK(has(refusal("Open MPI v4.1.4"), "no mpirun"));
}

TEST_CASE("launcher: a signal without a name is reported by its number") {
  CHECK(name_of_signal(SIGTERM) == "SIGTERM");
  CHECK(name_of_signal(85) == "signal 85");
}

bool open_mpi() { return has(mpi_library(), "Open MPI"); }

// The outcome of `lapl run --ranks 2` with an mpirun that is this script.
test::Outcome outcome_with(const Programs& programs, const std::string& mpirun,
                           const std::string& before = "") {
  programs.add("mpirun", open_mpi() ? open_mpi_5 : hydra, mpirun);
  return test::finish(test::start(
      {"-c", before + "\nexec " + test::lapl_program() + " run no.yaml --ranks 2"}, "/bin/sh"));
}

TEST_CASE("launcher: its exit code is not taken for the run's" *
          doctest::skip(mpi_library().empty())) {
  const Programs programs;
  const auto outcome = [&](const std::string& rest) { return outcome_with(programs, rest); };
  const auto code = [&](const std::string& rest) { return outcome(rest).code; };
  CHECK(code("exit 0") == 0);
  CHECK(code("echo 75 >$LAPL_RANKS_CODE") == 75);
  CHECK(code("echo 0 >$LAPL_RANKS_CODE; exit 4") == 4);
  CHECK(has(outcome("exit 213").err, "/mpirun failed with code 213"));
  CHECK(has(outcome("exit 1").err, "/mpirun failed with code 1 ("));
  CHECK(code("exit 1") == 5);
  CHECK(code("echo 1 >$LAPL_RANKS_CODE; exit 1") == 1);
  CHECK(code("exit 213") == 5);
  // Hydra reports the signal of an aborted rank, alone or or-ed with that for the other ranks.
  const auto aborted = outcome(open_mpi() ? "exit 134" : "exit 6");
  CHECK(aborted.code == 134);
  CHECK(has(aborted.err, open_mpi() ? "by SIGABRT" : "by a signal"));
  const auto started_again = outcome("exec " + test::lapl_program() + " run no.yaml --ranks 2");
  CHECK(started_again.code == 2);
  CHECK(
      has(started_again.err, "started as one of them, but " + mpi_library() + " finds no others"));
}

TEST_CASE(
    "launcher: ranks that do not meet are given up, and so is a launcher that ignores signals" *
    doctest::test_suite("moderate") * doctest::skip(mpi_library().empty())) {
  const Programs programs;
  const std::string tools = "PATH=/usr/bin:/bin\n", meeting = "${LAPL_RANKS_CODE%/*}/meeting";
  for (const char* deaf : {"", "trap '' TERM\n"}) {
    const auto outcome =
        outcome_with(programs, tools + deaf + ": >" + meeting + "\nwhile :; do sleep 0.1; done",
                     "export LAPL_RANKS_START=0.5");
    CHECK(outcome.code == 5);
    CHECK(has(outcome.err, "--ranks 2: they have not met within 0.5 seconds ("));
  }
  // Ranks that have met, or that may be on another machine, have no time limit.
  CHECK(outcome_with(programs, tools + "sleep 3; exit 4", "export LAPL_RANKS_START=0.5").code == 4);
}

TEST_CASE(
    "launcher: its temporary files and those of its ranks are removed, unless the user names their "
    "place" *
    doctest::skip(!open_mpi())) {
  const Programs programs;
  const std::string variable = "OMPI_MCA_btl_sm_backing_directory";
  const std::string mpirun = "echo $" + variable + " $PMIX_MCA_gds; : >$" + variable + "/left";
  const std::string out = outcome_with(programs, mpirun).out;
  CHECK(has(out, "/.lapl-ranks-"));
  CHECK(has(out, " hash\n"));
  CHECK(!test::fs::exists(out.substr(0, out.find(' '))));
  CHECK(outcome_with(programs, mpirun, "export " + variable + "=. PMIX_MCA_gds=ds21").out ==
        ". ds21\n");
}

TEST_CASE("launcher: a process of one that uses Open MPI without mpirun is no rank") {
  using Variables = std::vector<std::pair<const char*, const char*>>;
  const auto is_rank_under = [](const Variables& variables) {
    for (const auto& [name, value] : variables) setenv(name, value, 1);
    forget_singleton();
    const bool is_rank = is_started_as_rank();
    for (const auto& [name, value] : variables) unsetenv(name);
    return is_rank;
  };
  CHECK_FALSE(is_rank_under({{"OMPI_MCA_ess", "singleton"},
                             {"OMPI_APP_CTX_NUM_PROCS", "1"},
                             {"PMIX_NAMESPACE", "218890241"},
                             {"PMIX_RANK", "0"}}));
  CHECK(is_rank_under({{"OMPI_MCA_ess", "^singleton"},
                       {"OMPI_COMM_WORLD_SIZE", "2"},
                       {"PMIX_NAMESPACE", "221315073"},
                       {"PMIX_RANK", "0"}}));
  for (const char* const ess : {"", "singleton"})  // of the process that called srun or mpirun
    for (const char* const space : {"slurm.pmix.71.0", "prterun-node-25039@1"})
      CHECK(is_rank_under({{"OMPI_MCA_ess", ess}, {"PMIX_NAMESPACE", space}, {"PMIX_RANK", "1"}}));
  CHECK(is_rank_under({{"OMPI_MCA_ess", "singleton"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}));
}

TEST_CASE("launcher: mpirun gets nothing from a process that uses Open MPI without it" *
          doctest::skip(mpi_library().empty())) {
  const Programs programs;
  CHECK(outcome_with(programs,
                     "echo $OMPI_MCA_ess $PMIX_RANK $PMIX_SERVER_URI2 $PMIX_MCA_gds; exit 4",
                     "export OMPI_MCA_ess=singleton PMIX_NAMESPACE=218890241 PMIX_RANK=0 "
                     "PMIX_SERVER_URI2=218890240.0 PMIX_MCA_gds=hash")
            .out == "hash\n");
}

TEST_CASE("launcher: SIGHUP that was ignored stops no ranks" *
          doctest::skip(mpi_library().empty())) {
  const Programs programs;
  // Runs until lapl has taken the pending signal, and a little longer.
  const std::string taken = "grep -q '^ShdPnd:.*[13579bdf]$' /proc/$PPID/status";
  const std::string mpirun = "PATH=/usr/bin:/bin\ntrap 'exit 75' USR1\nkill -HUP $PPID\nwhile " +
                             taken + "; do :; done\nfor i in 1 2 3 4 5 6 7 8 9; do " + taken +
                             "; done\nexit 4";
  CHECK(outcome_with(programs, mpirun).code == 75);
  CHECK(outcome_with(programs, mpirun, "trap '' HUP").code == 4);
}

}  // namespace
}  // namespace lapl
