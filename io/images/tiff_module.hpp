// The functions of lapl_tiff, the only library linked with libtiff. It is loaded when the first
// TIFF is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace lapl {

/// All pages of a file, which are equal but for their values.
struct TiffPages {
  std::int64_t pages = 0, rows = 0, columns = 0;
  char kind = 'u';  ///< f, i or u, as in NumPy's type codes
  std::size_t value_size = 1;
  /// Decodes the page into the buffer, which has its size, in this machine's byte order.
  std::function<void(std::int64_t page, std::span<std::byte> buffer)> read;
};

struct TiffModule {
  TiffPages (*open)(const std::string& path);  ///< throws IoError, as `read` does
};

}  // namespace lapl
