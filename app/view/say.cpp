#include "app/view/say.hpp"

namespace lapl {

void draw(std::FILE* file, std::string_view bytes) {
  static_cast<void>(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
}

}  // namespace lapl
