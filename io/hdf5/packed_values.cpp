#include "io/hdf5/packed_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "kernels/error.hpp"
#include "kernels/machine/background.hpp"

#ifdef LAPL_HAS_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

namespace lapl {
namespace {

/// Adds half of the last kept bit and clears the bits after it; a carry goes into the exponent.
template <class T>
T rounded(T value, int kept_bits) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const int cleared = std::numeric_limits<T>::digits - 1 - kept_bits;
  if (!std::isfinite(value) || cleared <= 0) return value;
  const Bits half = Bits{1} << (cleared - 1);
  return std::bit_cast<T>((std::bit_cast<Bits>(value) + half) & ~(2 * half - 1));
}

template <class Stored, class T>
FieldValues convert(std::span<const T> values, std::optional<int> kept_bits,
                    const std::string& field) {
  std::vector<Stored> stored(values.size());
  const auto count = static_cast<std::int64_t>(values.size());
  in_pieces(count, 1 << 18, [&](std::int64_t first, std::int64_t last) {
    bool overflows = false;
    for (std::int64_t i = first; i < last; ++i) {
      const T kept = kept_bits ? rounded(values[i], *kept_bits) : values[i];
      stored[i] = static_cast<Stored>(kept);
      overflows |= std::isinf(stored[i]) && !std::isinf(values[i]);
    }
    if (!overflows) return;
    const auto found = std::find_if(values.begin() + first, values.begin() + last, [](T value) {
      return std::isfinite(value) &&
             std::abs(value) > static_cast<T>(std::numeric_limits<Stored>::max()) / 2;
    });
    throw IoError(
        "{} has the value {}, too large for {} values of an output (output.precision, "
        "output.round)",
        field, *found, enum_name(precision_of_type<Stored>));
  });
  return stored;
}

/// Byte b of value v goes to b * values + v.
template <std::size_t value_size>
void shuffle(std::span<const std::byte> from, std::span<std::byte> to) {
  const std::size_t values = from.size() / value_size;
  for (std::size_t byte = 0; byte < value_size; ++byte) {
    const std::byte* const in = from.data() + byte;
    std::byte* const out = to.data() + byte * values;
    for (std::size_t value = 0; value < values; ++value) out[value] = in[value * value_size];
  }
}

#ifdef LAPL_HAS_LIBDEFLATE
/// Compresses in zlib's format, as HDF5's filter expects it; the result has no more than
/// most_packed bytes.
class Deflater {
 public:
  explicit Deflater(int level) : held_(libdeflate_alloc_compressor(level)) {
    if (!held_) throw std::bad_alloc();
  }
  std::size_t operator()(std::span<const std::byte> from, std::span<std::byte> to) const {
    return libdeflate_zlib_compress(held_.get(), from.data(), from.size(), to.data(), to.size());
  }

 private:
  struct Free {
    void operator()(libdeflate_compressor* held) const { libdeflate_free_compressor(held); }
  };
  std::unique_ptr<libdeflate_compressor, Free> held_;
};
#else
class Deflater {
 public:
  explicit Deflater(int level) : level_(level) {}
  std::size_t operator()(std::span<const std::byte> from, std::span<std::byte> to) const {
    uLongf size = to.size();
    const int result = compress2(reinterpret_cast<Bytef*>(to.data()), &size,
                                 reinterpret_cast<const Bytef*>(from.data()), from.size(), level_);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    return result == Z_OK ? size : 0;
  }

 private:
  int level_;
};
#endif

/// All values of a chunk, with its zeros.
std::vector<std::byte> joined(const Unpacked& chunk) {
  std::vector<std::byte> bytes;
  for (const auto& part : chunk.parts) bytes.insert(bytes.end(), part.begin(), part.end());
  bytes.resize(bytes.size() + chunk.zeros);
  return bytes;
}

}  // namespace

FieldValues as_stored(FieldView values, Precision precision, std::optional<int> kept_bits,
                      const std::string& field) {
  return std::visit(
      [&](auto held) {
        return with_precision(
            precision, [&]<class Stored>() { return convert<Stored>(held, kept_bits, field); });
      },
      values);
}

std::vector<std::vector<std::byte>> pack(std::span<const Unpacked> chunks, int level) {
  std::vector<std::vector<std::byte>> packed(chunks.size());
  in_pieces(std::ssize(chunks), 1, [&](std::int64_t first, std::int64_t last) {
    const Deflater deflate(level);
    std::vector<std::byte> shuffled, buffer;
    for (std::int64_t i = first; i < last; ++i) {
      const Unpacked& chunk = chunks[i];
      const bool whole = chunk.parts.size() == 1 && chunk.zeros == 0;
      const std::vector<std::byte> copy = whole ? std::vector<std::byte>() : joined(chunk);
      const std::span<const std::byte> bytes = whole ? chunk.parts.front() : copy;
      shuffled.resize(bytes.size());
      if (chunk.value_size == 1)
        std::ranges::copy(bytes, shuffled.begin());
      else if (chunk.value_size == sizeof(float))
        shuffle<sizeof(float)>(bytes, shuffled);
      else
        shuffle<sizeof(double)>(bytes, shuffled);
      buffer.resize(most_packed(bytes.size()));
      const std::size_t size = deflate(shuffled, buffer);
      if (size == 0) throw IoError("cannot compress a chunk of {} bytes", bytes.size());
      packed[i].assign(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
    }
  });
  return packed;
}

}  // namespace lapl
