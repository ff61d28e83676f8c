#include "io/images/tiff.hpp"

#include <fmt/format.h>

#include "io/hdf5/rehearsal.hpp"
#include "io/images/tiff_module.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/load_module.hpp"

namespace lapl {
namespace {

/// A file of this length holds at most so many times as many bytes.
constexpr std::uint64_t most_compressed = 4096;

const TiffModule& tiff(const std::string& name) {
#ifdef LAPL_HAS_TIFF
  static const LoadedModule loaded = load_module("lapl_tiff", false);
  if (loaded.table == nullptr) throw IoError("{}: cannot read TIFF: {}", name, loaded.missing);
  return *static_cast<const TiffModule*>(loaded.table);
#else
  throw IoError(
      "{}: is a TIFF, and lapl was built without libtiff (package libtiff-dev; or python3 -c "
      "\"import numpy, tifffile; numpy.save('OUT.npy', tifffile.imread('IN.tif'))\")",
      name);
#endif
}

}  // namespace

StoredArray tiff_array(const std::filesystem::path& path, const std::string&, int) {
  const std::string name = path.string();
  const TiffModule& module = tiff(name);
  const std::uint64_t length = file_bytes(path).size;
  const auto open = [&] {
    TiffPages pages = module.open(name);
    const double bytes = static_cast<double>(pages.value_size) * static_cast<double>(pages.rows) *
                         static_cast<double>(pages.columns) * static_cast<double>(pages.pages);
    if (bytes > static_cast<double>(length * most_compressed))
      throw IoError(
          "{}: declares {} pages of {} x {} pixels, more than a file of {} bytes can hold", name,
          pages.pages, pages.rows, pages.columns, length);
    return pages;
  };
  const auto page_size = [](const TiffPages& pages) {
    return static_cast<std::size_t>(pages.rows * pages.columns) * pages.value_size;
  };
  rehearse(
      path,
      [&] {
        const TiffPages pages = open();
        std::vector<std::byte> page(page_size(pages));
        for (std::int64_t i = 0; i < pages.pages; ++i) pages.read(i, page);
      },
      "TIFF");
  const TiffPages pages = open();
  StoredArray array;
  array.kind = pages.kind;
  array.value_size = pages.value_size;
  if (pages.pages > 1) array.extent.push_back(static_cast<hsize_t>(pages.pages));
  array.extent.push_back(static_cast<hsize_t>(pages.rows));
  array.extent.push_back(static_cast<hsize_t>(pages.columns));
  array.bytes.size = page_size(pages) * static_cast<std::uint64_t>(pages.pages);
  // Records are whole pages.
  array.bytes.read = [pages, size = page_size(pages)](std::uint64_t first,
                                                      std::span<std::byte> buffer) {
    for (std::size_t done = 0; done < buffer.size(); done += size)
      pages.read(static_cast<std::int64_t>((first + done) / size), buffer.subspan(done, size));
  };
  return array;
}

}  // namespace lapl
