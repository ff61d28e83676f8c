#include "io/hdf5/checkpoint.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>

#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/digest.hpp"
#include "tests/io/hdf5_edit.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/io/write_alone.hpp"
#include "tests/test_field.hpp"

namespace lapl::test {
namespace {

template <class T>
CheckpointHeader make_header(Shape shape, const std::vector<T>& values) {
  return {.config = "grid:\n  shape: [2, 3]  # \xC3\xA9\n",
          .shape = shape,
          .step = 12345678901,
          .time_step = 0.1,
          .coefficient = std::bit_cast<double>(0x3FCFFFFFFFFFFFFFu),
          .state_digest = field_digest(std::span(values)),
          .missing_outputs = {7, 12345678900},
          .output_list = OutputListMark{12345678901, 0xFFFFFFFFFFFFFFFFu}};
}

template <class T>
void write_sample(const std::filesystem::path& path, Shape shape) {
  const auto values = random_field<T>(shape);
  write_checkpoint(path, make_header(shape, values), std::span<const T>(values));
}

void ignore(FieldView) {}

/// Reading in pieces, or by rows, must give the same values as reading at once.
template <class T>
void check_parts(const std::filesystem::path& path, const CheckpointHeader& header,
                 std::span<const T> state) {
  std::vector<T> scanned;
  const Checkpoint found = scan_checkpoint(path, [&](FieldView piece) {
    const auto values = std::get<std::span<const T>>(piece);
    scanned.insert(scanned.end(), values.begin(), values.end());
  });
  CHECK(found.header.config == header.config);
  CHECK(found.header.output_list == header.output_list);
  CHECK(std::get<std::vector<T>>(found.values).empty());
  CHECK(same_bits<T>(scanned, state));
  const Shape shape = header.shape;
  const std::int64_t all = RowRange::all(shape).count;
  for (const RowRange rows : {RowRange{0, all}, RowRange{all / 3, all - all / 3 - all / 4},
                              RowRange{all / 2, 1}, RowRange{}}) {
    const FieldValues read = read_checkpoint_rows(path, rows);
    std::vector<T> expected;
    for (std::size_t first = 0; first < state.size(); first += shape.cells()) {
      const auto part =
          state.subspan(first + rows.first * shape.columns, rows.count * shape.columns);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    CHECK(same_bits<T>(std::get<std::vector<T>>(read), expected));
  }
}

}  // namespace

TEST_CASE("a checkpoint holds every field of a state, and reads back only whole") {
  const ScratchFolder folder;
  const auto path = folder / "c.h5";
  const Shape shape{4, 5, 3, 3};
  const auto state = random_field<double>({2 * 4 * 3, 5});
  CheckpointHeader header = make_header(shape, state);
  header.fields = {"u", "v"};
  write_checkpoint(path, header, std::span<const double>(state));
  const Checkpoint read = read_checkpoint(path);
  CHECK(read.header.fields == header.fields);
  CHECK(same_bits<double>(std::get<std::vector<double>>(read.values), state));
  check_parts<double>(path, header, state);
  CHECK(read_content(path).fields == header.fields);
  const ReadField v = read_field(path, "v");
  CHECK(v.shape == shape);
  CHECK(same_bits<double>(std::get<std::vector<double>>(v.values), std::span(state).subspan(60)));
  header.fields = {"u", "v", "w"};
  CHECK_THROWS_WITH_AS(write_checkpoint(path, header, std::span<const double>(state)),
                       doctest::Contains("field u has 40 values, but the grid has 60"), IoError);
}

TEST_CASE_TEMPLATE("a writer of many checkpoints makes the same bytes as one of each" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  const ScratchFolder folder;
  FileWriter writer;
  unsigned step = 0;
  for (const Shape shape :
       {Shape{2, 3}, {2, 3}, {300, 700}, {1500, 2003}, {1500, 2003}, {3, 5, 4, 3}}) {
    const auto values = random_field<T>({2 * shape.cells(), 1}, ++step);
    CheckpointHeader header = make_header(shape, values);
    header.fields = {"u", "v"};
    header.step = step;
    header.output_list = OutputListMark{step, 7};
    const std::span<const T> state = values;
    write_checkpoint(writer, only_rank(), folder / "many.h5", header, RowRange::all(shape), state);
    write_checkpoint(folder / "one.h5", header, state);
    CHECK(read_bytes(folder / "many.h5") == read_bytes(folder / "one.h5"));
  }
}

TEST_CASE_TEMPLATE("a checkpoint gives back every bit, at any shape" * doctest::test_suite("slow"),
                   T, float, double) {
  const ScratchFolder folder;
  const auto path = folder / checkpoint_file_name(7);
  for (const Shape shape : {Shape{1, 1},
                            {1, 7},
                            {7, 1},
                            {31, 33},
                            {1, 100003},
                            {1021, 1031},
                            {1500, 2003},
                            {1, 77, 1, 1},
                            {3, 5, 4, 3},
                            {300, 301, 53, 3}}) {
    CAPTURE(shape_text(shape));
    auto values = random_field<T>(shape);
    values[0] = std::numeric_limits<T>::quiet_NaN();
    const CheckpointHeader header = make_header(shape, values);
    write_checkpoint(path, header, std::span<const T>(values));
    CHECK(folder.entries() == 1);
    const Checkpoint read = read_checkpoint(path);
    CHECK(read.header.config == header.config);
    CHECK(read.header.shape == shape);
    CHECK(read.header.step == header.step);
    CHECK(as_bits(read.header.time_step) == as_bits(header.time_step));
    CHECK(as_bits(read.header.coefficient) == as_bits(header.coefficient));
    CHECK(read.header.state_digest == header.state_digest);
    CHECK(read.header.output_list == header.output_list);
    CHECK(read.header.missing_outputs == header.missing_outputs);
    const auto& read_values = std::get<std::vector<T>>(read.values);
    REQUIRE(read_values.size() == values.size());
    CHECK(std::memcmp(read_values.data(), values.data(), values.size() * sizeof(T)) == 0);
    check_parts<T>(path, header, values);
  }
}

TEST_CASE("a checkpoint can lack outputs and config") {
  const ScratchFolder folder;
  const std::vector<double> values = {-0.0};
  CheckpointHeader header{.config = "",
                          .shape = {1, 1},
                          .state_digest = field_digest(std::span(values)),
                          .missing_outputs = {}};
  write_checkpoint(folder / "c.h5", header, std::span<const double>(values));
  const Checkpoint read = read_checkpoint(folder / "c.h5");
  CHECK(read.header.config.empty());
  CHECK(read.header.output_list == OutputListMark());
}

TEST_CASE("a checkpoint of an earlier version names its outputs itself") {
  const ScratchFolder folder;
  const auto path = folder / "c.h5";
  write_sample<float>(path, {2, 3});
  edit_sealed(path, [](hid_t file) {
    remove_link(file, "output_list");
    write_text(file, "output_names", "step-000000000.nc\na b\n");
    write_array(file, "output_digests", std::vector<std::uint64_t>{0, ~std::uint64_t{0}})
        .close("close");
  });
  using Outputs = std::vector<std::pair<std::string, std::uint64_t>>;
  CHECK(read_checkpoint(path).header.outputs ==
        Outputs{{"step-000000000.nc", 0}, {"a b", ~std::uint64_t{0}}});
  edit_sealed(path, [](hid_t file) {
    remove_link(file, "output_names");
    write_text(file, "output_names", "one\n");
  });
  CHECK(contains(thrown_message<CheckpointError>([&] { read_checkpoint(path); }),
                 "has 1 output names, but 2 digests"));
}

TEST_CASE("inspect reads a checkpoint like any other file") {
  const ScratchFolder folder;
  write_sample<float>(folder / "c.h5", {2, 3});
  const FileContent content = read_content(folder / "c.h5");
  CHECK(content.kind == "checkpoint");
  CHECK(content.shape == Shape{2, 3});
  CHECK(content.steps == std::vector<std::int64_t>{12345678901});
  CHECK(content.fields == std::vector<std::string>{"field"});
  CHECK(content.precision == "float32");
  CHECK(std::get<std::vector<float>>(read_field(folder / "c.h5", "field").values) ==
        random_field<float>({2, 3}));
}

TEST_CASE("a change of any byte, or a cut at any length, makes a checkpoint unusable") {
  const ScratchFolder folder;
  const auto path = folder / "c.h5";
  write_sample<float>(path, {2, 3});
  const std::string good = read_bytes(path);
  for (std::size_t i = 0; i < good.size(); i += i + 100 < good.size() ? 7 : 1) {
    CAPTURE(i);
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    write_bytes(path, bad);
    CHECK_THROWS_AS(read_checkpoint(path), CheckpointError);
    CHECK_THROWS_AS(scan_checkpoint(path, ignore), CheckpointError);
    write_bytes(path, good.substr(0, i));
    CHECK_THROWS_AS(read_checkpoint(path), CheckpointError);
    CHECK_THROWS_AS(scan_checkpoint(path, ignore), CheckpointError);
  }
}

TEST_CASE("each reason why a checkpoint cannot be used is named, even if its seal matches") {
  using Edit = std::function<void(hid_t)>;
  const auto replace = [](const char* name, hid_t type, std::vector<hsize_t> extent,
                          const void* values, hid_t memory_type) {
    return [=](hid_t file) {
      remove_link(file, name);
      make_dataset(file, name, type, extent, values, memory_type);
    };
  };
  const Hdf5Session session;
  static const std::array<std::int64_t, 2> shape = {3, 2}, no_rows = {0, 6};
  static const std::int64_t negative = -1, version = 2;
  static const std::uint64_t digest = 1;
  static const std::array<double, 6> values{};
  struct Case {
    Edit edit;
    std::string reason;
  };
  const Case cases[] = {
      {replace("state_digest", H5T_STD_U64LE, {1}, &digest, H5T_NATIVE_UINT64),
       ", but the header says 0x0000000000000001"},
      {replace("field", H5T_IEEE_F32LE, {2, 3}, values.data(), H5T_NATIVE_DOUBLE),
       "state digest is 0x"},
      {replace("shape", H5T_STD_I64LE, {2}, shape.data(), H5T_NATIVE_INT64),
       "dataset field is 2 x 3, but shape says 3 x 2"},
      {replace("shape", H5T_STD_I64LE, {2}, no_rows.data(), H5T_NATIVE_INT64),
       "dataset shape is not one to three numbers from 1 on"},
      {replace("step", H5T_STD_I64LE, {1}, &negative, H5T_NATIVE_INT64),
       "dataset step is negative"},
      {replace("step", H5T_STD_I32LE, {1}, &negative, H5T_NATIVE_INT64),
       "dataset step is of another type than lapl writes"},
      {replace("output_list", H5T_STD_U64LE, {1}, &digest, H5T_NATIVE_UINT64),
       "dataset output_list has 1 values, not 2"},
      {replace("field", H5T_STD_I32LE, {2, 3}, values.data(), H5T_NATIVE_DOUBLE),
       "dataset field is neither float32 nor float64"},
      {replace("field", H5T_IEEE_F32LE, {1, 2, 3}, values.data(), H5T_NATIVE_DOUBLE),
       "dataset field has 3 axes, not 2"},
      {replace("field", H5T_IEEE_F32LE, {1 << 20, 1 << 20}, nullptr, H5T_NATIVE_DOUBLE),
       "but a file of this length holds at most"},
      {[](hid_t file) { remove_link(file, "field"); },
       "no dataset field; the file holds coefficient_bits, config, "},
      {[](hid_t file) { remove_link(file, "config"); },
       "no dataset config; the file holds coefficient_bits, field, "},
      {[](hid_t file) {
         H5Adelete(file, "lapl_format_version");
         write_attribute(file, "lapl_format_version", std::vector{version});
       },
       "has version 2 of the checkpoint format; this program reads version 1"},
      {[](hid_t file) { H5Adelete(file, "lapl_format"); }, "is not a file of lapl"},
      {[](hid_t file) {
         remove_link(file, "field");
         H5Lcreate_external("other.h5", "/field", file, "field", H5P_DEFAULT, H5P_DEFAULT);
       },
       "dataset field is behind a link to another file"},
  };
  const ScratchFolder folder;
  const auto path = folder / "c.h5";
  for (const Case& wrong : cases) {
    write_sample<float>(path, {2, 3});
    edit_sealed(path, wrong.edit);
    const auto message = thrown_message<CheckpointError>([&] { read_checkpoint(path); });
    CAPTURE(message);
    CHECK(message.starts_with(path.string() + ": "));
    CHECK(contains(message, wrong.reason));
    CHECK(contains(thrown_message<CheckpointError>([&] { scan_checkpoint(path, ignore); }),
                   wrong.reason));
    CHECK(message.find(path.string(), 1) == std::string::npos);  // the name appears once
  }
}

TEST_CASE("a file that is no checkpoint is refused with the reason") {
  const ScratchFolder folder;
  const auto path = folder / "c.h5";
  const auto message = [&] {
    const auto found = thrown_message<CheckpointError>([&] { read_checkpoint(path); });
    CHECK(thrown_message<CheckpointError>([&] { scan_checkpoint(path, ignore); }) == found);
    return found;
  };
  CHECK(message() == path.string() + ": cannot open: No such file or directory");
  write_bytes(path, "");
  CHECK(contains(message(), "has no seal (only 0 bytes"));
  write_sealed(path, 0, [](const auto& scratch) { write_bytes(scratch, "not HDF5"); });
  CHECK(contains(message(), path.string() + ": cannot open as HDF5: "));
  const std::vector<float> values(6);
  write_step_file(path, {.shape = {2, 3},
                         .title = "",
                         .fields = {{"field", "", "1", std::span<const float>(values)}},
                         .provenance = {}});
  CHECK(message() == path.string() + ": is a step file of lapl, not a checkpoint");
}

TEST_CASE("checkpoints are listed newest first, without unfinished ones") {
  const ScratchFolder folder;
  for (const std::int64_t step : {7LL, 12345678901LL, 2500LL})
    write_bytes(folder / checkpoint_file_name(step), "");
  for (const char* name : {".step-000000009.h5.tmp-17", "step-9.h5", "step-000000009.nc", "x"})
    write_bytes(folder / name, "");
  CHECK(list_checkpoints(folder.path()) ==
        std::vector<std::filesystem::path>{folder / "step-12345678901.h5",
                                           folder / "step-000002500.h5",
                                           folder / "step-000000007.h5"});
  CHECK(list_checkpoints(folder / "none").empty());
}

TEST_CASE("a checkpoint that holds less than it declares is refused before memory is taken") {
  const ScratchFolder folder;
  const auto path = folder / "c.h5";
  write_sample<float>(path, {2, 3});
  edit_sealed(path, [](hid_t file) {
    const std::array<hsize_t, 2> chunk = {1, 3};
    const Hdf5Properties properties(H5Pcreate(H5P_DATASET_CREATE), "make properties");
    check_hdf5(H5Pset_chunk(properties, 2, chunk.data()), "set chunks");
    remove_link(file, "field");
    make_dataset(file, "field", H5T_IEEE_F32LE, {2, 3}, nullptr, H5I_INVALID_HID, properties);
  });
  CHECK(contains(thrown_message<CheckpointError>([&] { read_checkpoint(path); }),
                 "dataset field is chunked, as lapl does not write it"));
  CHECK_THROWS_AS(read_content(path), IoError);
}
}  // namespace lapl::test
