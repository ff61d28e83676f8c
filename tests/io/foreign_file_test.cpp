// HDF5 files of other programs: values that are read, and files that are refused before any value
// is read.
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cmath>
#include <future>
#include <numeric>

#include "io/config/config.hpp"
#include "io/durable/posix_file.hpp"
#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/images/image.hpp"
#include "kernels/error.hpp"
#include "tests/io/hdf5_edit.hpp"
#include "tests/io/scratch_folder.hpp"

namespace lapl::test {
namespace {

constexpr std::array<double, 12> twelve = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/// Creates a file with a dataset "data" of this type and extent, and reads record `record` of it.
ReadField read_made(const std::filesystem::path& path, hid_t type, std::vector<hsize_t> extent,
                    std::size_t record = 0, hid_t properties = H5P_DEFAULT) {
  std::filesystem::remove(path);
  edit_hdf5(path, [&](hid_t file) {
    make_dataset(file, "data", type, extent, twelve.data(), H5T_NATIVE_DOUBLE, properties);
  });
  return read_field(path, "data", record);
}

std::vector<double> widened(const FieldValues& held) {
  return std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); }, held);
}

Hdf5Properties chunked() {
  Hdf5Properties properties(H5Pcreate(H5P_DATASET_CREATE), "make properties");
  const std::array<hsize_t, 2> chunk = {2, 2};
  check_hdf5(H5Pset_chunk(properties, 2, chunk.data()), "set chunks");
  return properties;
}

}  // namespace

TEST_CASE("numbers of any type and byte order are converted") {
  const ScratchFolder folder;
  const Hdf5Session session;
  const std::vector<double> expected(twelve.begin(), twelve.end());
  for (const hid_t type : {H5T_IEEE_F32LE, H5T_IEEE_F32BE}) {
    const ReadField read = read_made(folder / "f.h5", type, {3, 4});
    CHECK(read.shape == Shape{3, 4});
    CHECK(std::holds_alternative<std::vector<float>>(read.values));
    CHECK(widened(read.values) == expected);
  }
  for (const hid_t type : {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_STD_I8BE, H5T_STD_U16BE,
                           H5T_STD_I32LE, H5T_STD_U64BE, H5T_NATIVE_LDOUBLE}) {
    const ReadField read = read_made(folder / "f.h5", type, {3, 4});
    CHECK(std::holds_alternative<std::vector<double>>(read.values));
    CHECK(widened(read.values) == expected);
  }
}

TEST_CASE("packed numbers are unpacked, and fill values are none, as netCDF says") {
  const ScratchFolder folder;
  const Hdf5Session session;
  const auto path = folder / "f.nc";
  const auto read_with = [&](hid_t type, std::vector<std::pair<const char*, double>> attributes) {
    std::filesystem::remove(path);
    edit_hdf5(path, [&](hid_t file) {
      make_dataset(file, "data", type, {3, 4}, twelve.data(), H5T_NATIVE_DOUBLE);
      const Hdf5Dataset data(H5Dopen2(file, "data", H5P_DEFAULT), "open");
      for (const auto& [name, number] : attributes)
        write_attribute(data, name, std::vector{number});
    });
    return read_field(path, "data", 0).values;
  };
  for (const hid_t type : {H5T_STD_I16LE, H5T_IEEE_F32LE, H5T_IEEE_F64LE}) {
    const auto packed = read_with(type, {{"scale_factor", 0.1}, {"add_offset", 250}});
    for (std::size_t i = 0; i < 12; ++i)
      CHECK(std::get<std::vector<double>>(packed)[i] == 0.1 * twelve.at(i) + 250);
    for (const char* const name : {"_FillValue", "missing_value"}) {
      const auto values = widened(read_with(type, {{name, 7}}));
      for (std::size_t i = 0; i < 12; ++i)
        CHECK((i == 7 ? std::isnan(values[i]) : values[i] == twelve.at(i)));
    }
    const auto all = widened(read_with(type, {{"scale_factor", 2}, {"_FillValue", 3}}));
    CHECK(std::isnan(all[3]));
    CHECK(all[6] == 12);
  }
  CHECK(std::holds_alternative<std::vector<float>>(read_with(H5T_IEEE_F32LE, {{"_FillValue", 3}})));
  edit_hdf5(path, [](hid_t file) {
    const Hdf5Dataset data(H5Dopen2(file, "data", H5P_DEFAULT), "open");
    write_attribute(data, "scale_factor", "often");
  });
  CHECK_THROWS_AS(read_field(path, "data", 0), IoError);
}

TEST_CASE("a leading axis counts records") {
  const ScratchFolder folder;
  const Hdf5Session session;
  const auto path = folder / "f.h5";
  CHECK(widened(read_made(path, H5T_IEEE_F64LE, {3, 2, 2}, 1).values) ==
        std::vector<double>{4, 5, 6, 7});
  CHECK(read_made(path, H5T_IEEE_F64LE, {1, 3, 4}).shape == Shape{3, 4});
  CHECK(contains(thrown_message<IoError>([&] {
                   read_made(path, H5T_IEEE_F64LE, {3, 2, 2}, 3);
                 }),
                 path.string() + ": dataset data has no record 3, only 3 from 0 on"));
  CHECK(contains(thrown_message<IoError>([&] {
                   read_made(path, H5T_IEEE_F64LE, {2, 1, 3, 2});
                 }),
                 "dataset data has the axes (2, 1, 3, 2) (expected (columns), (rows, columns) or "
                 "(time, rows, columns), or these behind axes of length 1)"));
}

TEST_CASE("leading axes of length 1 do not count") {
  const ScratchFolder folder;
  const Hdf5Session session;
  for (const std::vector<hsize_t>& extent :
       {std::vector<hsize_t>{1, 1, 3, 4}, {1, 1, 1, 1, 3, 4}}) {
    const ReadField read = read_made(folder / "f.h5", H5T_IEEE_F64LE, extent);
    CHECK(read.shape == Shape{3, 4});
    CHECK(read.records == 1);
    CHECK(widened(read.values)[11] == 11);
  }
  const ReadField second = read_made(folder / "f.h5", H5T_IEEE_F64LE, {1, 3, 2, 2}, 1);
  CHECK(second.records == 3);
  CHECK(widened(second.values) == std::vector<double>{4, 5, 6, 7});
}

TEST_CASE("a dataset of one axis is one row") {
  const ScratchFolder folder;
  const Hdf5Session session;
  const ReadField row = read_made(folder / "f.h5", H5T_IEEE_F64LE, {12});
  CHECK(row.shape == Shape{1, 12});
  CHECK(row.one_axis);
  CHECK_FALSE(read_made(folder / "f.h5", H5T_IEEE_F64LE, {1, 12}).one_axis);
}

TEST_CASE("deflate, shuffle and fletcher32 are read, other filters are refused") {
  const ScratchFolder folder;
  const Hdf5Session session;
  const auto path = folder / "f.h5";
  const Hdf5Properties good = chunked();
  check_hdf5(H5Pset_shuffle(good), "set a filter");
  check_hdf5(H5Pset_deflate(good, 6), "set a filter");
  check_hdf5(H5Pset_fletcher32(good), "set a filter");
  CHECK(widened(read_made(path, H5T_IEEE_F64LE, {3, 4}, 0, good).values)[11] == 11);
  const Hdf5Properties bad = chunked();
  check_hdf5(H5Pset_scaleoffset(bad, H5Z_SO_INT, 0), "set a filter");
  CHECK(contains(
      thrown_message<IoError>([&] {
        read_made(path, H5T_STD_I32LE, {3, 4}, 0, bad);
      }),
      path.string() + ": dataset data uses HDF5 filter 6 (scaleoffset), but only deflate"));
}

TEST_CASE("values that are not numbers are refused") {
  const ScratchFolder folder;
  const auto path = folder / "f.h5";
  edit_hdf5(path, [](hid_t file) {
    const Hdf5Type complex(H5Tcreate(H5T_COMPOUND, 16), "make a type");
    check_hdf5(H5Tinsert(complex, "r", 0, H5T_IEEE_F64LE), "make a type");
    check_hdf5(H5Tinsert(complex, "i", 8, H5T_IEEE_F64LE), "make a type");
    make_dataset(file, "complex", complex, {2, 3}, nullptr);
    make_dataset(file, "text", H5T_C_S1, {2, 3}, nullptr);
    check_hdf5(H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)), "group");
  });
  for (const char* name : {"complex", "text"}) CHECK_THROWS_AS(read_field(path, name), IoError);
  CHECK(contains(thrown_message<IoError>([&] { read_field(path, "group"); }),
                 path.string() + ": no dataset group; the file holds complex, text"));
  CHECK(contains(thrown_message<IoError>([&] { read_content(path); }),
                 path.string() + ": holds no dataset that can be read as a field: dataset "));
}

TEST_CASE("links inside the file are followed, links to other files are not") {
  const ScratchFolder folder;
  const auto path = folder / "f.h5";
  edit_hdf5(folder / "other.h5", [](hid_t file) {
    make_dataset(file, "data", H5T_IEEE_F64LE, {3, 4}, twelve.data(), H5T_NATIVE_DOUBLE);
  });
  edit_hdf5(path, [](hid_t file) {
    make_dataset(file, "data", H5T_IEEE_F64LE, {3, 4}, twelve.data(), H5T_NATIVE_DOUBLE);
    H5Lcreate_soft("/data", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/", file, "outside", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/outside/data", file, "detour", H5P_DEFAULT, H5P_DEFAULT);
  });
  CHECK(read_field(path, "/soft").shape == Shape{3, 4});
  for (const char* name : {"outside/data", "detour"})
    CHECK(contains(thrown_message<IoError>([&] { read_field(path, name); }),
                   "is behind a link to another file: not followed"));
  CHECK(read_content(path).fields == std::vector<std::string>{"data"});
}

TEST_CASE("values in other files are refused") {
  const ScratchFolder folder;
  const auto path = folder / "f.h5";
  write_bytes(folder / "raw", std::string(96, '\0'));
  edit_hdf5(path, [&](hid_t file) {
    const Hdf5Properties external(H5Pcreate(H5P_DATASET_CREATE), "make properties");
    check_hdf5(H5Pset_external(external, (folder / "raw").c_str(), 0, 96), "set external storage");
    make_dataset(file, "external", H5T_IEEE_F64LE, {3, 4}, nullptr, H5I_INVALID_HID, external);
    const std::array<hsize_t, 2> extent = {3, 4};
    const Hdf5Space space(H5Screate_simple(2, extent.data(), nullptr), "make a space");
    const Hdf5Properties mapped(H5Pcreate(H5P_DATASET_CREATE), "make properties");
    check_hdf5(H5Pset_virtual(mapped, space, "other.h5", "/data", space), "map");
    make_dataset(file, "virtual", H5T_IEEE_F64LE, {3, 4}, nullptr, H5I_INVALID_HID, mapped);
  });
  CHECK(contains(thrown_message<IoError>([&] { read_field(path, "external"); }),
                 path.string() + ": dataset external keeps its values in external files"));
  CHECK(contains(thrown_message<IoError>([&] { read_field(path, "virtual"); }),
                 path.string() + ": dataset virtual is virtual"));
}

TEST_CASE("sizes that the file cannot hold are refused before memory is taken") {
  const ScratchFolder folder;
  const auto path = folder / "f.h5";
  edit_hdf5(path, [](hid_t file) {
    make_dataset(file, "plain", H5T_IEEE_F64LE, {1 << 20, 1 << 20}, nullptr);
    const Hdf5Properties deflated = chunked();
    check_hdf5(H5Pset_deflate(deflated, 9), "set a filter");
    make_dataset(file, "chunked", H5T_IEEE_F64LE, {1u << 31, 1u << 31}, nullptr, H5I_INVALID_HID,
                 deflated);
    make_dataset(file, "empty", H5T_IEEE_F64LE, {0, 4}, nullptr);
  });
  CHECK(contains(thrown_message<IoError>([&] { read_field(path, "plain"); }),
                 "dataset plain declares 8.8 TB, but a file of this length holds"));
  CHECK(contains(thrown_message<IoError>([&] { read_field(path, "chunked"); }),
                 "dataset chunked declares over 18 EB"));
  CHECK(contains(thrown_message<IoError>([&] { read_field(path, "empty"); }), "holds no values"));
}

TEST_CASE(
    "a missing dataset's message lists those that exist, and content lists those that can be "
    "read") {
  const ScratchFolder folder;
  const auto path = folder / "f.h5";
  edit_hdf5(path, [](hid_t file) {
    const Hdf5Group group(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                          "group");
    make_dataset(group, "inner", H5T_IEEE_F32BE, {3, 4}, twelve.data(), H5T_NATIVE_DOUBLE);
    make_dataset(file, "line", H5T_IEEE_F64LE, {12}, twelve.data(), H5T_NATIVE_DOUBLE);
  });
  CHECK(thrown_message<IoError>([&] { read_field(path, "/none"); }) ==
        path.string() + ": no dataset /none; the file holds group/inner, line");
  const FileContent content = read_content(path);
  CHECK(content.kind == "hdf5");
  CHECK(content.fields == std::vector<std::string>{"group/inner"});
  CHECK(content.shape == Shape{3, 4});
  CHECK(content.precision == "float32");
  CHECK(content.steps.empty());
}

TEST_CASE("files that are not HDF5 are refused with the name and the reason") {
  const ScratchFolder folder;
  const auto path = folder / "f.h5";
  CHECK(thrown_message<IoError>([&] { read_field(path, "data"); }) ==
        path.string() + ": cannot open: No such file or directory");
  for (const std::string& bytes :
       {std::string(), std::string("\x89HDF\r\n\x1a\n", 8), std::string(5000, 'x')}) {
    write_bytes(path, bytes);
    CHECK(contains(thrown_message<IoError>([&] { read_field(path, "data"); }),
                   path.string() + ": cannot open as HDF5: "));
    CHECK_THROWS_AS(read_content(path), IoError);
  }
  CHECK(contains(thrown_message<IoError>([&] { read_content(folder.path()); }),
                 folder.path().string() + ": is not a regular file"));
}

TEST_CASE("HDF5 prints nothing by itself, whichever thread uses it") {
  const auto is_silent = [] {
    const Hdf5Session session;
    H5E_auto2_t print = nullptr;
    void* data = nullptr;
    check_hdf5(H5Eget_auto2(H5E_DEFAULT, &print, &data), "ask");
    return print == nullptr;
  };
  CHECK(is_silent());
  CHECK(std::async(std::launch::async, is_silent).get());
}

TEST_CASE(
    "missing chunks beyond the file's length are refused, and so is a shape that the caller "
    "refuses") {
  const ScratchFolder folder;
  const auto path = folder / "f.h5";
  edit_hdf5(path, [](hid_t file) {
    const Hdf5Properties deflated = chunked();
    check_hdf5(H5Pset_deflate(deflated, 9), "set a filter");
    make_dataset(file, "none", H5T_IEEE_F64LE, {400, 400}, nullptr, H5I_INVALID_HID, deflated);
    const std::vector<double> zeros(512 * 512);
    const std::array<hsize_t, 2> chunk = {512, 512};
    check_hdf5(H5Pset_chunk(deflated, 2, chunk.data()), "set chunks");
    make_dataset(file, "zeros", H5T_IEEE_F64LE, {512, 512}, zeros.data(), H5T_NATIVE_DOUBLE,
                 deflated);
  });
  CHECK(contains(thrown_message<IoError>([&] { read_field(path, "none"); }),
                 "dataset none declares 1.28 MB, but a file of this length holds at most"));
  CHECK(read_field(path, "zeros").shape == Shape{512, 512});
  CHECK(thrown_message<ConfigError>([&] {
          read_field(path, "zeros", 0,
                     [](Shape shape) { throw ConfigError(std::to_string(shape.rows) + " rows"); });
        }) == "512 rows");
}

TEST_CASE("pipes, sockets and devices are refused at once") {
  const ScratchFolder folder;
  const auto pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::filesystem::path& path : {pipe, std::filesystem::path("/dev/zero"),
                                            std::filesystem::path("/dev/tty"), folder.path()}) {
    CAPTURE(path);
    const std::string said =
        path.string() +
        (path == folder.path() ? ": a folder (expected a config file)" : ": is not a regular file");
    CHECK_THROWS_AS(load_config(path, {}), IoError);
    CHECK_THROWS_AS(read_png(path), IoError);
    CHECK_THROWS_AS(read_field(path, "data"), IoError);
    CHECK_THROWS_AS(read_content(path), IoError);
    CHECK_THROWS_AS(read_checkpoint(path), CheckpointError);
    CHECK_THROWS_AS(PosixFile(path, O_WRONLY, "f"), IoError);
    if (path == "/dev/tty") continue;  // there may be no terminal
    CHECK(thrown_message<IoError>([&] { load_config(path, {}); }) == said);
  }
}
}  // namespace lapl::test
