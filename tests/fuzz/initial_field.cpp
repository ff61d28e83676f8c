// Input: a file of another program as initial field; PNG if it begins like one, else an array,
// netCDF or HDF5.
#include "io/hdf5/step_file.hpp"
#include "io/images/image.hpp"
#include "io/readers/stored_array.hpp"
#include "kernels/error.hpp"
#include "tests/fuzz/fuzz_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) try {
  const std::string_view bytes = lapl::fuzz::input_text(data, size);
  const std::filesystem::path& path = lapl::fuzz::file_with(bytes);
  if (bytes.starts_with("\x89PNG")) {
    static_cast<void>(lapl::read_png(path));
    return 0;
  }
  if (const auto array = lapl::open_array(path, "field")) {
    static_cast<void>(array->read(0));
    return 0;
  }
  for (const std::string& field : lapl::read_content(path).fields)
    static_cast<void>(lapl::read_field(path, field));
  return 0;
} catch (const lapl::IoError&) {
  return 0;
}
