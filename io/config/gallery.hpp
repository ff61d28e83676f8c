// The configs of configs/gallery, one equation each. They are compiled into the program, so `lapl
// new gray-scott-coral` needs no files.
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
