// Files and folders that no other user can have changed.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>

namespace lapl {

/// A descriptor of a file or folder, closed by the destructor; -1 for none.
class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const { return descriptor_; }
  void reset(int descriptor) {
    close();
    descriptor_ = descriptor;
  }

 private:
  void close() const {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor_;
};

/// True if the open file is of this kind (S_IFREG, S_IFDIR), belongs to this user, and has none of
/// the bits `forbidden` in its mode.
bool is_own(int descriptor, mode_t kind, mode_t forbidden);

/// At most `most` bytes from the start of a file in the open `folder`; none if it cannot be read or
/// fails is_own. Does not wait for a pipe, and follows no link.
std::optional<std::string> plain_file(int folder, const std::string& name, std::size_t most,
                                      mode_t forbidden = 0);

}  // namespace lapl
