// Inputs of other programs: NumPy's archives, TIFF, classic netCDF, tables. tests/data/inputs.py
// has made the files; its array is arange(48).reshape(6, 8) * 1000 as uint16.
#include <doctest/doctest.h>

#include <cmath>

#include "io/filters/filter_source.hpp"
#include "io/images/frames.hpp"
#include "io/readers/file_kind.hpp"
#include "io/readers/initial_source.hpp"
#include "io/readers/stored_array.hpp"
#include "solver/equation/formula_system.hpp"
#include "tests/io/config_helpers.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/text.hpp"

using namespace lapl;
using namespace lapl::test;

namespace {

std::string input(const std::string& name) { return LAPL_SOURCE_DIR "/tests/data/inputs/" + name; }

// `f` of each number of the array.
std::vector<double> made(double (*f)(double) = [](double v) { return v; }) {
  std::vector<double> values;
  for (int i = 0; i < 48; ++i) values.push_back(f(i * 1000));
  return values;
}

std::vector<double> counted(int first, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(first + i);
  return values;
}

std::vector<double> values_in(const std::string& path, const std::string& dataset = "/field",
                              const RecordChoice& record = {}, int axes = 2) {
  return as_doubles(as_view(read_any_field(path, dataset, record, {}, axes).values));
}

std::string refusal(const std::string& path, const std::string& dataset = "/field", int axes = 2) {
  return thrown_message<IoError>([&] { read_any_field(path, dataset, {}, {}, axes); });
}

// The initial field of a run with this picture.
std::vector<double> picture(const std::string& path, const std::string& shape) {
  const RunConfig run = parse("grid: {shape: " + shape + "}\nequation: {coefficient: 0.1}\n" +
                              "time: {steps: 1}\ninitial: {kind: image, path: " + path + "}\n")
                            .run;
  return load_initial_fields(run).at("field");
}

// The array that a table gives, with the shape; else the refusal.
std::string table(const std::string& text, int axes = 2, const std::string& column = "/field") {
  const ScratchFolder folder;
  write_bytes(folder / "t.csv", text);
  try {
    const ReadField read = read_any_field(folder / "t.csv", column, {}, {}, axes);
    const auto values = as_doubles(as_view(read.values));
    std::string shown = shape_text(read.shape) + ":";
    for (const double value : values) shown += fmt::format(" {}", value);
    return shown + (read.records > 1 ? fmt::format(" of {}", read.records) : "");
  } catch (const IoError& error) {
    return std::string(error.what()).substr((folder / "t.csv").string().size() + 2);
  }
}

}  // namespace

TEST_CASE("arrays of .npz files are read, stored and deflated, and damaged ones are refused") {
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    CAPTURE(name);
    CHECK(values_in(input(name)) == made());
    CHECK(values_in(input(name), "stack", {}, 3) == counted(0, 192));
    CHECK(values_in(input(name), "stack", 2) == counted(96, 48));
    CHECK(refusal(input(name), "u") ==
          input(name) + ": no array u; the file holds field, stack (dataset: names one)");
  }
  const ScratchFolder folder;
  const std::string good = read_bytes(input("deflated.npz"));
  const auto with = [&](const std::string& bytes) {
    write_bytes(folder / "f.npz", bytes);
    return refusal(folder / "f.npz").substr((folder / "f.npz").string().size());
  };
  std::string flipped = good;
  flipped[120] ^= 4;
  CHECK(with(flipped).starts_with(": its array is damaged"));
  CHECK(with(good.substr(0, good.size() - 9)) ==
        ": is a zip archive without its end: it is truncated");
  CHECK(with(good.substr(0, 300) + good.substr(400)).starts_with(": "));
  for (std::size_t size = 4; size < good.size(); size += 7)
    CHECK(with(good.substr(0, size)).starts_with(": "));
  std::string encrypted = good;
  encrypted[encrypted.find("PK\x01\x02") + 8] |= 1;
  CHECK(with(encrypted) == ": field.npy is encrypted");
}

TEST_CASE("TIFF files are read: numbers as stored, pages as planes or records") {
#ifdef LAPL_HAS_TIFF
  const auto cut = [](double v) { return std::floor(v / 256); };
  const auto sevenths = [](double v) { return double(float(v) / 7); };
  for (const char* name : {"plain.tif", "big-endian.tif", "lzw.tif", "tiles.tif"}) {
    CAPTURE(name);
    CHECK(values_in(input(name)) == made());
    CHECK(picture(input(name), "[6, 8]") == made([](double v) { return v / 65535; }));
  }
  CHECK(values_in(input("bytes.tif")) == made(cut));
  CHECK(picture(input("bytes.tif"), "[6, 8]") ==
        made([](double v) { return std::floor(v / 256) / 255; }));
  CHECK(values_in(input("signed.tif")) == made([](double v) { return v > 32767 ? v - 65536 : v; }));
  CHECK(values_in(input("single.tif")) == made(sevenths));
  CHECK(picture(input("single.tif"), "[6, 8]") == made(sevenths));
  CHECK(values_in(input("half.tif"))[1] == 111.125);
  CHECK(values_in(input("stack.tif"), "", {}, 3) == counted(0, 192));
  CHECK(values_in(input("stack.tif"), "", 2) == counted(96, 48));
  CHECK(picture(input("stack.tif"), "[4, 6, 8]")[100] == 100. / 65535);
  const FrameSource frames = open_frames(input("stack.tif"), "");
  CHECK(frames.frames == 4);
  CHECK(frames.fits_single);
  CHECK(as_doubles(as_view(frames.values_at(3))) == counted(144, 48));
  CHECK(as_doubles(as_view(frames.values_at(1))) == counted(48, 48));

  const std::pair<const char*, const char*> refused[] = {
      {"rgb.tif",
       "page 0 has 3 samples a pixel (expected grey, 0 black: magick IN.tif -colorspace "
       "Gray OUT.png)"},
      {"bits.tif", "page 0 has 1 sample a pixel, 0 white (expected grey"},
      {"unequal.tif", "page 1 is 3 x 8 of u16, page 0 6 x 8 of u16 (expected equal pages"},
      {"imagej.tif", "ImageJ stored 4 images in it without pages (expected 4 pages"}};
  for (const auto& [name, message] : refused)
    CHECK(has(refusal(input(name)), input(name) + ": " + message));
  const ScratchFolder folder;
  // The last bytes of the stack are of a directory whose values libtiff does not need.
  for (const auto& [name, rest] : {std::pair("tiles.tif", 0), {"stack.tif", 30}}) {
    const std::string good = read_bytes(input(name));
    for (std::size_t size = 8; size + rest < good.size(); size += 11) {
      write_bytes(folder / "cut.tif", good.substr(0, size));
      CHECK(has(refusal(folder / "cut.tif"), "cannot read as TIFF: "));
    }
  }
  const auto message = [&](const std::string& name, const std::string& shape) {
    return thrown_message<ConfigError>([&] { picture(input(name), shape); });
  };
  CHECK(has(message("signed.tif", "[6, 8]"), "initial.path: " + input("signed.tif") +
                                                 " holds signed integers, which are no grey "
                                                 "values (expected kind hdf5"));
  CHECK(has(message("stack.tif", "[6, 8]"), "holds 4 pages of 6 x 8 values, grid.shape is [6, 8]"));
  CHECK(has(message("plain.tif", "[8, 6]"), "holds 1 page of 6 x 8 values, grid.shape is [8, 6]"));
#else
  CHECK(has(refusal(input("plain.tif")), "is a TIFF, and lapl was built without libtiff"));
#endif
}

TEST_CASE("classic netCDF files are read as netCDF-4, with attributes, times and fill values") {
#ifdef LAPL_HAS_NETCDF
  RecordChoice at_half;
  at_half.time = 0.5;
  for (const char* name : {"classic.nc", "offset.nc", "data.nc"}) {
    CAPTURE(name);
    CHECK(values_in(input(name), "packed", 1) == made([](double v) { return (v + 1) / 2; }));
    CHECK(values_in(input(name), "packed", at_half) == made([](double v) { return (v + 1) / 2; }));
    CHECK(values_in(input(name), "single") == made([](double v) { return double(float(v / 3)); }));
    const auto part = values_in(input(name), "part");
    CHECK(part[39] == 39);
    CHECK(std::isnan(part[40]));
    CHECK(has(refusal(input(name), "label"), "no dataset label; the file holds "));
  }
  CHECK(values_in(input("scipy.nc")) == made());
  const ScratchFolder folder;
  const std::string good = read_bytes(input("offset.nc"));
  for (std::size_t size = 4; size < good.size(); size += 24) {
    CAPTURE(size);
    write_bytes(folder / "cut.nc", good.substr(0, size));
    CHECK(has(refusal(folder / "cut.nc", "packed"), "cut.nc: cannot read as netCDF-3: "));
  }
#else
  CHECK(has(refusal(input("classic.nc")),
            "is netCDF-3, and lapl was built without libnetcdf (nccopy -k nc4 IN.nc OUT.nc makes"));
#endif
}

TEST_CASE("a file of HDF5 that begins with a block of text is no table") {
  const ScratchFolder folder;
  const std::string line = "1 2 3 4 5 6 7\n", hdf5 = read_bytes(input("h5py.h5"));
  std::string text;
  while (text.size() < 8192) text += line;
  write_bytes(folder / "text", text);
  CHECK(file_kind(folder / "text") == FileKind::text);
  write_bytes(folder / "both", text.substr(0, 8192) + hdf5);
  CHECK(file_kind(folder / "both") == FileKind::other);
}

TEST_CASE("h5py's booleans are numbers, and filters that are missing are named") {
  CHECK(values_in(input("h5py.h5"), "boolean") ==
        made([](double v) { return v > 24000 ? 1. : 0.; }));
  const std::string only =
      ", but only deflate, shuffle and fletcher32 are read (python3 -c \"import";
  CHECK(has(refusal(input("h5py.h5"), "lzf"),
            ": dataset lzf uses HDF5 filter 32000 (lzf)" + only + " h5py; h5py.File('OUT.h5'"));
  CHECK(has(refusal(input("h5py.h5"), "blosc"),
            "uses HDF5 filter 32001 (blosc)" + only + " h5py, hdf5plugin; "));
  CHECK(has(refusal(input("h5py.h5"), "unknown"), "uses HDF5 filter 32004 (lz4), but only"));
}

TEST_CASE("a table is the array, or has a line for each position") {
  CHECK(table("# made by hand\n1 2 3\n4\t5e0 +6  # last\n") == "2 x 3: 1 2 3 4 5 6");
  CHECK(table("\xef\xbb\xbf"
              "a,\"b\",c\r\n1, 2,\"3\"\r\n4,5,6") == "2 x 3: 1 2 3 4 5 6");
  CHECK(table("1 2\n3 4\n\n\n5 6\n7 8\n\n") == "2 x 2: 1 2 3 4 of 2");
  CHECK(table("1 2\n3 4\n\n5 6\n7 8\n", 3) == "2 x 2 x 2: 1 2 3 4 5 6 7 8");
  CHECK(table("1\n2\n3\n", 1) == "3: 1 2 3");
  CHECK(table("1\n2\n3\n") == "3 x 1: 1 2 3");
  CHECK(table("1 2 3\n") == "1 x 3: 1 2 3");
  CHECK(table("x,y,value\n.5,2,11\n0,1,0\n0,2,10\n.5,1,1\n") == "2 x 2: 0 1 10 11");
  CHECK(table("# y x v\n0 0 1\n0 1 2\n0 2 3\n\n1 0 4\n1 1 5\n1 2 6\n") == "2 x 3: 1 2 3 4 5 6");
  CHECK(table("x u\n3 30\n1 10\n2 20\n", 1) == "3: 10 20 30");
  CHECK(table("x y z u\n0 0 1 3\n0 0 0 1\n0 1 0 2\n0 1 1 4\n", 3) == "2 x 2 x 1: 1 2 3 4");
  CHECK(table("step,time,row,column,v\n0,0,0,0,1\n0,0,0,1,2\n", 2, "/v") == "1 x 2: 1 2");
  CHECK(table("x y u v\n0 0 1 2\n1 0 3 4\n", 2, "v") == "1 x 2: 2 4");
  CHECK(table("x y v\n0 0 1\n0.33 0 2\n.67 0 3\n1 0 4\n") == "1 x 4: 1 2 3 4");

  const std::pair<const char*, const char*> refused[] = {
      {"1 2\n3 4 5\n", "line 2 has 3 numbers, line 1 has 2 (expected lines of equal length)"},
      {"a b\n1 2\n3 x\n", "line 3: found x (expected numbers with blanks or commas between them)"},
      {"1,,2\n", "line 1: found no number between commas"},
      {"1;2\n3;4\n", "is a text without numbers"},
      {"0,5;1,5\n", "line 1: found 5;1 (expected numbers"},
      {"grid: {}\n", "is a text without numbers"},
      {"1 2\n3 4\n\n5 6\n", "3 lines in 2 blocks, line 4 begins one (expected blocks of equal"},
      {"x y v\n0 0 1\n0 1 2\n1 0 3\n0 1 4\n",
       "line 5 has the position of line 3 (expected each position once)"},
      {"x y v\n0 0 1\n0 1 2\n1 0 3\n",
       "has 3 lines for a grid of 4 positions (expected one line for each)"},
      {"x y v\n0 0 1\n1 0 2\n5 0 3\n",
       "x is 0, 1, ...: its 3 values from 0 to 5 have uneven steps"},
      {"x y v\n0 0 1\ninf 0 2\n", "line 3: x is inf (expected a finite position)"},
      {"x y u v\n0 0 1 2\n",
       "has the columns u, v beside the positions, none of them is field (dataset: names one)"},
      {"x y\n0 0\n", "has no column beside the positions"}};
  for (const auto& [text, message] : refused) {
    const std::string found = table(text);
    CAPTURE(found);
    CHECK(found.starts_with(message));
  }
}

TEST_CASE("initial fields, parameters, masks and kernels are read from every kind of file") {
  const ScratchFolder folder;
  std::string table = "# x y value\n";
  for (int i = 0; i < 48; ++i) table += fmt::format("{} {} {}\n", i % 8, i / 8, i * 1000);
  write_bytes(folder / "t.txt", table);
  write_bytes(folder / "w.csv", "0,1,0\n1,-4,1\n0,1,0\n");
  for (const std::string& path : {input("stored.npz"), (folder / "t.txt").string()}) {
    const RunConfig run =
        parse("grid: {shape: [6, 8], mask: {hdf5: " + path + "}}\n" +
              "parameters: {p: {hdf5: " + path + "}}\n" + "initial: {kind: hdf5, path: " + path +
              "}\n" + "equation: {field: p*laplacian(field)}\n" + "time: {steps: 1, step: 1e-6}\n")
            .run;
    CHECK(load_initial_fields(run).at("field") == made());
    const CoefficientFields fields = load_coefficients(run);
    CHECK(fields.at("p") == made());
    CHECK(fields.at(mask_name)[0] == 0);
    CHECK(fields.at(mask_name)[1] == 1);
  }
  FilterConfig filter;
  filter.kernel = KernelKind::hdf5;
  filter.path = (folder / "w.csv").string();
  CHECK(load_filters(std::vector{filter}).front().weights ==
        std::vector<double>{0, 1, 0, 1, -4, 1, 0, 1, 0});
  CHECK(open_frames(folder / "t.txt", "/field").shape == Shape{6, 8});
  write_bytes(folder / "t.txt", table.substr(table.find('\n') + 1));
  const RunConfig wrong =
      parse("grid: {shape: [6, 8]}\ninitial: {kind: hdf5, path: " + (folder / "t.txt").string() +
            "}\nequation: {coefficient: 0.1}\ntime: {steps: 1}\n")
          .run;
  CHECK(
      has(thrown_message<ConfigError>([&] { load_initial_fields(wrong); }),
          "holds 48 x 3 values, grid.shape is [6, 8] (positions and values need a first line such "
          "as: x y value)"));
}
