// lapl_fuzz_seeds FOLDER: writes small initial inputs for fuzzing, a folder for each target.
#include <hdf5.h>

#include <array>
#include <filesystem>
#include <vector>

#include "io/durable/seal.hpp"
#include "io/hdf5/checkpoint.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/fields/digest.hpp"
#include "tests/io/write_alone.hpp"

namespace {

namespace fs = std::filesystem;
using namespace lapl;

constexpr std::array<float, 6> values = {0, 1, 2, 3, 4, 5};

void drop_seal(const fs::path& path) { fs::resize_file(path, fs::file_size(path) - seal_size); }

void write_foreign(const fs::path& path, hid_t type, bool filtered) {
  const Hdf5Session session;
  const Hdf5File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "create");
  const Hdf5Properties properties(H5Pcreate(H5P_DATASET_CREATE), "make properties");
  const std::array<hsize_t, 2> extent = {2, 3}, chunk = {1, 3};
  if (filtered) {
    check_hdf5(H5Pset_chunk(properties, 2, chunk.data()), "set chunks");
    check_hdf5(H5Pset_shuffle(properties), "set a filter");
    check_hdf5(H5Pset_deflate(properties, 6), "set a filter");
    check_hdf5(H5Pset_fletcher32(properties), "set a filter");
  }
  const Hdf5Space space(H5Screate_simple(2, extent.data(), nullptr), "make a space");
  const Hdf5Dataset dataset(
      H5Dcreate2(file, "field", type, space, H5P_DEFAULT, properties, H5P_DEFAULT), "create");
  check_hdf5(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
             "write");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const fs::path checkpoints = fs::path(argv[1]) / "checkpoint";
  const fs::path initial = fs::path(argv[1]) / "initial_field";
  const fs::path kernels = fs::path(argv[1]) / "kernel";
  fs::create_directories(checkpoints);
  fs::create_directories(initial);
  fs::create_directories(kernels);

  write_checkpoint(checkpoints / "checkpoint",
                   {.config = "grid: {shape: [2, 3]}\n",
                    .shape = {2, 3},
                    .step = 20,
                    .state_digest = field_digest(std::span<const float>(values)),
                    .missing_outputs = {}},
                   std::span<const float>(values));
  write_step_file(checkpoints / "step",
                  {.shape = {2, 3},
                   .title = "t",
                   .fields = {{"field", "f", "1", std::span<const float>(values)}},
                   .provenance = {{"config", "c"}}});
  for (const char* name : {"checkpoint", "step"}) drop_seal(checkpoints / name);
  const Hdf5Session session;
  write_foreign(initial / "contiguous", H5T_IEEE_F64BE, false);
  write_foreign(initial / "filtered", H5T_STD_I16LE, true);
  write_foreign(kernels / "contiguous", H5T_IEEE_F64LE, false);
}
