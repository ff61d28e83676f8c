// lapl_headers KIND TRIALS [SEED [FIRST]]: reads files with false content and a matching seal as
// lapl does.
//
//   headers   a checkpoint, a step file or an index with one dataset or attribute forged
//   two-fields-headers   the same with two fields given as formulas
//   by-error-headers   the same with steps that choose their size and their stages
//   mask-headers   the same on a grid with a mask
//   kernels   filter weights from a file, of any shape in every mode, on any grid
//   sizes     pictures and datasets that declare far more values than the grid has cells
//
// lapl must reject each file with one of its own errors, or accept it and be consistent. A crash, a
// hang or too much memory is a failure and ends the trial's process.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/filters/filter_source.hpp"
#include "io/hdf5/dataset_checks.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/file_content.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/readers/initial_source.hpp"
#include "io/run/restart.hpp"
#include "kernels/backend.hpp"
#include "kernels/error.hpp"
#include "solver/filters/correlation.hpp"
#include "solver/step_control.hpp"
#include "tests/io/hdf5_edit.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/test_field.hpp"
#include "tests/torture/damage.hpp"

namespace lapl::test {
namespace {

namespace fs = std::filesystem;

constexpr unsigned longest_trial = 120;               // seconds
constexpr rlim_t most_memory = std::size_t{1} << 28;  // in bytes, beyond the initial size

void expect(bool good, const std::string& what) {
  if (!good) throw std::logic_error(what);
}

// Removes a dataset, or replaces it by one with other values, extent or type.
std::string forge_dataset(hid_t file, const std::string& name, Random& random) {
  const auto extent_before = [&] {
    const Hdf5Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "open");
    return dataset_extent(dataset, name);
  }();
  const Hdf5Type type = [&] {
    const Hdf5Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "open");
    return Hdf5Type(H5Dget_type(dataset), "type");
  }();
  remove_link(file, name.c_str());
  if (below(8, random) == 0) return name + " removed";
  std::vector<hsize_t> extent = extent_before;
  const bool resized = below(2, random) == 0;
  if (resized && !extent.empty())
    extent[below(extent.size(), random)] = pick<hsize_t>({0, 1, 2, 3, 7, 100, 1000}, random);
  if (resized && below(4, random) == 0) extent.push_back(pick<hsize_t>({1, 2, 30}, random));
  const bool text = H5Tget_class(type) == H5T_STRING;
  if (text) {
    const std::string with =
        pick<std::string>({"", "\033[2J", "grid: {shape: [8, 9]}", std::string(5000, '\n'),
                           "step-000000020.nc\nstep-000000020.nc", "\xFF\xFE"},
                          random);
    write_text(file, name, with);
    return name + " is another text";
  }
  const hid_t stored = pick<hid_t>({type, type, type, H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_STD_I64LE,
                                    H5T_STD_U64LE, H5T_STD_I8LE},
                                   random);
  std::size_t count = 1;
  for (const hsize_t size : extent) count *= size;
  std::vector<double> values(std::min<std::size_t>(count, 10'000'000));
  for (double& value : values) value = odd_number(random);
  std::vector<std::uint64_t> bits(values.size());
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = std::bit_cast<std::uint64_t>(values[i]);
  const bool raw = (name.ends_with("_bits") || name == "step_state") && below(2, random) == 0;
  make_dataset(file, name.c_str(), stored, extent,
               raw ? static_cast<const void*>(bits.data()) : values.data(),
               raw ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE);
  return fmt::format("{} of {} values", name, count);
}

std::string forge_attribute(hid_t file, Random& random) {
  const std::string name =
      pick<std::string>({"lapl_format", "lapl_format_version", "lapl_grid_spacing"}, random);
  H5Adelete(file, name.c_str());
  const double number = odd_number(random);
  const std::int64_t whole = pick<std::int64_t>({-1, 0, 1, 2, 1 << 30}, random);
  switch (below(4, random)) {
    case 0: break;
    case 1:
      write_attribute(file, name, pick<std::string_view>({"step", "index", "x"}, random));
      break;
    case 2: write_attribute(file, name, std::vector{number}); break;
    default: write_attribute(file, name, std::vector{whole}); break;
  }
  return "attribute " + name;
}

// Corrects the digest, as a hostile writer would.
void make_digest_fit(hid_t file, const std::vector<std::string>& fields) {
  if (!has_dataset(file, "state_digest")) return;
  std::vector<float> state;
  try {
    for (const std::string& field : fields) {
      const Hdf5Dataset dataset(H5Dopen2(file, field.c_str(), H5P_DEFAULT), "open");
      const FieldValues values = read_values(dataset, field, field_layout(dataset, field), 0);
      std::visit([&](const auto& held) { state.insert(state.end(), held.begin(), held.end()); },
                 values);
    }
  } catch (const IoError&) {
    return;
  }
  const std::uint64_t digest = field_digest(std::span<const float>(state));
  remove_link(file, "state_digest");
  make_dataset(file, "state_digest", H5T_STD_U64LE, {1}, &digest, H5T_NATIVE_UINT64);
}

const char* const config_text =
    "grid: {shape: [8, 9]}\nequation: {coefficient: 0.2}\ntime: {steps: 60}\n"
    "output: {directory: out, every: 20}\ncheckpoint: {every: 20}\n";

void require_harmless_restart(const fs::path& folder, const Checkpoint& good) {
  const Restart restart = newest_valid_checkpoint(folder);
  const CheckpointHeader& header = restart.checkpoint.header;
  if (restart.path.filename() != checkpoint_file_name(60)) {
    expect(restart.rejected.size() == 1, "the rejected checkpoint is not named");
    return;
  }
  expect(header.step == 60 && header.shape == good.header.shape, "another step or grid");
  expect(as_bits(header.coefficient) == as_bits(good.header.coefficient) &&
             as_bits(header.time_step) == as_bits(good.header.time_step),
         "another coefficient or time step");
  expect(header.fields == good.header.fields, "other fields");
  if (const auto steps = StepState::of_words(header.step_state)) {
    const RunConfig run = parse_config(header.config, "its config", ".", {}).run;
    const StepTimes clock = StepControl(run, steps, header.step).plan(header.step);
    expect(clock.step > 0 && std::isfinite(clock.time(header.step)), "a step of no size");
  }
  expect(
      std::get<std::vector<float>>(restart.checkpoint.values).size() == 72 * header.fields.size(),
      "other values");
}

void require_harmless_content(const fs::path& path) {
  const FileContent content = read_content(path);
  expect(content.times.size() == content.steps.size(), "as many times as steps");
  for (const std::string& field : content.fields) {
    const std::size_t last = std::max<std::size_t>(content.steps.size(), 1) - 1;
    const ReadField read = read_field(path, field, last);
    const bool own = content.kind != "hdf5";
    expect(!own || read.shape == content.shape, "a field of another shape than the grid's");
    const std::size_t count = std::visit([](const auto& v) { return v.size(); }, read.values);
    expect(count == static_cast<std::size_t>(read.shape.cells()), "as many values as cells");
  }
}

void try_header(const fs::path& run, Random& random, std::string& what) {
  const fs::path checkpoint = run / "checkpoints" / checkpoint_file_name(60);
  const fs::path step = run / "fields" / step_file_name(60), index = run / "fields.nc";
  const Checkpoint good = read_checkpoint(checkpoint);
  const fs::path path = pick<fs::path>({checkpoint, checkpoint, step, index}, random);
  const std::string bytes = read_bytes(path);
  const FileContent content = read_content(path);
  edit_sealed(path, [&](hid_t file) {
    std::vector<std::string> names = list_datasets(file);
    std::erase_if(names, [](const std::string& name) { return name.starts_with("VTKHDF"); });
    if (path == index)  // the fields of an index are virtual
      std::erase_if(names, [&](const std::string& name) {
        return std::ranges::count(content.fields, name) > 0;
      });
    what = below(8, random) == 0 ? forge_attribute(file, random)
                                 : forge_dataset(file, names[below(names.size(), random)], random);
    if (path == checkpoint) make_digest_fit(file, good.header.fields);
  });
  what = path.filename().string() + ": " + what;
  const auto refusable = [&](const std::function<void()>& read) {
    try {
      read();
    } catch (const IoError&) {
    } catch (const CheckpointError&) {
    }
  };
  if (path == checkpoint) require_harmless_restart(checkpoint.parent_path(), good);
  refusable([&] { require_harmless_content(path); });
  if (path == step) {
    refusable([&] { require_harmless_content(index); });
    refusable(
        [&] { expect(read_output(step).steps.front() == 60, "another step than its name's"); });
  }
  write_bytes(path, bytes);
}

void try_kernel(const fs::path& folder, Random& random, std::string& what) {
  const Shape grid{between(1, 40, random), between(1, 40, random)};
  const bool line = below(3, random) == 0;
  std::vector<hsize_t> extent = {static_cast<hsize_t>(between(1, 50, random))};
  if (!line) extent.push_back(static_cast<hsize_t>(between(1, 50, random)));
  if (below(10, random) == 0) extent.insert(extent.begin(), 2);
  std::vector<double> weights(extent[0] * (extent.size() > 1 ? extent[1] : 1) *
                              (extent.size() > 2 ? extent[2] : 1));
  for (double& weight : weights) weight = below(20, random) == 0 ? 0 : 0.01;
  if (below(20, random) == 0) weights[0] = odd_number(random);
  fs::remove(folder / "k.h5");
  edit_hdf5(folder / "k.h5", [&](hid_t file) {
    make_dataset(file, "kernel", H5T_IEEE_F64LE, extent, weights.data(), H5T_NATIVE_DOUBLE);
  });
  RunConfig config;
  config.shape = grid;
  FilterConfig filter;
  filter.kernel = KernelKind::hdf5;
  filter.path = folder / "k.h5";
  filter.mode = name_table<FilterMode>[below(3, random)].value;
  filter.edge = name_table<Edge>[below(5, random)].value;
  filter.kind = name_table<FilterKind>[below(2, random)].value;
  filter.method = pick<std::string>({"auto", "direct", "fft"}, random);
  config.filters = {filter};
  what = fmt::format("a kernel of {} axes, {} long, mode {}, on {} x {}", extent.size(),
                     extent.back(), enum_name(filter.mode), grid.rows, grid.columns);
  try {
    const FilterConfig loaded = load_filters(config).front();
    const auto correlation = make_correlation<float>(loaded, grid);
    expect(correlation.output == grid, "results of another shape than the grid's");
    const auto backend = make_backend<float>("cpu", "auto", diffusion<float>(grid, {}, 0.2f), 1);
    backend->set_derived(
        {FilterPlan<float>{correlation, choose_method(loaded, correlation, "cpu").method}});
    backend->set_state(std::vector<float>(static_cast<std::size_t>(grid.cells()), 1.f));
    expect(backend->capture(true).wait().derived.front().size() ==
               static_cast<std::size_t>(grid.cells()),
           "as many results as cells");
  } catch (const ConfigError&) {
  }
}

// Writes a PNG with a false size in its header and a sparse hole instead of pixels.
void write_lying_png(const fs::path& path, std::uint32_t rows, std::uint32_t columns,
                     std::uintmax_t length) {
  const auto big_endian = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  };
  const std::string chunk =
      "IHDR" + big_endian(columns) + big_endian(rows) + std::string("\10\0\0\0\0", 5);
  std::uint32_t sum = 0xFFFFFFFFu;
  for (const char byte : chunk) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xEDB88320u : 0u);
  }
  write_bytes(path, "\x89PNG\r\n\x1a\n" + big_endian(13) + chunk + big_endian(~sum) +
                        big_endian(static_cast<std::uint32_t>(length)) + "IDAT");
  fs::resize_file(path, length + 41);
}

void try_size(const fs::path& folder, Random& random, std::string& what) {
  RunConfig config;
  config.shape = {8, 8};
  const auto rows = static_cast<std::uint32_t>(between(1, 60'000, random));
  const auto columns = static_cast<std::uint32_t>(between(1, 60'000, random));
  const bool picture = below(2, random) == 0;
  what = fmt::format("{} of {} x {}", picture ? "a PNG" : "a dataset", rows, columns);
  config.initial.kind = picture ? InitialKind::image : InitialKind::hdf5;
  config.initial.path = folder / (picture ? "p.png" : "d.h5");
  if (picture) {
    write_lying_png(
        config.initial.path, rows, columns,
        std::uintmax_t{rows} * columns / pick<std::uintmax_t>({1, 900}, random) % (1 << 30));
  } else {
    fs::remove(config.initial.path);
    edit_hdf5(config.initial.path, [&](hid_t file) {
      const Hdf5Properties properties(H5Pcreate(H5P_DATASET_CREATE), "make properties");
      const std::array<hsize_t, 2> chunk = {
          std::min<hsize_t>(pick<hsize_t>({1, 64, 1000}, random), rows),
          std::min<hsize_t>(64, columns)};
      check_hdf5(H5Pset_chunk(properties, 2, chunk.data()), "set chunks");
      if (below(2, random) == 0) check_hdf5(H5Pset_deflate(properties, 9), "set a filter");
      make_dataset(file, "field", H5T_IEEE_F64LE, {rows, columns}, nullptr, H5I_INVALID_HID,
                   properties);
      const std::vector<char> room(below(3'000'000, random) + 1);
      make_dataset(file, "room", H5T_STD_I8LE, {room.size()}, room.data());
    });
  }
  for (const bool by_grid : {true, false}) try {
      if (by_grid)
        load_initial_fields(config);
      else if (!picture)
        read_field(config.initial.path, "field");
      expect(!by_grid || (rows == 8 && columns == 8), "accepted");
    } catch (const IoError&) {
    } catch (const ConfigError&) {
    }
}

void limit_process() {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
#ifndef __SANITIZE_ADDRESS__  // ASan's address space is terabytes
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + most_memory;
  const rlimit limits{limit, limit};
  setrlimit(RLIMIT_AS, &limits);
#endif
}

/// Runs a trial in a child process, which prints failures to stderr.
bool passes(const std::function<void(Random&, std::string&)>& trial, std::uint64_t seed) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    std::string what;
    Random random(seed);
    limit_process();
    alarm(longest_trial);
    try {
      trial(random, what);
      _exit(0);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}: {}\n", what, error.what());
    }
    _exit(1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(status)) fmt::print(stderr, "ended by signal {}\n", WTERMSIG(status));
  return status == 0;
}

int torture(const std::string& kind, std::size_t trials, std::size_t seed, std::size_t first) {
  const ScratchFolder folder;
  write_bytes(folder / "c.yaml", kind == "two-fields-headers" ? two_fields_config
                                 : kind == "by-error-headers" ? by_error_config
                                 : kind == "mask-headers"     ? mask_config
                                                              : config_text);
  const std::string run = "cd '" + folder.path().string() +
                          "' && '" LAPL_PROGRAM "' run c.yaml --quiet --backend cpu >out.txt 2>&1";
  if (std::system(run.c_str()) != 0)
    throw std::runtime_error("the run that makes the files failed");
  const auto trial = [&](Random& random, std::string& what) {
    if (kind.ends_with("headers")) return try_header(folder / "out", random, what);
    if (kind == "kernels") return try_kernel(folder.path(), random, what);
    try_size(folder.path(), random, what);
  };
  const auto restore = [&] {
    fs::remove_all(folder / "out");
    if (std::system(run.c_str()) != 0) throw std::runtime_error("the run cannot be made again");
  };
  std::size_t failed = 0;
  for (std::size_t n = first; n < first + trials; ++n) {
    if (passes(trial, seed + n * 0x9E3779B97F4A7C15u)) continue;
    fmt::print(stderr, "{} trial {} failed\n", kind, n);
    ++failed;
    restore();
  }
  fmt::print("trials {} passed {} failed {}\n", trials, trials - failed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace lapl::test

int main(int argc, char** argv) try {
  const auto number = [&](int index, std::size_t otherwise) {
    return argc > index ? std::stoull(argv[index]) : otherwise;
  };
  return lapl::test::torture(argc > 1 ? argv[1] : "headers", number(2, 200), number(3, 1),
                             number(4, 0));
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
