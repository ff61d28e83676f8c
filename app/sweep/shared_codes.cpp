#include "app/sweep/shared_codes.hpp"

#include <unistd.h>

#include <algorithm>

#include "app/commands/run_backend.hpp"
#include "kernels/machine/shared_kernels.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/make_problem.hpp"

namespace lapl {
namespace {

template <class T>
std::optional<CodeText> text_for(const RunConfig& run) {
  return code_to_compile(run.engine, problem_of<T>(Model(run), unread_coefficients(run)));
}

std::optional<CodeText> text_for(const RunConfig& run) {
  return run.precision == Precision::float32 ? text_for<float>(run) : text_for<double>(run);
}

}  // namespace

SharedCodes::SharedCodes(const std::vector<const SweepMember*>& members) {
  for (const SweepMember* member : members)
    if (choose_backend(member->run).backend != "cpu") {
      on_gpus_.insert(member);
    } else if (std::optional<CodeText> text = text_for(member->run)) {
      Code& code = codes_.try_emplace(all_of(*text)).first->second;
      code.text = std::move(*text);
      ++code.members;
      code_of_[member] = &code;
    }
  std::erase_if(code_of_, [](const auto& entry) { return entry.second->members < 2; });
  if (on_gpus_.size() > 1) kernels_ = open_shared_kernels();
}

SharedCodes::~SharedCodes() {
  if (kernels_ >= 0) ::close(kernels_);
}

int SharedCodes::of_next(const SweepMember& member) {
  close_used();
  if (on_gpus_.contains(&member)) return kernels_;
  const auto found = code_of_.find(&member);
  if (found == code_of_.end()) return -1;
  Code& code = *found->second;
  constexpr std::ptrdiff_t most_files = 64;
  const auto is_open = [](const auto& entry) { return entry.second.shared != nullptr; };
  if (!code.shared && std::ranges::count_if(codes_, is_open) < most_files)
    code.shared = std::make_unique<SharedCode>(code.text);
  --code.members;
  return code.shared ? code.shared->file() : -1;
}

void SharedCodes::look() {
  for (auto& [text, code] : codes_)
    if (code.shared) code.shared->ready();
  close_used();
}

void SharedCodes::close_used() {
  for (auto& [text, code] : codes_)
    if (code.members == 0 && code.shared && code.shared->ready()) code.shared.reset();
}

}  // namespace lapl
