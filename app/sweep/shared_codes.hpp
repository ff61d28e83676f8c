// What several members of a sweep would have compiled, each for itself, compiled once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/sweep/sweep_members.hpp"
#include "kernels/shared_code.hpp"

namespace lapl {

class SharedCodes {
 public:
  explicit SharedCodes(const std::vector<const SweepMember*>& members);

  /// The file (kernels/shared_code.hpp) for a member that is started now, open until the next
  /// call; -1: it compiles for itself. The first member of each code starts the compiler.
  int of_next(const SweepMember& member);
  /// To be called when a process has ended: seals what is compiled.
  void look();

 private:
  struct Code {
    CodeText text;
    int members = 0;  ///< still to be started
    std::unique_ptr<SharedCode> shared = nullptr;
  };
  void close_used();

  std::map<std::string, Code> codes_;  // by all that they depend on
  std::map<const SweepMember*, Code*> code_of_;
};

}  // namespace lapl
