// Input: the HDF5 image of a checkpoint, which gets a matching seal as from a hostile writer.
#include "io/hdf5/checkpoint.hpp"

#include "io/durable/seal.hpp"
#include "io/hdf5/step_file.hpp"
#include "kernels/error.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(lapl::fuzz::input_text(data, size));
  lapl::SealMaker maker;
  maker.add(std::as_bytes(std::span(bytes)));
  const lapl::SealBytes seal = maker.seal();
  bytes.append(reinterpret_cast<const char*>(seal.data()), seal.size());
  const std::filesystem::path& path = lapl::fuzz::file_with(bytes);
  try {
    static_cast<void>(lapl::read_checkpoint(path));
  } catch (const lapl::CheckpointError&) {
  }
  try {  // lapl inspect and diff read any kind of file
    static_cast<void>(lapl::read_content(path));
  } catch (const lapl::IoError&) {
  }
  return 0;
}
