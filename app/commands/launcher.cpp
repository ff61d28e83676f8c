#include "app/commands/launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "io/run/provenance.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/program_on_path.hpp"

namespace lapl {
namespace {

// --oversubscribe allows more ranks than cores. Open MPI refuses to run as root by default, but a
// container often has no other user.
const std::vector<std::string> words_of_open_mpi_4 = {"--quiet", "--allow-run-as-root",
                                                      "--oversubscribe", "--bind-to", "none"};
// Reasons for the variables: an mpirun that starts may share Open MPI's default folder with one
// that ends and removes it; by default, memory that killed ranks shared remains in /dev/shm; PMIx
// hangs if its tables are in files and the disk is full.
const std::vector<std::pair<const char*, const char*>> variables_of_open_mpi_4 = {
    {"OMPI_MCA_orte_tmpdir_base", "{folder}"},
    {"OMPI_MCA_btl_vader_backing_directory", "{memory}"},
    {"PMIX_MCA_gds", "hash"}};
const std::vector<LauncherKind> kinds = {
    {"(Open MPI) 4.", "Open MPI", words_of_open_mpi_4, variables_of_open_mpi_4},
    // The same program prints this version if it is called by another name than mpirun.
    {"(OpenRTE) 4.", "Open MPI", words_of_open_mpi_4, variables_of_open_mpi_4},
    {"(Open MPI) 5.",
     "Open MPI",
     {"--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"},
     {{"PRTE_MCA_prte_tmpdir_base", "{folder}"},
      {"OMPI_MCA_btl_sm_backing_directory", "{memory}"},
      {"PMIX_MCA_gds", "hash"}}},
    {"HYDRA", "MPICH", {"-bind-to", "none"}, {}, true},
    {"slurm ", "", {"--mpi=pmix", "--kill-on-bad-exit=0", "--overcommit"}, {}},
};

// Debian's names find a launcher even if mpirun belongs to another MPI. Outside a job of Slurm,
// srun would wait for one.
std::vector<std::string> launcher_names() {
  std::vector<std::string> names = {"mpirun", "mpirun.openmpi", "mpirun.mpich"};
  if (std::getenv("SLURM_JOB_ID") != nullptr) names.emplace_back("srun");
  return names;
}

const LauncherKind* launcher_kind(const std::string& version) {
  for (const LauncherKind& kind : kinds)
    if (version.find(kind.version) != std::string::npos) return &kind;
  return nullptr;
}

// All other MPI libraries use MPICH's protocol to connect ranks.
std::string_view mpi_family(std::string_view library) {
  return library.starts_with("Open MPI") ? "Open MPI" : "MPICH";
}

}  // namespace

std::optional<std::string> printed_by(const std::vector<std::string>& words,
                                      const char* redirections) {
  std::string command, text;
  for (const std::string& word : words) command += shell_quoted(word) + " ";
  command += std::string("</dev/null ") + redirections;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return std::nullopt;
  for (int letter; (letter = std::fgetc(pipe.get())) != EOF;) text += static_cast<char>(letter);
  return text;
}

Launcher find_launcher(const std::string& library) {
  const std::string_view family = mpi_family(library);
  std::string problem;
  for (const std::string& name : launcher_names()) {
    const std::string path = program_in(absolute_folders_of_path(), name);
    if (path.empty()) continue;
    const std::string version = printed_by({path, "--version"}, "2>&1").value_or("");
    const LauncherKind* const kind = launcher_kind(version);
    if (kind != nullptr && (kind->library.empty() || kind->library == family)) return {path, kind};
    if (!problem.empty()) continue;
    problem = kind == nullptr
                  ? fmt::format("{}: no launcher that is known, by its --version \"{}\"", path,
                                version.substr(0, version.find('\n')))
                  : fmt::format("{}: starts ranks of {}, and this program was built with {}", path,
                                kind->library, library);
  }
  throw ConfigError(
      "--ranks: {} (expected that of {})", problem.empty() ? "no mpirun on PATH" : problem,
      family == "MPICH" ? "MPICH, package mpich" : "Open MPI 4 or 5, package openmpi-bin");
}

LauncherFolders::LauncherFolders()
    : files_(folder_of_temporaries(), "ranks"),
      memory_(::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : files_.path(), "ranks") {}

void LauncherFolders::set_variables(const Launcher& launcher) const {
  for (const auto& [name, value] : launcher.kind->variables)
    ::setenv(name,
             fmt::format(fmt::runtime(value), fmt::arg("folder", files_.path().string()),
                         fmt::arg("memory", memory_.path().string()))
                 .c_str(),
             0);
}

std::vector<std::string> launcher_words(const Launcher& launcher, int count) {
  std::vector<std::string> words = {launcher.path};
  words.insert(words.end(), launcher.kind->words.begin(), launcher.kind->words.end());
  words.insert(words.end(), {"-n", std::to_string(count)});
  return words;
}

}  // namespace lapl
