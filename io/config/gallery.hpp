// The configs of configs/gallery, one equation each, compiled in so that `lapl new
// gray-scott-coral` works wherever the program is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lapl {

struct GalleryConfig {
  std::string_view name;  ///< file name without .yaml
  std::string_view text;
  std::string summary;  ///< first line of the text, without "# "
};

const std::vector<GalleryConfig>& gallery();

}  // namespace lapl
