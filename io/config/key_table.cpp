#include "io/config/key_table.hpp"

#include <map>

namespace lapl {

void for_each_key(
    const YamlNode& map, const std::string& prefix,
    const std::function<void(TextPosition, const std::string&, const std::string&)>& add,
    const std::function<void(const std::string&, const YamlNode&, const YamlNode&)>& take) {
  std::map<std::string, TextPosition> seen;
  for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
    const YamlNode& key = map.children[i];
    const std::string name = prefix + key.text;
    if (!key.refused.empty()) {
      add(key.position, name, fmt::format("a key with {} (write the key alone)", key.refused));
    } else if (key.kind != YamlNode::Kind::scalar) {
      add(key.position, prefix + "?", "a key that is not a word (expected `key: value`)");
    } else if (const auto [first, is_new] = seen.emplace(key.text, key.position); !is_new) {
      add(key.position, name, fmt::format("repeated (first given in line {})", first->second.line));
    } else {
      take(name, key, map.children[i + 1]);
    }
  }
}

}  // namespace lapl
