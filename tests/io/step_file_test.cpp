#include "io/hdf5/step_file.hpp"

#include <array>
#include <cstring>
#include <functional>
#include <limits>

#include "io/durable/durable_file.hpp"
#include "io/hdf5/field_dataset.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "kernels/error.hpp"
#include "tests/io/hdf5_edit.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/io/write_alone.hpp"
#include "tests/test_field.hpp"

namespace lapl::test {
namespace {

constexpr Shape odd_shapes[] = {{1, 1},  {1, 7},     {7, 1},      {2, 2},       {31, 33},
                                {97, 1}, {127, 129}, {1, 100003}, {1021, 1031}, {1500, 2003}};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
StepRecord make_record(Shape shape, const std::vector<T>& field, const std::vector<T>& laplacian) {
  return {.shape = shape,
          .spacing = 0.3,
          .step = 2500,
          .time = 187.5,
          .title = "a test",
          .fields = {{"field", "diffusing field", "1", std::span<const T>(field)},
                     {"laplacian", "Laplacian", "m-2", std::span<const T>(laplacian)}},
          .provenance = {{"version", "0.1.0"},
                         {"config", "grid: {shape: [1, 1]}  # \xC3\xA9\n"},
                         {"parent_checkpoint", ""}},
          .units = {"cm", "h"}};
}

std::string text_attribute(hid_t file, const char* object, const char* name) {
  const Hdf5Handle<H5Oclose> opened(H5Oopen(file, object, H5P_DEFAULT), "open");
  return read_text_attribute(opened, name);
}

}  // namespace

TEST_CASE_TEMPLATE("a writer of many step files makes the same bytes as one of each" *
                       doctest::test_suite("moderate"),
                   T, float, double) {
  const ScratchFolder folder;
  FileWriter writer;
  std::int64_t step = 0;
  for (const auto& [shape, digest] : {std::pair(Shape{5, 7}, "0x1"),
                                      {{5, 7}, "0x2"},
                                      {{5, 7}, "0x34"},
                                      {{1, 1}, "0x1"},
                                      {{1, 1}, "0x3"},
                                      {{1100, 1000}, "0x1"},
                                      {{1100, 1000}, "0x2"},
                                      {{1500, 2003}, "0x2"},
                                      {{1500, 2003}, "0x3"},
                                      {{3, 5, 4, 3}, "0x3"},
                                      {{3, 5, 4, 3}, "0x4"},
                                      {{1, 9}, "0x1"}}) {
    ++step;
    const auto cells = static_cast<std::size_t>(shape.cells());
    std::vector<T> field(cells, static_cast<T>(step) / 3), laplacian(cells, -field[0]);
    StepRecord record = make_record(shape, field, laplacian);
    record.step = step;
    record.time = static_cast<double>(step) * 0.1;
    record.provenance.emplace_back("state_digest", digest);
    write_step_file(writer, only_rank(), folder / "many.nc", record, RowRange::all(shape));
    write_step_file(folder / "one.nc", record);
    CHECK(read_bytes(folder / "many.nc") == read_bytes(folder / "one.nc"));
  }
}

TEST_CASE_TEMPLATE("a step file gives back every bit, at any shape" * doctest::test_suite("slow"),
                   T, float, double) {
  const ScratchFolder folder;
  for (const Shape shape : odd_shapes) {
    CAPTURE(shape.rows);
    CAPTURE(shape.columns);
    auto field = random_field<T>(shape);
    field[0] = std::numeric_limits<T>::quiet_NaN();
    field.back() = -std::numeric_limits<T>::infinity();
    const auto laplacian = random_field<T>(shape, 2);
    const auto path = folder / step_file_name(2500);
    write_step_file(path, make_record(shape, field, laplacian));
    CHECK_NOTHROW(verify_seal(path));
    CHECK(folder.entries() == 1);
    const ReadField read = read_field(path, "field");
    CHECK(read.shape == shape);
    CHECK(same_bits(std::get<std::vector<T>>(read.values), field));
    CHECK(same_bits(std::get<std::vector<T>>(read_field(path, "/laplacian").values), laplacian));
  }
}

TEST_CASE_TEMPLATE("step files of one and three axes read back the same", T, float, double) {
  const ScratchFolder folder;
  const auto path = folder / step_file_name(2500);
  for (const Shape shape : {Shape{1, 300, 1, 1}, {3, 5, 4, 3}, {700, 1000, 5, 3}}) {
    const auto field = random_field<T>(shape), laplacian = random_field<T>(shape, 2);
    write_step_file(path, make_record(shape, field, laplacian));
    const FileContent content = read_content(path);
    CHECK(content.shape == shape);
    CHECK(content.fields == std::vector<std::string>{"field", "laplacian"});
    const ReadField found = read_field(path, "laplacian");
    CHECK(found.shape == shape);
    CHECK(same_bits(std::get<std::vector<T>>(found.values), laplacian));
    const Hdf5File file = open_hdf5_file(path);
    const auto extent = [&](const char* name) {
      return dataset_extent(Hdf5Dataset(H5Dopen2(file, name, H5P_DEFAULT), "open"), name);
    };
    std::vector<hsize_t> expected = {1};
    for (const auto& [axis, length] : shape_axes(shape)) {
      CHECK(extent(axis.position) == std::vector<hsize_t>{static_cast<hsize_t>(length)});
      expected.push_back(static_cast<hsize_t>(length));
    }
    CHECK(extent("field") == expected);
  }
}

TEST_CASE("read_content says what a step file holds") {
  const ScratchFolder folder;
  const auto path = folder / step_file_name(2500);
  const std::vector<double> field(6, 1);
  write_step_file(path, make_record<double>({2, 3}, field, field));
  const FileContent content = read_content(path);
  CHECK(content.kind == "step");
  CHECK(content.shape == Shape{2, 3});
  CHECK(content.spacing == 0.3);
  CHECK(content.steps == std::vector<std::int64_t>{2500});
  CHECK(content.times == std::vector<double>{187.5});
  CHECK(content.fields == std::vector<std::string>{"field", "laplacian"});
  CHECK(content.precision == "float64");
  // Entries are sorted by name; an empty text stays empty.
  CHECK(content.provenance == Provenance{{"config", "grid: {shape: [1, 1]}  # \xC3\xA9\n"},
                                         {"parent_checkpoint", ""},
                                         {"version", "0.1.0"}});
}

TEST_CASE("a step file is CF and VTKHDF") {
  const ScratchFolder folder;
  const auto path = folder / "file.nc";
  const Shape shape = {4, 5};
  const auto values = random_field<float>(shape);
  write_step_file(path, make_record(shape, values, values));
  const Hdf5Session session;
  const Hdf5File file = open_hdf5_file(path);
  CHECK(text_attribute(file, "/field", "coordinates") == "step");
  CHECK(text_attribute(file, "time", "axis") == "T");
  CHECK(text_attribute(file, "time", "units") == "h");
  CHECK(text_attribute(file, "x", "units") == "cm");
  for (const char* axis : {"x", "y"}) {
    CHECK(text_attribute(file, axis, "CLASS") == "DIMENSION_SCALE");
    CHECK(text_attribute(file, axis, "axis").empty());
  }
  CHECK(text_attribute(file, "VTKHDF", "Type") == "ImageData");
  CHECK(read_array<double>(file, "y", 9) == std::vector<double>{0, 0.3, 0.6, 3 * 0.3});

  // VTK's image is the field without its time axis.
  const Hdf5Dataset image(H5Dopen2(file, "VTKHDF/PointData/laplacian", H5P_DEFAULT), "open");
  const DatasetLayout layout = field_layout(image, "laplacian");
  CHECK(layout.axes == 2);
  CHECK(layout.shape == shape);
  CHECK(
      same_bits(std::get<std::vector<float>>(read_values(image, "laplacian", layout, 0)), values));
  CHECK(H5Lexists(file, "VTKHDF/Steps", H5P_DEFAULT) == 0);
}

TEST_CASE("the same record makes the same bytes") {
  const ScratchFolder folder;
  const auto values = random_field<float>({50, 60});
  write_step_file(folder / "a.nc", make_record<float>({50, 60}, values, values));
  write_step_file(folder / "b.nc", make_record<float>({50, 60}, values, values));
  CHECK(read_bytes(folder / "a.nc") == read_bytes(folder / "b.nc"));
}

TEST_CASE("chunks are bands of whole rows, 4 to 32 MiB, unless the grid is smaller") {
  for (const std::size_t size : {4, 8})
    for (const Shape grid : {Shape{1, 1},
                             {2000, 2000},
                             {16384, 16384},
                             {8, 1000003},
                             {1000003, 8},
                             {100003, 4099},
                             {3, 4000000}}) {
      CAPTURE(grid.rows);
      CAPTURE(grid.columns);
      const Shape chunk = chunk_shape(grid, size);
      const double mebibytes =
          static_cast<double>(chunk.cells() * static_cast<int>(size)) / (1 << 20);
      CHECK(chunk.columns == grid.columns);
      CHECK(chunk.rows <= grid.rows);
      CHECK(mebibytes <= 32);
      if (chunk != grid) CHECK(mebibytes >= 4);
      // Padding takes less than one row per band.
      CHECK(stored_size(grid, size) <
            static_cast<std::size_t>(grid.cells() + grid.rows / chunk.rows * grid.columns +
                                     grid.columns) *
                size);
    }
  CHECK(chunk_shape({1, std::int64_t{1} << 33}, 4) == Shape{1, 1 << 23});
}

TEST_CASE("a damaged step file is refused with its name and the reason") {
  const ScratchFolder folder;
  const auto path = folder / step_file_name(0);
  const auto values = random_field<float>({9, 9});
  write_step_file(path, make_record<float>({9, 9}, values, values));
  const std::string good = read_bytes(path);
  const auto message = [&] { return thrown_message<IoError>([&] { read_field(path, "field"); }); };

  std::string bad = good;
  bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
  write_bytes(path, bad);
  CHECK(message() ==
        path.string() + ": the bytes differ from what was sealed (the file is damaged)");
  CHECK_THROWS_AS(read_content(path), IoError);

  // HDF5 can read the file without its seal, but it must not be accepted as another program's file.
  for (const std::size_t cut : {1, 40}) {
    write_bytes(path, good.substr(0, good.size() - cut));
    CHECK(message() ==
          path.string() + ": has no seal: it is truncated, or was changed after lapl wrote it");
  }
  write_bytes(path, good.substr(0, good.size() / 2));
  CHECK(contains(message(), path.string() + ": cannot open as HDF5: "));
  write_bytes(path, good);
  CHECK(contains(thrown_message<IoError>([&] { read_field(path, "fields"); }),
                 path.string() + ": no dataset fields; the file holds "));
  CHECK(contains(thrown_message<IoError>([&] { read_field(path, "field", 1); }),
                 "dataset field has no record 1, only 1 from 0 on"));
}

TEST_CASE("records that cannot be written are refused and leave nothing") {
  const ScratchFolder folder;
  const auto path = folder / "file.nc";
  const std::vector<float> values(6);
  StepRecord record = make_record<float>({2, 3}, values, values);
  record.shape = {2, 4};
  CHECK(contains(thrown_message<IoError>([&] { write_step_file(path, record); }),
                 path.string() + ": field field has 6 values, but the grid has 8"));
  record = make_record<float>({2, 3}, values, values);
  record.fields[1].name = "time";
  CHECK(contains(thrown_message<IoError>([&] { write_step_file(path, record); }),
                 path.string() + ": cannot create dataset time: "));
  CHECK(folder.entries() == 0);
}

TEST_CASE("names of step files and steps correspond one to one") {
  CHECK(step_file_name(2500) == "step-000002500.nc");
  CHECK(step_file_name(12345678901) == "step-12345678901.nc");
  for (const std::int64_t step : {0LL, 7LL, 999999999LL, 12345678901LL})
    CHECK(step_of_file_name(step_file_name(step)) == step);
  for (const char* name :
       {"", "step-.nc", "step-7.nc", "step-000000007.h5", "step--00000007.nc", "step-+00000007.nc",
        ".step-000000007.nc.tmp-1", "step-0000000070.nc", "step-00000000x.nc", "fields.nc",
        "step-.n", "step-99999999999999999999.nc"})
    CHECK_MESSAGE(step_of_file_name(name) == -1, name);
}

TEST_CASE("a step file whose parts contradict each other is refused, even if its seal matches") {
  const ScratchFolder folder;
  const auto path = folder / step_file_name(40);
  const std::vector<float> values(6);
  const auto replaced = [](const char* name, hid_t type, std::vector<hsize_t> extent,
                           const std::vector<double>& with) {
    return [=](hid_t file) {
      remove_link(file, name);
      make_dataset(file, name, type, extent, with.data(), H5T_NATIVE_DOUBLE);
    };
  };
  const auto spaced = [](double spacing) {
    return [=](hid_t file) {
      H5Adelete(file, "lapl_grid_spacing");
      write_attribute(file, "lapl_grid_spacing", std::vector{spacing});
    };
  };
  const auto write = [&] {
    write_step_file(path, {.shape = {2, 3},
                           .step = 40,
                           .time = 10,
                           .title = "",
                           .fields = {{"field", "", "1", std::span<const float>(values)},
                                      {"other", "", "1", std::span<const float>(values)}},
                           .provenance = {}});
  };
  write();  // first: naming HDF5's types would set HDF5 up without a session
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> many(100);
  const std::pair<std::function<void(hid_t)>, std::string> cases[] = {
      {replaced("y", H5T_IEEE_F64LE, {100}, many),
       "dataset field is 1 x 2 x 3, but its axes are 1 x 100 x 3"},
      {replaced("x", H5T_IEEE_F64LE, {0}, {}), "has a grid without cells"},
      {replaced("x", H5T_IEEE_F64LE, {3}, {-infinity, 0, 1}), "axis x begins at -inf"},
      {replaced("field", H5T_IEEE_F32LE, {1, 10, 10}, many),
       "dataset field is 1 x 10 x 10, but its axes are 1 x 2 x 3"},
      {replaced("field", H5T_IEEE_F32LE, {2, 2, 3}, many), "dataset field is 2 x 2 x 3, but"},
      {replaced("other", H5T_IEEE_F64LE, {1, 2, 3}, many),
       "dataset other is float64, but field is"},
      {replaced("step", H5T_STD_I64LE, {1}, {41}), "holds step 41, but its name says 40"},
      {replaced("step", H5T_STD_I64LE, {1}, {-1}), "record 0 is of step -1 and time 10"},
      {replaced("step", H5T_STD_I64LE, {2}, {40, 50}), "has 1 times, but 2 steps"},
      {replaced("time", H5T_IEEE_F64LE, {1}, {infinity}), "record 0 is of step 40 and time inf"},
      {replaced("time", H5T_IEEE_F64LE, {0}, {}), "has 0 times, but 1 steps"},
      {spaced(0), "attribute lapl_grid_spacing is 0"},
      {spaced(infinity), "attribute lapl_grid_spacing is inf"}};
  for (const auto& [edit, reason] : cases) {
    write();
    edit_sealed(path, edit);
    const std::string message = thrown_message<IoError>([&] { read_content(path); });
    CAPTURE(message);
    CHECK(message.starts_with(path.string() + ": "));
    CHECK(contains(message, reason));
  }
}
}  // namespace lapl::test
