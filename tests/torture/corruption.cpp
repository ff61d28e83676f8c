// lapl_corruption TRIALS [SEED [FIRST]]: damages files of a small run, one at a time, and reads
// each as lapl does. lapl must reject every damaged file. If a hostile writer has added a matching
// seal, reading must only not crash, hang or use too much memory. Exit code 1 if a trial fails;
// each failed trial is named with its number, which FIRST repeats.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "io/config/config.hpp"
#include "io/durable/seal.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/images/frames.hpp"
#include "io/run/restart.hpp"
#include "kernels/error.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/torture/damage.hpp"

namespace lapl::test {
namespace {

namespace fs = std::filesystem;

// Seconds. Reading stops after 2 s of processor time; a busy machine may take much longer.
constexpr unsigned longest_trial = 300;
constexpr rlim_t most_memory = std::size_t{2} << 30;  // in bytes, beyond the initial size
constexpr std::size_t batch = 500;                    // trials in one process

enum Outcome {
  refused,
  accepted_whole,
  accepted_resealed,
  accepted_damaged,
  wrong_error,
  outcomes
};
constexpr std::array<const char*, outcomes> outcome_names = {
    "refused", "accepted, bytes unchanged", "accepted, damage sealed", "accepted with a difference",
    "another error"};

/// A kind of file, and the function of lapl that reads it.
struct Subject {
  fs::path path;
  std::function<void()> read;  ///< throws if lapl rejects the file
  bool sealed = true;
  std::string good = {};
};

void read_as_tools_do(const fs::path& path) {
  const FileContent content = read_content(path);
  const std::size_t records = std::max<std::size_t>(content.steps.size(), 1);
  for (const std::string& field : content.fields) read_field(path, field, records - 1);
}

/// Reads the damaged checkpoint alone and next to an older one.
void read_as_restart_does(const fs::path& path) {
  const Restart restart = newest_valid_checkpoint(path.parent_path());
  if (restart.path == path) return;
  const bool named = restart.rejected.size() == 1 && contains(restart.rejected[0], path.string());
  if (!named) throw std::logic_error("the rejected checkpoint is not named");
  read_checkpoint(path);  // must throw
}

void make_run(const fs::path& folder) {
  write_bytes(folder / "run.yaml",
              "grid: {shape: [20, 30]}\nequation: {coefficient: 0.25}\ntime: {steps: 60}\n"
              "output: {directory: out, every: 20, fields: [field, laplacian]}\n"
              "checkpoint: {every: 20}\n"
              "filters: [{name: smooth, kernel: gaussian, sigma: 1}]\n");
  write_bytes(folder / "packed.yaml",
              "grid: {shape: [20, 30]}\nequation: {coefficient: 0.25}\ntime: {steps: 60}\n"
              "output: {every: 20, compression: 4, round: 1e-3}\ncheckpoint: {every: 20}\n");
  write_bytes(folder / "two.yaml", two_fields_config);
  write_bytes(folder / "filter.yaml",
              "input: {path: out/fields/step-000000060.nc}\noutput: {path: smooth.h5}\n"
              "filter: {kernel: gaussian, sigma: 1}\n");
  const std::string go = "cd '" + folder.string() + "' && '" LAPL_PROGRAM "' ";
  if (std::system((go + "run run.yaml --quiet --output out >out.txt").c_str()) != 0 ||
      std::system((go + "run two.yaml --quiet --output two >out.txt").c_str()) != 0 ||
      std::system((go + "run packed.yaml --quiet --output packed >out.txt").c_str()) != 0 ||
      std::system((go + "filter filter.yaml --quiet").c_str()) != 0)
    throw std::runtime_error("the run that makes the files failed");
}

std::vector<Subject> subjects_in(const fs::path& folder) {
  const fs::path checkpoint = folder / "out/checkpoints/step-000000060.h5";
  const fs::path step = folder / "out/fields/step-000000060.nc", index = folder / "out/fields.nc";
  const fs::path frames = folder / "smooth.h5", config = folder / "out/config.yaml";
  const fs::path two_checkpoint = folder / "two/checkpoints/step-000000060.h5";
  const fs::path two_step = folder / "two/fields/step-000000060.nc";
  const fs::path packed = folder / "packed/fields/step-000000060.nc";
  std::vector<Subject> subjects = {
      {packed, [=] { read_as_tools_do(packed); }},
      {two_checkpoint, [=] { read_as_restart_does(two_checkpoint); }},
      {two_step, [=] { read_as_tools_do(two_step); }},
      {checkpoint, [=] { read_as_restart_does(checkpoint); }},
      {checkpoint, [=] { read_as_tools_do(checkpoint); }},
      {step, [=] { read_as_tools_do(step); }},
      {step, [=] { read_as_tools_do(index); }},
      {index, [=] { read_as_tools_do(index); }},
      {frames, [=] { read_as_tools_do(frames); }},
      {frames,
       [=] {
         const auto source = open_frames(frames, "/filtered");
         std::vector<float> values(static_cast<std::size_t>(source.shape.cells()));
         source.read(0, std::span(values));
       }},
      {config, [=] { load_config(config, {}); }, false}};
  for (Subject& subject : subjects) subject.good = read_bytes(subject.path);
  return subjects;
}

/// The results of a worker, in shared memory.
struct Progress {
  std::size_t trial;
  std::array<std::size_t, outcomes> counts;
  std::size_t crashes, hangs;
};

struct Trial {
  const Subject* subject;
  bool resealed;
  std::string bytes, what;
};

Trial make_trial(const std::vector<Subject>& subjects, std::size_t seed, std::size_t number) {
  Random random(seed + number * 0x9E3779B97F4A7C15u);
  Trial trial{&subjects[below(subjects.size(), random)], false, {}, {}};
  trial.resealed = trial.subject->sealed && below(4, random) == 0;
  trial.bytes = trial.subject->good;
  if (trial.resealed) trial.bytes.resize(trial.bytes.size() - seal_size);
  trial.what = damage(trial.bytes, random);
  if (trial.resealed) {
    SealMaker maker;
    maker.add(std::as_bytes(std::span(trial.bytes)));
    const SealBytes seal = maker.seal();
    trial.bytes.append(reinterpret_cast<const char*>(seal.data()), seal.size());
    trial.what += " before it was sealed";
  }
  trial.what =
      fmt::format("trial {}, {}: {}", number, trial.subject->path.filename().string(), trial.what);
  return trial;
}

Outcome try_reading(const Trial& trial) {
  write_bytes(trial.subject->path, trial.bytes);
  std::string complaint;
  Outcome outcome = wrong_error;
  try {
    trial.subject->read();
    outcome = trial.bytes == trial.subject->good         ? accepted_whole
              : trial.resealed || !trial.subject->sealed ? accepted_resealed
                                                         : accepted_damaged;
  } catch (const IoError&) {
    outcome = refused;
  } catch (const CheckpointError&) {
    outcome = refused;
  } catch (const ConfigError& error) {
    outcome = trial.subject->sealed ? wrong_error : refused;
    complaint = error.what();
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  if (outcome >= accepted_damaged)
    fmt::print(stderr, "{}: {} {}\n", trial.what, outcome_names[outcome], complaint);
  write_bytes(trial.subject->path, trial.subject->good);
  return outcome;
}

void limit_memory() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + most_memory;
  const rlimit limits{limit, limit};
  setrlimit(RLIMIT_AS, &limits);
}

[[noreturn]] void run_batch(const std::vector<Subject>& subjects, std::size_t seed,
                            std::size_t first, std::size_t end, Progress& progress) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  limit_memory();
  for (progress.trial = first; progress.trial < end; ++progress.trial) {
    const Trial trial = make_trial(subjects, seed, progress.trial);
    alarm(longest_trial);
    ++progress.counts[try_reading(trial)];
  }
  _exit(0);
}

bool succeeded(pid_t child, int& status) {
  if (child < 0 || waitpid(child, &status, 0) != child) throw std::runtime_error("fork failed");
  return status == 0;
}

/// In a child process, because OpenMP hangs in a child that is forked after OpenMP was used.
void require_whole_files_are_taken(const std::vector<Subject>& subjects) {
  const pid_t child = fork();
  if (child == 0) {
    for (const Subject& subject : subjects) subject.read();
    _exit(0);
  }
  int status = 0;
  if (!succeeded(child, status)) throw std::runtime_error("a whole file cannot be read");
}

/// Runs the trials `first` to `end` - 1 in a temporary folder.
void work(std::size_t seed, std::size_t first, std::size_t end, Progress& progress) {
  const ScratchFolder folder;
  make_run(folder.path());
  const std::vector<Subject> subjects = subjects_in(folder.path());
  require_whole_files_are_taken(subjects);
  for (std::size_t next = first; next < end;) {
    const std::size_t stop = std::min(next + batch, end);
    const pid_t child = fork();
    if (child == 0) run_batch(subjects, seed, next, stop, progress);
    next = stop;
    int status = 0;
    if (succeeded(child, status)) continue;
    const bool hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    ++(hang ? progress.hangs : progress.crashes);
    const Trial trial = make_trial(subjects, seed, progress.trial);
    fmt::print(stderr, "{}: {} (wait status {:#x})\n", trial.what, hang ? "hang" : "crash", status);
    write_bytes(trial.subject->path, trial.subject->good);
    next = progress.trial + 1;
  }
}

int torture(std::size_t trials, std::size_t seed, std::size_t first) {
  const std::size_t workers = std::min<std::size_t>(std::thread::hardware_concurrency(), 16);
  void* const shared = mmap(nullptr, workers * sizeof(Progress), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  // the mapping is initially zero
  const std::span progress(static_cast<Progress*>(shared), workers);
  std::vector<pid_t> children;
  for (std::size_t w = 0; w < workers; ++w) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    try {
      work(seed, first + trials * w / workers, first + trials * (w + 1) / workers, progress[w]);
      _exit(0);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
      _exit(2);
    }
  }
  std::size_t failed = 0;
  int status = 0;
  for (const pid_t child : children) failed += succeeded(child, status) ? 0 : 1;
  const auto total = [&](const char* name, auto count_in) {
    std::size_t sum = 0;
    for (const Progress& one : progress) sum += count_in(one);
    fmt::print("{}: {}\n", name, sum);
    return sum;
  };
  for (std::size_t i = 0; i < outcomes; ++i) {
    const std::size_t count =
        total(outcome_names[i], [&](const Progress& one) { return one.counts[i]; });
    if (i >= accepted_damaged) failed += count;
  }
  failed += total("crashes", [](const Progress& one) { return one.crashes; });
  failed += total("hangs", [](const Progress& one) { return one.hangs; });
  fmt::print("trials {} passed {} failed {}\n", trials, trials - failed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lapl::test

int main(int argc, char** argv) try {
  const auto number = [&](int index, std::size_t otherwise) {
    return argc > index ? std::stoull(argv[index]) : otherwise;
  };
  return lapl::test::torture(number(1, 2000), number(2, 1), number(3, 0));
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
