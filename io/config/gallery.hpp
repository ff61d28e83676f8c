// The configs of configs/gallery, as they are there: an equation each. They are compiled in, so
// that `lapl new gray-scott-coral` works wherever the program is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lapl {

struct GalleryConfig {
  std::string_view name;  ///< of the file, without .yaml
  std::string_view text;
  std::string summary;  ///< its first line
};

const std::vector<GalleryConfig>& gallery();

}  // namespace lapl
