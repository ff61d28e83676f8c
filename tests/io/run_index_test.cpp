#include "io/hdf5/run_index.hpp"

#include <chrono>
#include <cmath>
#include <set>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/axes.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "kernels/error.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/io/write_alone.hpp"

namespace lapl::test {
namespace {

constexpr Shape index_grid = {3, 5};

/// A run folder with step files. Values are step + cell index; the Laplacian is minus the values.
struct Run {
  ScratchFolder folder;
  std::filesystem::path index = folder / "fields.nc";
  std::filesystem::path fields = folder / "fields";

  Run() { std::filesystem::create_directory(fields); }

  void add(std::int64_t step, bool with_laplacian, double time_step = 0.5) const {
    std::vector<float> field(15), laplacian(15);
    for (std::size_t i = 0; i < field.size(); ++i) {
      field[i] = static_cast<float>(step) + static_cast<float>(i);
      laplacian[i] = -field[i];
    }
    StepRecord record{.shape = index_grid,
                      .spacing = 2,
                      .step = step,
                      .time = static_cast<double>(step) * time_step,
                      .title = "a test",
                      .fields = {{"field", "field", "1", std::span<const float>(field)}},
                      .provenance = {}};
    if (with_laplacian)
      record.fields.push_back({"laplacian", "Laplacian", "m-2", std::span<const float>(laplacian)});
    write_step_file(fields / step_file_name(step), record);
  }
  void write() const { RunIndex(index, fields).write(); }
  float first(const std::string& name, std::size_t record) const {
    return std::get<std::vector<float>>(read_field(index, name, record).values)[0];
  }
};

}  // namespace

TEST_CASE("the index has one record a step file, in order of step") {
  const Run run;
  run.add(1000, true);
  run.write();
  run.add(0, true);
  run.write();
  run.add(2'000'000'000, true);
  run.write();
  CHECK_NOTHROW(verify_seal(run.index));
  const FileContent content = read_content(run.index);
  CHECK(content.kind == "index");
  CHECK(content.shape == index_grid);
  CHECK(content.spacing == 2);
  CHECK(content.steps == std::vector<std::int64_t>{0, 1000, 2'000'000'000});
  CHECK(content.times == std::vector<double>{0, 500, 1e9});
  CHECK(content.fields == std::vector<std::string>{"field", "laplacian"});
  CHECK(content.precision == "float32");
  CHECK(run.first("field", 0) == 0);
  CHECK(run.first("laplacian", 1) == -1000);
  CHECK(
      contains(thrown_message<IoError>([&] { run.first("field", 3); }), "has no record 3, only 3"));
  CHECK(contains(thrown_message<IoError>([&] { run.first("other", 0); }), "no dataset other"));
}

TEST_CASE("a field that a step file lacks reads as NaN there") {
  const Run run;
  run.add(0, true);
  run.write();
  run.add(10, false);
  run.write();
  CHECK(run.first("laplacian", 0) == 0);
  CHECK(std::isnan(run.first("laplacian", 1)));
  CHECK(run.first("field", 1) == 10);
}

TEST_CASE("the index follows step files that were replaced or removed, and ignores other files") {
  const Run run;
  for (const std::int64_t step : {0, 10, 20, 30}) run.add(step, true);
  run.write();
  run.add(10, true, 0.25);
  // Makes the file newer than the index, however coarse the file system's clock is.
  std::filesystem::last_write_time(
      run.fields / step_file_name(10),
      std::filesystem::last_write_time(run.index) + std::chrono::seconds(1));
  std::filesystem::remove(run.fields / step_file_name(0));
  write_bytes(run.fields / ".step-000000040.nc.tmp-1", "unfinished");
  write_bytes(run.fields / "notes.txt", "mine");
  run.write();
  const FileContent content = read_content(run.index);
  CHECK(content.steps == std::vector<std::int64_t>{10, 20, 30});
  CHECK(content.times == std::vector<double>{2.5, 10, 15});
}

TEST_CASE("an index that is damaged or of another kind is made anew") {
  const Run run;
  run.add(0, false);
  run.add(10, false);
  for (const std::string bytes : {"", "not HDF5"}) {
    write_bytes(run.index, bytes);
    run.write();
    CHECK(read_content(run.index).steps == std::vector<std::int64_t>{0, 10});
  }
  std::filesystem::copy_file(run.fields / step_file_name(0), run.index,
                             std::filesystem::copy_options::overwrite_existing);
  run.write();
  CHECK(read_content(run.index).kind == "index");
}

TEST_CASE("a damaged step file is found through the index") {
  const Run run;
  run.add(0, false);
  run.write();
  const auto path = run.fields / step_file_name(0);
  std::string bytes = read_bytes(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_bytes(path, bytes);
  CHECK(contains(thrown_message<IoError>([&] { run.first("field", 0); }),
                 path.string() + ": the bytes differ from what was sealed"));
  std::filesystem::remove(path);
  CHECK(contains(thrown_message<IoError>([&] { run.first("field", 0); }),
                 path.string() + ": cannot open"));
}

TEST_CASE("many outputs: the index refers to few files, whatever happens to them" *
          doctest::test_suite("slow")) {
  const Run run;
  int compression = 0;
  SUBCASE("plain") {}
  SUBCASE("compressed") { compression = 3; }
  const auto count = static_cast<std::int64_t>(2 * RunIndex::bundle_size + 40);
  FileWriter writer;
  RunIndex index(run.index, run.fields);
  const auto add = [&](std::int64_t step, float start) {
    std::vector<float> field(15, start);
    const StepRecord record{.shape = index_grid,
                            .spacing = 2,
                            .step = step,
                            .time = static_cast<double>(step) * 0.5,
                            .title = "a test",
                            .fields = {{"field", "field", "1", std::span<const float>(field)}},
                            .provenance = {},
                            .form = {.compression = compression, .round = 1e-5}};
    write_step_file(writer, only_rank(), run.fields / step_file_name(step), record,
                    RowRange::all(index_grid));
    index.add(record);
  };
  std::size_t mapped = 0;
  const auto refers_to = [&] {
    const Hdf5File file = open_hdf5_file(run.index);
    const Hdf5Dataset dataset(H5Dopen2(file, "field", H5P_DEFAULT), "open");
    const Hdf5Properties properties(H5Dget_create_plist(dataset), "read");
    std::set<std::string> names;
    H5Pget_virtual_count(properties, &mapped);
    for (std::size_t i = 0; i < mapped; ++i) {
      std::string name(200, '\0');
      name.resize(static_cast<std::size_t>(
          H5Pget_virtual_filename(properties, i, name.data(), name.size())));
      names.insert(name);
    }
    return names;
  };
  // Reads through HDF5, as other programs do.
  const auto values = [&] {
    const Hdf5File file = open_hdf5_file(run.index);
    const Hdf5Dataset dataset(H5Dopen2(file, "field", H5P_DEFAULT), "open");
    std::vector<float> all(static_cast<std::size_t>(
        H5Sget_simple_extent_npoints(Hdf5Space(H5Dget_space(dataset), "read"))));
    H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
    std::vector<float> first;
    for (std::size_t i = 0; i < all.size(); i += 15) first.push_back(all[i]);
    return first;
  };
  std::vector<float> expected;
  for (std::int64_t step = 0; step < count; ++step) {
    add(step, static_cast<float>(step));
    expected.push_back(static_cast<float>(step));
  }
  write_bytes(run.fields / "bundle-notes.nc", "mine");
  CHECK(index.write().empty());
  CHECK(refers_to().size() == 42);
  CHECK(mapped == 42);  // each bundle in one piece
  {                     // compressed and rounded as its outputs
    const Hdf5File bundle = open_hdf5_file(run.fields / "bundle-000000256.nc");
    const Hdf5Dataset dataset(H5Dopen2(bundle, "field", H5P_DEFAULT), "open");
    CHECK(packed_level(dataset, "field", index_grid, Precision::float32) == compression);
    CHECK(text_of_field(dataset).kept_bits == 16);
  }
  CHECK(values() == expected);
  CHECK(RunIndex(run.index, run.fields).write().empty());  // a new object, as after a restart
  CHECK(refers_to().size() == 42);
  CHECK(values() == expected);

  // A rewritten output replaces its copy in a bundle; a removed output is no longer shown.
  add(0, -1);
  add(300, -3);
  expected[0] = -1, expected[300] = -3;
  index.write();
  CHECK(values() == expected);
  // The times of the files have no effect, as after a copy of the folder.
  const auto later = std::filesystem::last_write_time(run.index) + std::chrono::seconds(2);
  for (const auto& bundle : {"bundle-000000000.nc", "bundle-000000256.nc"})
    if (std::filesystem::exists(run.fields / bundle))
      std::filesystem::last_write_time(run.fields / bundle, later);
  RunIndex(run.index, run.fields).write();
  CHECK(values() == expected);
  std::filesystem::remove(run.fields / step_file_name(7));
  expected.erase(expected.begin() + 7);
  RunIndex(run.index, run.fields).write();
  CHECK(values() == expected);

  // A damaged bundle is written again from the outputs.
  const auto bundle = run.fields / "bundle-000000000.nc";
  std::string bytes = read_bytes(bundle);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_bytes(bundle, bytes);
  RunIndex(run.index, run.fields).write();
  CHECK(values() == expected);
  CHECK(refers_to().size() < 100);
  CHECK_NOTHROW(verify_seal(bundle));

  // A bundle without its step files is removed.
  std::filesystem::remove_all(run.fields);
  std::filesystem::create_directory(run.fields);
  write_bytes(bundle, bytes);
  write_bytes(run.fields / "bundle-notes.nc", "mine");
  run.add(0, false);
  RunIndex(run.index, run.fields).write();
  CHECK(refers_to() == std::set<std::string>{"fields/step-000000000.nc"});
  CHECK(!std::filesystem::exists(bundle));
  CHECK(read_bytes(run.fields / "bundle-notes.nc") == "mine");
}

TEST_CASE("a bundle of outputs of several forms is not compressed" * doctest::test_suite("slow")) {
  const Run run;
  RunIndex index(run.index, run.fields);
  const auto count = static_cast<std::int64_t>(RunIndex::bundle_size);
  for (std::int64_t step = 0; step < count; ++step) {
    const std::vector<double> field(15, static_cast<double>(step) + 0.1);
    StepRecord record{.shape = index_grid,
                      .spacing = 2,
                      .step = step,
                      .time = static_cast<double>(step),
                      .title = "a test",
                      .fields = {{"field", "field", "1", std::span<const double>(field)}},
                      .provenance = {}};
    record.form.compression = step < count / 2 ? 2 : 0;
    if (step % 2 == 1) record.form.precision = Precision::float32;
    write_step_file(run.fields / step_file_name(step), record);
    index.add(record);
  }
  CHECK(index.write().empty());
  const Hdf5File bundle = open_hdf5_file(run.fields / "bundle-000000000.nc");
  const Hdf5Dataset dataset(H5Dopen2(bundle, "field", H5P_DEFAULT), "open");
  CHECK(packed_level(dataset, "field", index_grid, Precision::float64) == 0);
  const DatasetLayout layout = field_layout(dataset, "field");
  CHECK(layout.precision == Precision::float64);
  for (const std::size_t record : {0u, 1u, 254u, 255u}) {
    const double exact = static_cast<double>(record) + 0.1;
    CHECK(std::get<std::vector<double>>(read_values(dataset, "field", layout, record))[14] ==
          (record % 2 == 1 ? static_cast<double>(static_cast<float>(exact)) : exact));
  }
}

TEST_CASE("folders without step files have no index") {
  const Run run;
  CHECK(contains(thrown_message<IoError>([&] { run.write(); }), "holds no step files"));
  std::filesystem::remove(run.fields);
  CHECK(contains(thrown_message<IoError>([&] { run.write(); }), "holds no step files"));
  CHECK(run.folder.entries() == 0);
}

}  // namespace lapl::test
