// Compiled code that members of a sweep share. The sweep compiles code for CPUs before it forks the
// members that need it. Members on GPUs share kernels (kernels/machine/shared_kernels.hpp): the
// first that needs one compiles it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/sweep/sweep_members.hpp"
#include "kernels/machine/shared_code.hpp"

namespace lapl {

class SharedCodes {
 public:
  /// Takes the members that run on CPUs. Code that only one of them needs is left to that member.
  explicit SharedCodes(const std::vector<const SweepMember*>& members);

  /// Starts the compiler for the code of this member, unless it is started or not shared.
  void start(const SweepMember& member);
  /// True if the member can be forked: its code is compiled or has failed to be, or is not shared.
  /// Never waits.
  bool ready(const SweepMember& member);
  /// To be called once for each member that has been forked: frees code that no other one needs.
  void done(const SweepMember& member);

 private:
  struct Code {
    CodeText text;
    int members = 0;  ///< still to be forked
    std::unique_ptr<SharedCode> compiled = nullptr;
  };

  std::map<std::string, Code> codes_;  // by the whole text
  std::map<const SweepMember*, Code*> code_of_;
};

}  // namespace lapl
