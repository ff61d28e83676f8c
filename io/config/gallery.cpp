#include "io/config/gallery.hpp"

namespace lapl {
namespace {

std::vector<EmbeddedConfig> with_summaries(std::vector<EmbeddedConfig> configs) {
  for (EmbeddedConfig& config : configs)
    config.summary = config.text.substr(2, config.text.find('\n') - 2);  // skips "# "
  return configs;
}

}  // namespace

const std::vector<EmbeddedConfig>& gallery() {
  static const std::vector<EmbeddedConfig> configs = with_summaries({
#include "gallery_configs.hpp"
  });
  return configs;
}

const std::vector<EmbeddedConfig>& config_uses() {
  static const std::vector<EmbeddedConfig> configs = with_summaries({
#include "new_configs.hpp"
  });
  return configs;
}

}  // namespace lapl
