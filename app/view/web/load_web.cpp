// Loads the library lapl_web, if this build has it.
#include "app/view/web/web_module.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/load_module.hpp"

namespace lapl {

void serve_pages([[maybe_unused]] int port,
                 [[maybe_unused]] const std::function<void(int port)>& listens,
                 [[maybe_unused]] const AnswerRequest& answer) {
#ifdef LAPL_HAS_WEB
  const LoadedModule loaded = load_module("lapl_web", false);
  if (loaded.table == nullptr) throw ConfigError("lapl cannot serve pages: {}", loaded.missing);
  throw ConfigError("--web: {}",
                    static_cast<const WebModule*>(loaded.table)->serve(port, listens, answer));
#else
  throw ConfigError(
      "--web: lapl was built without cpp-httplib: install libcpp-httplib-dev, then configure and "
      "build again");
#endif
}

}  // namespace lapl
