// Members of a sweep share compiled code: for CPUs the sweep compiles it, for GPUs the member that
// needs it first.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/sweep/sweep_members.hpp"
#include "kernels/machine/shared_code.hpp"

namespace lapl {

class SharedCodes {
 public:
  explicit SharedCodes(const std::vector<const SweepMember*>& members);
  SharedCodes(const SharedCodes&) = delete;
  SharedCodes& operator=(const SharedCodes&) = delete;
  ~SharedCodes();

  /// The file (kernels/machine/shared_code.hpp, shared_kernels.hpp) for a member that is started
  /// now, open until the next call; -1: it compiles for itself. The first member of each code for
  /// CPUs starts the compiler.
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
  std::set<const SweepMember*> on_gpus_;
  int kernels_ = -1;
};

}  // namespace lapl
