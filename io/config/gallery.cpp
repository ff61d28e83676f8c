#include "io/config/gallery.hpp"

namespace lapl {

const std::vector<GalleryConfig>& gallery() {
  static const std::vector<GalleryConfig> configs = [] {
    std::vector<GalleryConfig> found = {
#include "gallery_files.hpp"
    };
    for (GalleryConfig& config : found)
      config.summary = config.text.substr(2, config.text.find('\n') - 2);  // skips "# "
    return found;
  }();
  return configs;
}

}  // namespace lapl
