// Files that ranks write together are byte-identical to those of one process.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <optional>

#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/error.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/io/write_alone.hpp"
#include "tests/ranks/ranks.hpp"

using namespace lapl;

namespace {

/// One folder for all ranks.
class SharedFolder {
 public:
  SharedFolder() {
    if (test::ranks().is_first()) folder_.emplace();
    path_ = broadcast_text(test::ranks(), folder_ ? folder_->path().string() : "");
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::ptrdiff_t entries() const { return folder_ ? folder_->entries() : 0; }

 private:
  std::optional<test::ScratchFolder> folder_;
  std::filesystem::path path_;
};

/// The values of rows `rows` of each field, field after field.
template <class T>
std::vector<T> own_values(Shape shape, RowRange rows, std::size_t fields) {
  std::vector<T> values;
  for (std::size_t field = 0; field < fields; ++field)
    for (std::int64_t i = rows.first * shape.columns; i < rows.end() * shape.columns; ++i)
      values.push_back(static_cast<T>(i % 100003) / 7 + static_cast<T>(field));
  return values;
}

bool same_bytes(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto bytes_at = [](const std::filesystem::path& path) {
    std::string bytes(std::filesystem::file_size(path), '\0');
    std::ifstream(path, std::ios::binary).read(bytes.data(), std::ssize(bytes));
    return bytes;
  };
  return bytes_at(a) == bytes_at(b);
}

const std::vector<std::string> names = {"u", "v", "w"};

template <class T>
StepRecord make_record(Shape shape, const std::vector<T>& values, std::size_t fields,
                       const StoredForm& form = {}) {
  StepRecord record{.shape = shape,
                    .spacing = 0.3,
                    .step = 2500,
                    .time = 187.5,
                    .title = "a test",
                    .fields = {},
                    .provenance = {{"version", "0.1.0"}, {"config", "grid: {}  # \xC3\xA9\n"}},
                    .form = form};
  const std::size_t each = values.size() / fields;
  for (std::size_t field = 0; field < fields; ++field)
    record.fields.push_back(
        {names[field], "a field", "1", std::span(values).subspan(field * each, each)});
  return record;
}

/// A header; on ranks other than the first it has only shape and fields.
CheckpointHeader make_header(Shape shape, std::size_t fields) {
  CheckpointHeader header{.config = {}, .shape = shape, .missing_outputs = {}};
  header.fields.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(fields));
  if (!test::ranks().is_first()) return header;
  header.config = "grid: {}\n";
  header.step = 2500;
  header.time_step = 0.1;
  header.state_digest = 17;
  header.output_list = {3, 4};
  header.missing_outputs = {7};
  return header;
}

using Ranges = std::vector<RowRange>;

/// Divides the rows about equally among `count` ranks from `first` on; none for the other ranks.
Ranges make_ranges(Shape shape, int first, int count) {
  const std::int64_t rows = RowRange::all(shape).count;
  Ranges ranges(test::ranks().count());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t from = rows * i / count;
    ranges[first + i] = {from, rows * (i + 1) / count - from};
  }
  return ranges;
}

template <class T>
void check_files(Shape shape, std::size_t fields, const Ranges& ranges,
                 const StoredForm& form = {}) {
  const std::string text = shape_text(shape);
  CAPTURE(text);
  CAPTURE(fields);
  Ranks& ranks = test::ranks();
  const SharedFolder folder;
  const RowRange rows = ranges[ranks.rank()];
  {
    FileWriter writer;
    const std::vector<T> values = own_values<T>(shape, rows, fields);
    write_step_file(writer, ranks, folder / "ranks.nc", make_record(shape, values, fields, form),
                    rows);
    write_checkpoint(writer, ranks, folder / "ranks.h5", make_header(shape, fields), rows,
                     std::span<const T>(values));
  }
  if (!ranks.is_first()) return;
  CHECK(folder.entries() == 2);
  const std::vector<T> values = own_values<T>(shape, RowRange::all(shape), fields);
  write_step_file(folder / "one.nc", make_record(shape, values, fields, form));
  write_checkpoint(folder / "one.h5", make_header(shape, fields), std::span<const T>(values));
  CHECK(same_bytes(folder / "ranks.nc", folder / "one.nc"));
  CHECK(same_bytes(folder / "ranks.h5", folder / "one.h5"));
}

template <class T>
void check_divisions(Shape shape, std::size_t fields, const StoredForm& form = {}) {
  const int count = test::ranks().count();
  check_files<T>(shape, fields, make_ranges(shape, 0, count), form);
  if (count == 1) return;
  check_files<T>(shape, fields, make_ranges(shape, 0, 1), form);
  check_files<T>(shape, fields, make_ranges(shape, count - 1, 1), form);
  check_files<T>(shape, fields, make_ranges(shape, 1, count - 1), form);
}

/// The error message, which must be the same on all ranks.
template <class Use>
std::string common_message(const Use& use) {
  const std::string message = test::thrown_message<IoError>(use);
  CHECK(broadcast_text(test::ranks(), message) == message);
  return message;
}

void limit_file_size(rlim_t bytes) {
  rlimit limit;
  REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

}  // namespace

TEST_CASE("files of small grids on ranks are those of one process") {
  for (const Shape shape :
       {Shape{1, 1}, Shape{1, 7}, Shape{2, 3}, Shape{127, 129}, Shape{200, 700},
        Shape::of(std::array<std::int64_t, 1>{1}), Shape::of(std::array<std::int64_t, 1>{100003}),
        Shape{1, 1, 1, 3}, Shape{3, 4, 5, 3}, Shape{1, 40, 300, 3}}) {
    check_divisions<float>(shape, 1);
    check_divisions<double>(shape, 3);
  }
}

TEST_CASE("files of several chunks on ranks are those of one process") {
  const int count = test::ranks().count();
  // Bands of rows, of full and of padded chunks; such bands in each plane; bands of planes.
  const Shape bands{3000, 1000}, padded{3001, 1001};
  check_files<double>(bands, 3, make_ranges(bands, 0, count));
  check_files<float>(padded, 2, make_ranges(padded, count / 2, count - count / 2));
  for (const Shape shape : {Shape{1501, 1000, 2, 3}, Shape{301, 200, 43, 3}})
    check_files<double>(shape, 1, make_ranges(shape, 0, count));
  // Rows that are cut into pieces.
  const Shape wide{2, 8'400'000};
  check_files<float>(wide, 1, make_ranges(wide, 0, count));
}

TEST_CASE("compressed files on ranks are those of one process, where chunks span ranks too") {
  const StoredForm packed{.compression = 1}, rounded{.round = 1e-3},
      all{.compression = 4, .precision = Precision::float32, .round = 1e-3};
  for (const Shape shape : {Shape{1, 1}, Shape{2, 3}, Shape{200, 700}, Shape{1999, 501},
                            Shape::of(std::array<std::int64_t, 1>{100003}), Shape{3, 4, 5, 3},
                            Shape{201, 100, 23, 3}}) {
    check_divisions<float>(shape, 1, packed);
    check_divisions<double>(shape, 2, all);
  }
  check_divisions<double>({127, 129}, 2, rounded);
  check_divisions<double>({127, 129}, 2, {.precision = Precision::float32});
  const Shape wide{2, 8'400'000};  // rows that are cut into pieces
  check_files<float>(wide, 1, make_ranges(wide, 0, test::ranks().count()), packed);
}

TEST_CASE("a value of one rank that outputs cannot hold is an error of all, and leaves nothing") {
  Ranks& ranks = test::ranks();
  const Shape shape{50, 40};
  const RowRange rows = make_ranges(shape, 0, ranks.count())[ranks.rank()];
  std::vector<double> values = own_values<double>(shape, rows, 1);
  if (ranks.rank() == ranks.count() - 1) values.back() = -1e39;
  const SharedFolder folder;
  FileWriter writer;
  for (const int compression : {0, 2}) {
    const std::string message = common_message([&] {
      const StoredForm form{.compression = compression, .precision = Precision::float32};
      write_step_file(writer, ranks, folder / "s.nc", make_record(shape, values, 1, form), rows);
    });
    CHECK(test::contains(message, (folder / "s.nc").string() +
                                      ": u has the value -1e+39, too large for float32 values"));
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("a file that one rank cannot write is an error of all, and leaves nothing") {
  std::signal(SIGXFSZ, SIG_IGN);
  Ranks& ranks = test::ranks();
  const Shape shape{500, 400};
  const Ranges ranges = make_ranges(shape, 0, ranks.count());
  const RowRange rows = ranges[ranks.rank()];
  const std::vector<double> values = own_values<double>(shape, rows, 2);
  const SharedFolder folder;
  FileWriter writer;
  const auto write_step = [&](const std::string& name) {
    write_step_file(writer, ranks, folder / name, make_record(shape, values, 2), rows);
  };
  const auto write_state = [&](const std::string& name) {
    write_checkpoint(writer, ranks, folder / name, make_header(shape, 2), rows,
                     std::span<const double>(values));
  };
  for (int failing = 0; failing < ranks.count(); ++failing) {
    CAPTURE(failing);
    if (ranks.rank() == failing) limit_file_size(8192);
    const std::string of_step = common_message([&] { write_step("s.nc"); });
    const std::string of_state = common_message([&] { write_state("c.h5"); });
    if (ranks.rank() == failing) limit_file_size(RLIM_INFINITY);
    for (const std::string& message : {of_step, of_state}) {
      CAPTURE(message);
      CHECK(test::contains(message, (folder / (message == of_step ? "s.nc" : "c.h5")).string()));
      CHECK(test::contains(message, "File too large"));
    }
    CHECK(folder.entries() == 0);
  }
  CHECK(test::contains(common_message([&] { write_step("none/s.nc"); }),
                       "none/s.nc: cannot create: No such file or directory"));
  CHECK(test::contains(common_message([&] { write_state("none/c.h5"); }),
                       "none/c.h5: cannot create: No such file or directory"));
  CHECK(folder.entries() == 0);
}
