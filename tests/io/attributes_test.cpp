// Attributes by which the numbers of other programs' files mean others, booleans, and the choice of
// a record.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

#include "io/hdf5/hdf5_values.hpp"
#include "io/hdf5/packing.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/readers/npy_reader.hpp"
#include "kernels/error.hpp"
#include "kernels/fields/fill_value.hpp"
#include "solver/step_control.hpp"
#include "tests/io/hdf5_edit.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/text.hpp"

namespace lapl::test {
namespace {

// The use that is made of an attribute.
enum class AttributeUse { honoured, refused, without_effect };

// A row of docs/format.md.
struct AttributeRow {
  const char* name;
  AttributeUse use;
  const char* meaning;
};

// Every attribute of both guides that says how the numbers of a dataset are to be read.
constexpr std::array<AttributeRow, 17> value_attributes = {{
    {"_Unsigned", AttributeUse::honoured,
     "true: signed integers are read as unsigned ones; false: unsigned ones as signed"},
    {"scale_factor", AttributeUse::honoured, "the values are multiplied by it"},
    {"add_offset", AttributeUse::honoured, "it is added, after scale_factor"},
    {"_FillValue", AttributeUse::honoured, "this stored value is missing: NaN"},
    {"missing_value", AttributeUse::honoured, "these stored values are missing: one, or a list"},
    {"valid_min", AttributeUse::honoured, "lesser values are missing"},
    {"valid_max", AttributeUse::honoured, "greater values are missing"},
    {"valid_range", AttributeUse::honoured, "values outside of these two numbers are missing"},
    {"signedness", AttributeUse::refused, "netCDF-2's form of _Unsigned"},
    {"compress", AttributeUse::refused, "points of a grid gathered in a list"},
    {"units", AttributeUse::without_effect, "numbers are read as they are, in any unit"},
    {"actual_range", AttributeUse::without_effect, "describes the values"},
    {"flag_values", AttributeUse::without_effect, "the codes are the values"},
    {"flag_masks", AttributeUse::without_effect, "the codes are the values"},
    {"flag_meanings", AttributeUse::without_effect, "names of the codes"},
    {"cell_methods", AttributeUse::without_effect, "describes the values"},
    {"quantization", AttributeUse::without_effect, "says how the values were rounded"},
}};

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// A file with the dataset "data" of these values, whose attributes `add` writes.
class MadeFile {
 public:
  MadeFile() = default;

  template <class Add>
  std::vector<double> read(hid_t type, const std::vector<double>& values, const Add& add,
                           hid_t properties = H5P_DEFAULT) {
    std::filesystem::remove(path);
    edit_hdf5(path, [&](hid_t file) {
      make_dataset(file, "data", type, {1, values.size()}, values.data(), H5T_NATIVE_DOUBLE,
                   properties);
      const Hdf5Dataset data(H5Dopen2(file, "data", H5P_DEFAULT), "open");
      add(static_cast<hid_t>(data));
    });
    return as_doubles(as_view(read_field(path, "data").values));
  }

  ScratchFolder folder;
  std::filesystem::path path = folder / "f.nc";
};

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

void write_variable_text(hid_t object, const char* name, const char* text) {
  const Hdf5Type type(H5Tcopy(H5T_C_S1), "make a type");
  check_hdf5(H5Tset_size(type, H5T_VARIABLE), "make a type");
  const Hdf5Space space(H5Screate(H5S_SCALAR), "make a space");
  const Hdf5Attribute attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT),
                                "make an attribute");
  check_hdf5(H5Awrite(attribute, type, static_cast<const void*>(&text)), "write an attribute");
}

const auto no_attributes = [](hid_t) {};

}  // namespace

TEST_CASE("_Unsigned of netCDF changes the sign of integers, before they are scaled") {
  const Hdf5Session session;
  MadeFile made;
  for (const bool variable : {false, true}) {
    const auto say = [&](hid_t data, const char* text) {
      if (variable)
        write_variable_text(data, "_Unsigned", text);
      else
        write_attribute(data, "_Unsigned", text);
    };
    CHECK(made.read(H5T_STD_I16LE, {0, 100, 40000 - 65536, 60000 - 65536}, [&](hid_t data) {
      say(data, "true");
      write_attribute(data, "scale_factor", std::vector{0.5});
    }) == std::vector<double>{0, 50, 20000, 30000});
    CHECK(same(made.read(H5T_STD_I8BE, {0, 100, -1, -2},
                         [&](hid_t data) {
                           say(data, "True");
                           write_attribute(data, "_FillValue", std::vector<std::int64_t>{-1});
                           write_attribute(data, "valid_max", std::vector<std::int64_t>{-3});
                         }),
               {0, 100, none, none}));
    CHECK(made.read(H5T_STD_U8LE, {0, 127, 128, 255}, [&](hid_t data) { say(data, "false"); }) ==
          std::vector<double>{0, 127, -128, -1});
    CHECK(made.read(H5T_STD_I16LE, {-3, 3}, [&](hid_t data) { say(data, "false"); }) ==
          std::vector<double>{-3, 3});
    CHECK(has(thrown_message<IoError>(
                  [&] { made.read(H5T_STD_I16LE, {1}, [&](hid_t data) { say(data, "yes"); }); }),
              "dataset data: attribute _Unsigned is the text yes (expected true or false)"));
  }
}

TEST_CASE("values that netCDF's attributes call missing are NaN") {
  const Hdf5Session session;
  MadeFile made;
  const auto with = [&](hid_t type, const std::vector<double>& values, const char* name,
                        const std::vector<double>& numbers) {
    return made.read(type, values, [&](hid_t data) { write_attribute(data, name, numbers); });
  };
  for (const hid_t type : {H5T_STD_I32LE, H5T_IEEE_F32LE, H5T_IEEE_F64LE}) {
    CHECK(same(with(type, {1, 2, 3, 4}, "missing_value", {2, 4}), {1, none, 3, none}));
    CHECK(same(with(type, {1, 2, 3, 4}, "valid_min", {2}), {none, 2, 3, 4}));
    CHECK(same(with(type, {1, 2, 3, 4}, "valid_max", {3}), {1, 2, 3, none}));
    CHECK(same(with(type, {1, 2, 3, 4}, "valid_range", {2, 3}), {none, 2, 3, none}));
  }
  // an attribute of float64 marks values of float32, which round it
  CHECK(same(with(H5T_IEEE_F32LE, {1, 1e20, 0.1}, "missing_value", {1e20}),
             {1, none, static_cast<double>(0.1f)}));
  CHECK(same(with(H5T_IEEE_F32LE, {1, 0.1, 3}, "_FillValue", {0.1}), {1, none, 3}));
  // a range of packed integers, and one of what they mean
  for (const bool unpacked : {false, true})
    CHECK(
        same(made.read(H5T_STD_I16LE, {10, 20, 30},
                       [&](hid_t data) {
                         write_attribute(data, "scale_factor", std::vector{0.1});
                         if (unpacked)
                           write_attribute(data, "valid_range", std::vector{1.5, 2.5});
                         else
                           write_attribute(data, "valid_range", std::vector<std::int64_t>{15, 25});
                       }),
             {none, 2, none}));
  CHECK(same(made.read(H5T_STD_I16LE, {40, 100, 300},
                       [&](hid_t data) {
                         write_attribute(data, "scale_factor", std::vector{0.1});
                         write_attribute(data, "valid_min", std::vector<std::int64_t>{50});
                         write_attribute(data, "valid_max", std::vector{20.0});
                       }),
             {none, 10, none}));
}

TEST_CASE("netCDF's default fill values are missing unless _FillValue says otherwise") {
  const Hdf5Session session;
  MadeFile made;
  CHECK(same(made.read(H5T_IEEE_F32BE, {1, fill_value}, no_attributes), {1, none}));
  CHECK(same(made.read(H5T_IEEE_F64LE, {1, fill_value}, no_attributes), {1, none}));
  CHECK(same(made.read(H5T_IEEE_F64LE, {1, fill_value},
                       [](hid_t data) { write_attribute(data, "_FillValue", std::vector{1.0}); }),
             {none, fill_value}));
  // Integers, where the dataset is made to be filled with them, as netCDF does.
  const std::vector<std::pair<hid_t, double>> integers = {
      {H5T_STD_I16LE, -32767},     {H5T_STD_U16LE, 65535},   {H5T_STD_I32LE, -2147483647},
      {H5T_STD_U32LE, 4294967295}, {H5T_STD_I64LE, -0x1p63}, {H5T_STD_U64LE, 0x1p64}};
  for (const auto& integer : integers) {
    const hid_t type = integer.first;
    const double fill = integer.second;
    CAPTURE(fill);
    const Hdf5Properties filled(H5Pcreate(H5P_DATASET_CREATE), "make properties");
    const std::int64_t signed_64 = -9223372036854775806;
    const std::uint64_t unsigned_64 = 18446744073709551614u;
    if (fill == -0x1p63)
      check_hdf5(H5Pset_fill_value(filled, H5T_NATIVE_INT64, &signed_64), "set the fill value");
    else if (fill == 0x1p64)
      check_hdf5(H5Pset_fill_value(filled, H5T_NATIVE_UINT64, &unsigned_64), "set the fill value");
    else
      check_hdf5(H5Pset_fill_value(filled, H5T_NATIVE_DOUBLE, &fill), "set the fill value");
    std::filesystem::remove(made.path);
    edit_hdf5(made.path, [&](hid_t file) {  // cells that nobody writes hold the fill value
      make_dataset(file, "data", type, {1, 2}, nullptr, H5I_INVALID_HID, filled);
    });
    CHECK(same(as_doubles(as_view(read_field(made.path, "data").values)), {none, none}));
    CHECK(!std::isnan(made.read(type, {1, fill}, no_attributes)[1]));
  }
  CHECK(made.read(H5T_STD_I8LE, {1, -127}, no_attributes) == std::vector<double>{1, -127});
}

TEST_CASE("an attribute of a wrong type or count is named, with what was found and expected") {
  const Hdf5Session session;
  MadeFile made;
  const auto refused = [&](const auto& add) {
    return thrown_message<IoError>([&] { made.read(H5T_IEEE_F32LE, {1, 2}, add); });
  };
  const std::string start = made.path.string() + ": dataset data: attribute ";
  CHECK(refused([](hid_t data) { write_attribute(data, "missing_value", "-999"); }) ==
        start + "missing_value is the text -999 (expected a number, or a list of numbers)");
  CHECK(refused([](hid_t data) { write_variable_text(data, "_FillValue", "NaN"); }) ==
        start + "_FillValue is the text NaN (expected a number)");
  CHECK(refused([](hid_t data) {
          write_attribute(data, "scale_factor", std::vector{1.0, 2.0});
        }) == start + "scale_factor is 2 numbers (expected a number)");
  CHECK(refused([](hid_t data) { write_attribute(data, "add_offset", std::vector{none}); }) ==
        start + "add_offset is nan (expected a finite number)");
  CHECK(refused([](hid_t data) { write_attribute(data, "valid_range", std::vector{1.0}); }) ==
        start + "valid_range is 1 numbers (expected two numbers)");
  for (const AttributeRow& row : value_attributes)
    if (row.use == AttributeUse::refused)
      CHECK(refused([&](hid_t data) { write_attribute(data, row.name, "x"); }) ==
            start + row.name + " is not read (" + row.meaning + ")");
    else if (row.use == AttributeUse::without_effect)
      CHECK(made.read(H5T_IEEE_F32LE, {1, 2}, [&](hid_t data) {
        write_attribute(data, row.name, "x");
      }) == std::vector<double>{1, 2});
}

TEST_CASE("docs/format.md lists the attributes, and counts the words of /step_state") {
  std::ifstream file(LAPL_SOURCE_DIR "/docs/format.md");
  std::stringstream text;
  text << file.rdbuf();
  CHECK(has(text.str(), fmt::format("| `/step_state` | u64 ({}) |", step_state_words)));
  for (const AttributeRow& row : value_attributes) {
    const char* const use = row.use == AttributeUse::honoured  ? "honoured"
                            : row.use == AttributeUse::refused ? "refused"
                                                               : "no effect";
    const std::string line = fmt::format("| `{}` | {} | {} |\n", row.name, use, row.meaning);
    CHECK_MESSAGE(has(text.str(), line), line);
  }
}

TEST_CASE("h5py's booleans are 0 and 1, other enumerations are refused") {
  const Hdf5Session session;
  const ScratchFolder folder;
  const auto path = folder / "f.h5";
  const auto enumeration = [](const char* first, const char* second) {
    Hdf5Type type(H5Tenum_create(H5T_STD_I8LE), "make a type");
    for (std::int8_t value = 0; value < 2; ++value)
      check_hdf5(H5Tenum_insert(type, value == 0 ? first : second, &value), "make a type");
    return type;
  };
  const std::array<std::int8_t, 4> values = {0, 1, 1, 0};
  edit_hdf5(path, [&](hid_t file) {
    make_dataset(file, "mask", enumeration("FALSE", "TRUE"), {2, 2}, values.data());
    make_dataset(file, "colour", enumeration("RED", "GREEN"), {2, 2}, values.data());
  });
  CHECK(as_doubles(as_view(read_field(path, "mask").values)) == std::vector<double>{0, 1, 1, 0});
  CHECK(has(thrown_message<IoError>([&] { read_field(path, "colour"); }),
            "dataset colour holds neither integers nor floating-point numbers nor booleans"));
  CHECK(read_content(path).fields == std::vector<std::string>{"mask"});
}

TEST_CASE("a record is chosen by its number, as the last one, or by its time") {
  const Hdf5Session session;
  const ScratchFolder folder;
  const auto path = folder / "f.h5";
  std::array<double, 12> values;
  std::iota(values.begin(), values.end(), 0);
  const std::array<double, 3> times = {0, 0.1, 0.3};
  edit_hdf5(path, [&](hid_t file) {
    make_dataset(file, "data", H5T_IEEE_F64LE, {3, 2, 2}, values.data());
    make_dataset(file, "single", H5T_IEEE_F64LE, {2, 2}, values.data());
  });
  RecordChoice last, at;
  last.last = true;
  at.time = 0.1;
  const auto read = [&](const RecordChoice& choice) {
    return read_any_field(path, "data", choice);
  };
  CHECK(read({}).record == 0);
  CHECK(read({}).records == 3);
  CHECK(!read({}).time);
  CHECK(read(1).record == 1);
  CHECK(as_doubles(as_view(read(last).values)) == std::vector<double>{8, 9, 10, 11});
  CHECK(read_any_field(path, "single", last).record == 0);
  CHECK(has(thrown_message<IoError>([&] { read(at); }), "dataset data has no record at time 0.1"));
  edit_hdf5(path,
            [&](hid_t file) { make_dataset(file, "time", H5T_IEEE_F64LE, {3}, times.data()); });
  CHECK(read(at).record == 1);
  CHECK(*read(at).time == 0.1);
  CHECK(*read(last).time == 0.3);
  at.time = 0.14;
  CHECK(has(thrown_message<IoError>([&] { read(at); }),
            "the nearest are 0 and 0.1, of 3 from 0 to 0.3"));
}

}  // namespace lapl::test
