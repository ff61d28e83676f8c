// Whatever ends the child process of a rehearsal is an IoError and has no other effect.
#include "io/hdf5/rehearsal.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <new>
#include <vector>

#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/step_file.hpp"
#include "io/images/frames.hpp"
#include "kernels/error.hpp"
#include "tests/io/hdf5_edit.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/io/write_alone.hpp"

namespace lapl::test {
namespace {

std::string complaint(const std::function<void()>& read) {
  const ScratchFolder folder;
  const auto path = folder / "f.h5";
  write_bytes(path, "12345");
  const std::string message = thrown_message<IoError>([&] { rehearse(path, read); });
  const std::string start = path.string() + ": cannot be read as HDF5: ";
  CHECK(message.starts_with(start));
  return message.substr(std::min(start.size(), message.size()));
}

}  // namespace

TEST_CASE("a crash, a hang and excessive memory in a rehearsal are errors" *
          doctest::test_suite("moderate")) {
  CHECK(complaint([] { raise(SIGSEGV); }) ==
        "the library crashes on it (the file is damaged, or made so)");
  CHECK(complaint([] { std::abort(); }) ==
        "the library crashes on it (the file is damaged, or made so)");
  CHECK(complaint([] {
          for (;;) static_cast<void>(std::clock());
        }) == "not done after 2 s (the file is damaged, or made so)");
  CHECK(complaint([] {
          // Not `new`, because sanitizers end the process if it fails.
          if (mmap(nullptr, std::size_t{2} << 30, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
            throw std::bad_alloc();
        }) == "takes more memory than a file of 5 B may");
}

TEST_CASE("a name that OpenMP gives a child as it is forked does not outlive a rehearsal") {
  static bool gives_names = false;
  static const auto name = [] {
    return fmt::format("/dev/shm/__KMP_REGISTERED_LIB_{}_{}", ::getpid(), ::getuid());
  };
  ::pthread_atfork(nullptr, nullptr, [] {
    if (gives_names) write_bytes(name(), "a name");
  });
  const ScratchFolder folder;
  write_bytes(folder / "f.h5", "12345");
  gives_names = true;
  const auto be_killed = [&] {
    write_bytes(folder / "name", name());
    ::raise(SIGKILL);
  };
  CHECK_THROWS_AS(rehearse(folder / "f.h5", be_killed), IoError);
  gives_names = false;
  CHECK(!std::filesystem::exists(read_bytes(folder / "name")));
}

TEST_CASE("a rehearsal does not change this process, whatever it throws") {
  const ScratchFolder folder;
  write_bytes(folder / "f.h5", "");
  int here = 0;
  rehearse(folder / "f.h5", [&] {
    here = 1;
    throw IoError("for the child alone");
  });
  CHECK(here == 0);
}

TEST_CASE("a file whose objects make HDF5 crash does not crash lapl, even if its seal matches" *
          doctest::test_suite("moderate")) {
  // HDF5 1.10.8 trusts the global heap, which holds the maps of virtual datasets. Without the
  // rehearsal this test crashes.
  const ScratchFolder folder;
  const std::vector<float> values(6);
  write_step_file(folder / "s.nc", {.shape = {2, 3},
                                    .title = "",
                                    .fields = {{"field", "", "1", std::span<const float>(values)}},
                                    .provenance = {}});
  std::string image = read_bytes(folder / "s.nc");
  image.resize(image.size() - 40);
  const std::size_t heap = image.find("GCOL");
  REQUIRE(heap != std::string::npos);
  int survived = 0;
  for (std::size_t at = heap + 193; at < heap + 216; ++at) {
    std::string bad = image;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    constexpr auto to_disk = std::numeric_limits<std::uint64_t>::max();
    write_sealed(folder / "s.nc", to_disk, [&](const auto& scratch) { write_bytes(scratch, bad); });
    try {
      read_content(folder / "s.nc");
    } catch (const IoError&) {  // HDF5 1.10.9 and later read some of these files
    }
    ++survived;
  }
  CHECK(survived == 23);
}

TEST_CASE("a checkpoint whose seal is wrong is refused without a rehearsal") {
  static int forks = 0;
  ::pthread_atfork([] { ++forks; }, nullptr, nullptr);
  const ScratchFolder folder;
  write_bytes(folder / "c.h5", std::string(500, 'x'));
  forks = 0;
  CHECK_THROWS_AS(read_checkpoint(folder / "c.h5"), CheckpointError);
  CHECK_THROWS_AS(scan_checkpoint(folder / "c.h5", [](FieldView) {}), CheckpointError);
  CHECK(forks == 0);
}

TEST_CASE("a filter's output is refused once its seal is damaged or gone") {
  const ScratchFolder folder;
  const auto path = folder / "filtered.h5";
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  write_frames(path, "", Precision::float32, {{"/filtered", "", {2, 3}}}, 1, 2,
               [&](const auto& put) { put(0, 0, std::span<const float>(values)); });
  const std::string good = read_bytes(path);
  CHECK(read_field(path, "/filtered").shape == Shape{2, 3});
  CHECK(read_content(path).kind == "hdf5");
  for (const std::string& bad : {good.substr(0, good.size() - 40), good + "x",
                                 good.substr(0, good.size() - 40) + std::string(40, '\0')}) {
    write_bytes(path, bad);
    CHECK(contains(thrown_message<IoError>([&] { read_field(path, "/filtered"); }), "has no seal"));
    CHECK_THROWS_AS(read_content(path), IoError);
    CHECK_THROWS_AS(open_frames(path, "/filtered"), IoError);
  }
}

}  // namespace lapl::test
