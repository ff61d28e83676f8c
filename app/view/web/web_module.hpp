// The function of lapl_web, the only library linked with cpp-httplib. It is loaded by the first
// call of serve_pages().
#pragma once

#include <functional>
#include <string>

namespace lapl {

/// The answer to a request of a browser.
struct WebAnswer {
  int status = 404;  ///< of HTTP (RFC 9110)
  std::string type = "text/plain; charset=utf-8", body = "not found\n";
};

/// Answers a request; called from several threads. `path` is without the query.
using AnswerRequest = std::function<WebAnswer(const std::string& method, const std::string& path)>;

struct WebModule {
  /// Documented at serve_pages(). Returns the reason why it cannot listen.
  std::string (*serve)(int port, const std::function<void(int port)>& listens,
                       const AnswerRequest& answer);
};

/// Serves pages over HTTP on the loopback address 127.0.0.1, which no other machine reaches, until
/// the process ends. `port` 0: any free one; `listens` is called with the port when requests can
/// come. Throws ConfigError if this build cannot serve or the port is not free.
void serve_pages(int port, const std::function<void(int port)>& listens,
                 const AnswerRequest& answer);

}  // namespace lapl
