#include "app/sweep/shared_codes.hpp"

#include <optional>
#include <utility>

#include "app/commands/run_backend.hpp"
#include "solver/equation/formula_system.hpp"
#include "solver/exponential_problem.hpp"
#include "solver/make_problem.hpp"

namespace lapl {
namespace {

template <class T>
std::optional<CodeText> text_for(const RunConfig& run) {
  Problem<T> problem = problem_of<T>(Model(run), unread_coefficients(run));
  if (is_exponential(run)) problem.exponential = exponential_rates(run, unread_coefficients(run));
  return code_to_compile(run.engine, problem);
}

std::optional<CodeText> text_for(const RunConfig& run) {
  return run.precision == Precision::float32 ? text_for<float>(run) : text_for<double>(run);
}

}  // namespace

SharedCodes::SharedCodes(const std::vector<const SweepMember*>& members) {
  for (const SweepMember* member : members)
    if (std::optional<CodeText> text = text_for(member->run)) {
      Code& code = codes_.try_emplace(all_of(*text)).first->second;
      code.text = std::move(*text);
      ++code.members;
      code_of_[member] = &code;
    }
  std::erase_if(code_of_, [](const auto& entry) { return entry.second->members < 2; });
}

void SharedCodes::start(const SweepMember& member) {
  const auto found = code_of_.find(&member);
  if (found == code_of_.end() || found->second->compiled) return;
  found->second->compiled = std::make_unique<SharedCode>(found->second->text);
}

bool SharedCodes::ready(const SweepMember& member) {
  const auto found = code_of_.find(&member);
  if (found == code_of_.end()) return true;
  start(member);
  return found->second->compiled->ready();
}

void SharedCodes::done(const SweepMember& member) {
  const auto found = code_of_.find(&member);
  if (found != code_of_.end() && --found->second->members == 0) found->second->compiled.reset();
}

}  // namespace lapl
