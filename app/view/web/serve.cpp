// The library lapl_web: an HTTP server for one page.
#include <fmt/format.h>
#include <httplib.h>

#include "app/view/web/web_module.hpp"

namespace lapl {
namespace {

constexpr const char* address = "127.0.0.1";

std::string serve(int port, const std::function<void(int port)>& listens,
                  const AnswerRequest& answer) {
  httplib::Server server;
  const auto reply = [&](const httplib::Request& request, httplib::Response& response) {
    const WebAnswer made = answer(request.method, request.path);
    response.status = made.status;
    response.set_header("Cache-Control", "no-store");
    response.set_header("Referrer-Policy", "no-referrer");  // the address has the token
    response.set_content(made.body, made.type.c_str());
  };
  server.Get(".*", reply);
  server.Post(".*", reply);
  server.set_payload_max_length(1 << 10);
  if (port == 0)
    port = server.bind_to_any_port(address);
  else if (!server.bind_to_port(address, port))
    return fmt::format("found port {}, which is not free here (expected another)", port);
  if (port > 0) listens(port);
  if (port <= 0 || !server.listen_after_bind()) return fmt::format("cannot listen on {}", address);
  return "the server has ended";
}

}  // namespace
}  // namespace lapl

extern "C" const lapl::WebModule lapl_web;
const lapl::WebModule lapl_web = {lapl::serve};
