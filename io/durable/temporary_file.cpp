#include "io/durable/temporary_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "kernels/error.hpp"
#include "kernels/machine/available_memory.hpp"
#include "kernels/machine/leftovers.hpp"

namespace lapl {

TemporaryFile::TemporaryFile(const std::filesystem::path& target)
    : target_(target), path_(temporary_beside(target)) {
  remove();  // a killed process with the same process id may have left a file
}

TemporaryFile::~TemporaryFile() {
  if (!renamed_) remove();
}

PosixFile TemporaryFile::open(int flags) const {
  PosixFile file(path_, flags, target_.string());
  file.protect();
  return file;
}

void TemporaryFile::commit(PosixFile& file) {
  file.sync();
  file.close();
  if (std::rename(path_.c_str(), target_.c_str()) != 0)
    throw_system_error(target_.string(), "rename " + path_.filename().string() + " to it");
  renamed_ = true;
  sync_folder(target_.has_parent_path() ? target_.parent_path() : ".");
}

void TemporaryFile::remove() const noexcept { ::unlink(path_.c_str()); }

void naming_system_error(const std::function<void()>& write_hdf5) {
  errno = 0;
  try {
    write_hdf5();
  } catch (const IoError& error) {
    const int reason = errno;
    for (const int of_disk : {ENOSPC, EDQUOT, EFBIG, EIO, EROFS})
      if (reason == of_disk)
        throw IoError(std::string(error.what()) + " (" + std::generic_category().message(reason) +
                      ")");
    throw;
  }
}

std::optional<PosixFile> write_scratch(
    const std::filesystem::path& path, const std::string& label, std::uint64_t expected_bytes,
    const std::function<void(const std::filesystem::path&)>& write_hdf5) {
  // Up to this size available_memory is not called, because it reads a dozen files.
  constexpr std::uint64_t small = std::uint64_t{2} << 20;
  const bool has_room = expected_bytes <= small || expected_bytes <= available_memory() / 4;
  auto memory = has_room ? PosixFile::in_memory(label) : std::nullopt;
  naming_system_error([&] { write_hdf5(memory ? memory->scratch_path() : path); });
  return memory;
}

}  // namespace lapl
